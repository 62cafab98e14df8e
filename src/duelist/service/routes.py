"""The contract, line by line."""

from __future__ import annotations

from duelist.live.definition import Definition
from duelist.service import endpoints, schemas, view_schemas, views, voting
from duelist.service.endpoints import Route

ONE = "/v1/experiments/{name}"

ROUTES = (
    Route(
        "POST",
        "/v1/experiments",
        "admin",
        endpoints.define,
        "Define an experiment, as a draft.",
        Definition,
        schemas.Standing,
        (201, 200),
    ),
    Route("GET", "/v1/experiments", "read", views.listing, "All experiments.", None, schemas.Listing),
    Route("GET", ONE, "read", endpoints.status, "All that is known of an experiment.", None, schemas.Status),
    *(
        Route("POST", f"{ONE}/{verb}", "admin", endpoints.step(verb), summary, None, schemas.Standing)
        for verb, summary in (
            ("start", "Let people in."),
            ("pause", "Show the default to everybody, for a while."),
            ("stop", "End it: from now on everybody gets the winner."),
        )
    ),
    Route(
        "POST",
        f"{ONE}/versions",
        "admin",
        endpoints.new_version,
        "Change an experiment by a new version.",
        schemas.NewVersion,
        schemas.Standing,
        (201, 200),
    ),
    Route("POST", f"{ONE}/ask", "write", endpoints.ask, "A pair of arms to show.", schemas.Ask, schemas.Asked),
    Route("POST", f"{ONE}/tell", "write", endpoints.tell, "How a duel ended.", schemas.Tell, schemas.Told),
    Route(
        "POST",
        f"{ONE}/interleave",
        "write",
        endpoints.interleave,
        "A list of several rankers' documents.",
        schemas.Interleave,
        schemas.Page,
    ),
    Route("POST", f"{ONE}/rank", "write", endpoints.rank, "A list of a learner.", schemas.Rank, schemas.Ranking),
    Route(
        "POST",
        f"{ONE}/question",
        "write",
        voting.question,
        "Two contents for somebody who votes.",
        voting.WantQuestion,
        voting.QuestionShown,
    ),
    Route("GET", f"{ONE}/contents", "read", voting.contents, "What people vote on.", None, voting.AllContents),
    Route("GET", f"{ONE}/board", "read", voting.board, "The leaderboard of votes.", None, voting.Board),
    Route("GET", f"{ONE}/events", "read", endpoints.lines, "The events of an experiment, as JSON lines."),
    Route(
        "POST",
        "/v1/events",
        "write",
        endpoints.take_events,
        "What people did, one event or many.",
        bytes,
        schemas.Tally,
    ),
    Route(
        "POST",
        "/v1/users/forget",
        "admin",
        endpoints.forget,
        "Erase a user, and keep the numbers.",
        schemas.Forget,
        schemas.Forgotten,
    ),
    Route("GET", f"{ONE}/insight", "read", views.insight, "Numbers to look at.", None, view_schemas.Insight),
    Route("GET", f"{ONE}/history", "read", views.history, "How it came to be so.", None, view_schemas.Course),
    Route("GET", f"{ONE}/impressions", "read", views.impressions, "The last of them.", None, view_schemas.Lines),
    Route("GET", f"{ONE}/explain", "read", views.explain, "One list or duel.", None, view_schemas.Explained),
    Route("GET", "/v1/choices", "read", views.choices, "Names for definitions.", None, view_schemas.Choices),
    Route(
        "POST",
        "/v1/definitions/check",
        "admin",
        views.check,
        "Check a definition, and define nothing.",
        view_schemas.Trial,
        view_schemas.Checked,
    ),
    Route("GET", "/v1/stream", "read", views.stream, "Names of experiments that changed, as server-sent events."),
    Route("GET", "/healthz", "", endpoints.alive, "Whether the process lives.", None, schemas.Health),
    Route("GET", "/readyz", "", endpoints.readiness, "Whether it can serve.", None, schemas.Health),
    Route("GET", "/metrics", "read", endpoints.metrics, "Numbers for Prometheus."),
)
