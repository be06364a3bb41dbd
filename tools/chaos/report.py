"""Shows a run as a table for people, which is also fit for a page."""

from rich.table import Table

from tools.chaos.run import Report


def table_of(report: Report) -> Table:
    """Return a row for each kind of fault and for each number that the run is judged by."""
    account = report.account
    table = Table(title=f"Chaos on {report.database}, seed {report.seed}")
    table.add_column("")
    table.add_column("", justify="right")
    for name, number in sorted(report.faults.items()):
        table.add_row(name, f"{number:,}")
    table.add_row("faults in all", f"{sum(report.faults.values()):,}")
    table.add_row("full disks are", report.full_disk)
    table.add_section()
    for name, matches in report.tournaments.items():
        table.add_row(f"matches, {name}", f"{matches:,}")
    table.add_row("matches in all", f"{account.matches:,}")
    table.add_row("lost", _harm(account.lost))
    table.add_row("doubled", _harm(account.doubled))
    table.add_row("honest workers in quarantine", _harm(account.quarantined))
    table.add_row("seats charged for what we did", _harm(sum(account.charged.values())))
    for kind, number in account.charged.items():
        table.add_row(f"seats charged: {kind}", _harm(number))
    table.add_row("results by workers without keys", f"{account.without_keys:,}")
    table.add_row("played more than once", f"{account.run_twice:,}")
    for state, number in account.attempts.items():
        table.add_row(f"attempts {state}", f"{number:,}")
    for code, number in report.refused.items():
        table.add_row(f"late results refused: {code}", f"{number:,}")
    table.add_row("void after three host failures, requeued", f"{report.requeued:,}")
    table.add_section()
    table.add_row("ratings unlike a recompute", _harm(account.rating_differences))
    table.add_row("schedules unlike those made again", _harm(account.schedule_differences))
    table.add_row("final tables and places equal to a quiet run", _yes(report.table_equal))
    table.add_row(
        "every pairing, seed and result equal to a quiet run", _yes(report.results_equal)
    )
    return table


def _harm(number: int) -> str:
    return f"[{'red' if number else 'green'}]{number:,}[/]"


def _yes(value: bool) -> str:
    return "[green]yes[/]" if value else "[red]no[/]"
