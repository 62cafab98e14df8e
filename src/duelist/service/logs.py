"""Logs as JSON lines on standard error. Tokens, users and documents are never in them."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

OWN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """One object a line: time, level, what happened, and whatever was given as `extra`.

    >>> record = logging.makeLogRecord({"msg": "started", "levelname": "INFO", "created": 0.0, "port": 8080})
    >>> JsonLines().format(record)
    '{"at": "1970-01-01T00:00:00+00:00", "level": "info", "event": "started", "port": 8080}'
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        line = {"at": at, "level": record.levelname.lower(), "event": record.getMessage()}
        line |= {name: value for name, value in vars(record).items() if name not in OWN}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def set_up(level: str) -> None:
    """Send the logs of the service and of its server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("duelist", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())
