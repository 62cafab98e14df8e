"""duelist analyze: what a log of interleaved impressions says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from duelist.analysis import Analysis, Unanalysed
    from duelist.clicks.log import Log
    from duelist.clicks.portions import Portions


def analyze_command(
    log: Annotated[
        str | None,
        typer.Argument(
            help="A click log (.jsonl, .csv, .tsv, or that and .gz; .parquet), UBI queries, or a journal: sqlite:///FILE."
        ),
    ] = None,
    events: Annotated[Path | None, typer.Option(help="The UBI events, if they are in a file of their own.")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Instead of a log: 1,200 made-up users of two rankers.")] = False,
    html: Annotated[Path | None, typer.Option(help="Save the report as a page with charts.")] = None,
    window: Annotated[
        float | None,
        typer.Option(help="Hours after a user's first impression at which the user is frozen; otherwise all count."),
    ] = None,
    cap: Annotated[
        list[str] | None,
        typer.Option(
            help="Cut preferences at plus and minus so much: 5, or of one outcome purchase:value=200; repeatable."
        ),
    ] = None,
    ended: Annotated[
        bool, typer.Option("--ended", help="The experiment is over: count users whose window is open too.")
    ] = False,
    unit: Annotated[str, typer.Option(help="What is counted once: user or query.")] = "user",
    outcome: Annotated[
        list[str] | None,
        typer.Option(
            help="What counts: clicks, clicks:debiased, an action as purchase, values as purchase:value; repeatable."
        ),
    ] = None,
    attribution: Annotated[
        float | None, typer.Option(help="Hours after which a click counts no more; 24 where clicks carry times.")
    ] = None,
    segment: Annotated[
        list[str] | None, typer.Option(help="A column, or queries (head and tail), to compare within; repeatable.")
    ] = None,
    guardrail: Annotated[
        list[str] | None,
        typer.Option(help="A limit that withholds the verdict: abandonment<0.4, zero-results<0.02, latency<300."),
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="The experiment to analyse, of a log of several; otherwise each.")
    ] = None,
    ordinals: Annotated[
        int | None, typer.Option(help="Whether UBI positions count from 0 or 1, where the log does not tell.")
    ] = None,
    most_lost: Annotated[float, typer.Option(help="The share of rows or clicks that may be lost.")] = 0.05,
    most: Annotated[int | None, typer.Option(help="Leave out users with more impressions than this: machines.")] = None,
    alpha: Annotated[float, typer.Option(help="The chance of a false winner, at most.")] = 0.05,
    weights: Annotated[
        Path | None, typer.Option(help="Learned click weights (JSON): users they were learned from are left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and the A/A replay.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Report who wins an interleaving experiment, how sure, and whether it is healthy."""
    from duelist.analysis import Settings, each_experiment
    from duelist.analysis.weighed import check_weighed
    from duelist.clicks.columns_of import NoColumn, other_columns
    from duelist.core.errors import BadInput

    if (log is None) != demo:
        raise BadInput("analyze needs the file of a log, or --demo" + (", not both" if demo else ""))
    check_page(html)
    if weights is not None:
        check_weighed(outcome or ("clicks",))
    outcomes = _fitted(tuple(outcome or ("clicks",)), log, events, ordinals)
    caps = tuple(text if "=" in text else f"{outcomes[0]}={text}" for text in cap or ())
    settings = Settings(
        *(alpha, window, unit, ended, seed, None, outcomes, attribution),
        *(tuple(segment or ()), tuple(guardrail or ()), most_lost, most, caps),
    )
    found = load(log, events, ordinals, weights, settings.columns)
    try:
        analyses = each_experiment(found, experiment, settings)
    except NoColumn as error:
        raise error.among(other_columns(log)) if log and "://" not in log else error from None
    show(analyses, log, html, as_json)


def _fitted(outcomes: tuple[str, ...], log: str | None, events: Path | None, ordinals: int | None) -> tuple[str, ...]:
    """The outcomes, with what the log itself says of positions where that is asked for."""
    from duelist.analysis.debiased import DEBIASED, debiased_clicks

    if DEBIASED not in outcomes:
        return outcomes
    found = debiased_clicks(_records(log, events, ordinals).records)
    return tuple(found if name == DEBIASED else name for name in outcomes)


def load(
    log: str | None, events: Path | None, ordinals: int | None, weights: Path | None, columns: tuple[str, ...]
) -> Portions:
    """The impressions of a file or of the demo; with weights, those of other users than they were learned from."""
    from duelist.analysis import weigh
    from duelist.clicks.gather import impressions_of
    from duelist.clicks.scan import spool_log
    from duelist.evidence.click_weights import ClickWeights

    journal = log is not None and "://" in log
    if log is not None and weights is None:
        return spool_live(log, columns) if journal else spool_log(Path(log), events, ordinals, columns)
    found = _records(log, events, ordinals)
    if weights is not None:
        weighed = weigh(found, ClickWeights.from_json(_bytes_of(weights)))
        found = weighed.log
        typer.echo(
            f"{weighed.left_out:,} impressions of users that the weights were learned from are left out, and "
            f"{weighed.several:,} of more than two rankers.",
            err=True,
        )
    return impressions_of(found, columns)


def _records(log: str | None, events: Path | None, ordinals: int | None) -> Log:
    """The same as records."""
    from duelist.analysis import demo_log
    from duelist.clicks.log import Log, read_log

    if log is None:
        return Log(tuple(demo_log(1200, {"bm25": 0.2, "ltr-v3": 0.24}, seed=1)))  # how likely a click is
    return read_journal(log) if "://" in log else read_log(Path(log), events, ordinals)


def spool_live(url: str, columns: tuple[str, ...]) -> Portions:
    """The lists of live experiments, in portions."""
    from duelist.live.list_rows import spool_journal
    from duelist.storage.journal import open_journal

    with open_journal(_existing(url)) as journal:
        return spool_journal(journal, columns)


def read_journal(url: str) -> Log:
    """The lists of live experiments."""
    from duelist.live.log import log_of
    from duelist.storage.journal import open_journal

    with open_journal(_existing(url)) as journal:
        return log_of(journal.events())


def _existing(url: str) -> str:
    """The address of a journal to read from; opening one that is not there would make it."""
    from duelist.core.errors import BadInput

    file = url.removeprefix("sqlite:///")
    if file != url and not Path(file).is_file():
        raise BadInput(f"no journal {file!r}")
    return url


def _bytes_of(weights: Path) -> bytes:
    from duelist.core.errors import BadInput

    if not weights.is_file():
        raise BadInput(f"no file of weights {str(weights)!r}")
    return weights.read_bytes()


def check_page(html: Path | None) -> None:
    """An error before the work for a page that could not be saved."""
    from duelist.core.errors import BadInput

    if html is not None and html.is_dir():
        raise BadInput(f"{str(html)!r} is a folder: name the file to save the page in")
    if html is not None and not html.parent.is_dir():
        raise BadInput(f"there is no folder {str(html.parent)!r} to save the page in")


def show(analyses: tuple[Analysis | Unanalysed, ...], log: str | None, html: Path | None, as_json: bool) -> None:
    """Print every analysis and save its page, each experiment's with its place in the name if there are several."""
    from duelist import present
    from duelist.analysis import Analysis
    from duelist.analysis.page import page
    from duelist.core.errors import printable

    saved, name = [], "demo" if log is None else Path(log).name
    for place, analysis in enumerate(analyses, 1):
        if html is not None and isinstance(analysis, Analysis):
            file = html if len(analyses) == 1 else html.with_stem(f"{html.stem}-{place}")
            file.write_text(page(analysis, name, datetime.now(UTC)), encoding="utf-8")
            saved.append(str(file))
        if not as_json:
            present.show(f"{printable(name)}: {analysis}" + ("\n" if place < len(analyses) else ""))
    if as_json:
        rows = [{"log": str(log or name), **analysis.summary()} for analysis in analyses]
        print(json.dumps(rows[0] if len(rows) == 1 else rows, indent=2))
    elif saved:
        print(f"\npage saved to {printable(', '.join(saved))}")
