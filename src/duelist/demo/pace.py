"""How fast visitors come: faster, slower, or not at all for a while."""

from __future__ import annotations

import asyncio
import math

SPEEDS = (1.0, 5.0, 20.0, 50.0, 100.0)  # visitors a second that one may choose
LOOK = 0.05  # seconds between looks at whether something was changed


class Pace:
    """Lets visitors in, one by one; without a rate, as fast as they can be served."""

    def __init__(self, rate: float = math.inf) -> None:
        self.rate, self.paused = rate, False
        self._next = 0.0

    def step(self, by: int) -> None:
        """The next faster or slower of the speeds.

        >>> pace = Pace(20.0)
        >>> pace.step(1)
        >>> pace.rate
        50.0
        """
        nearest = min(range(len(SPEEDS)), key=lambda place: abs(SPEEDS[place] - self.rate))
        self.rate = SPEEDS[min(max(nearest + by, 0), len(SPEEDS) - 1)]
        self._next = 0.0

    async def turn(self) -> None:
        """Wait until the next visitor may come."""
        now = asyncio.get_running_loop().time
        while self.paused or now() < self._next:
            await asyncio.sleep(LOOK if self.paused else min(LOOK, self._next - now()))
        # Those who are late are let in at once, but a pause is not made up for.
        self._next = max(self._next, now() - LOOK) + 1 / self.rate
