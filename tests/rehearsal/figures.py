"""Figures by which each alert fires and clears, as tests for Prometheus's own `promtool`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from tests.k8s.manifests import Manifest

ACCEPTED: Final = 'attempts_recent{end="accepted"}'
_ANSWERS: Final = "django_http_responses_total_by_status_total"
_LATENCY: Final = "django_http_requests_latency_including_middlewares_seconds_bucket"
_CALM_M, _TROUBLE_M, _AFTERWARDS_M = 30, 120, 60
"""Minutes: longer than any alert waits, or looks back."""
_NO_FIGURE: Final = "_"
_A_DAY_BACK: Final = {"PentathlonDatabaseGrows": 1500}
"""Alerts that look back for longer, and for how many minutes afterwards."""

FIGURES: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "PentathlonWebDown": {"gauges_up": ("1", _NO_FIGURE)},
    "PentathlonDatabaseAway": {"gauges_up": ("1", "0")},
    "PentathlonReconcilerDown": {"reconciler_up": ("1", "0")},
    "PentathlonLoopSilent": {"loops_silent": ("0", "1")},
    "PentathlonDamaged": {'damaged{kind="replay"}': ("0", "1")},
    "PentathlonTournamentStopped": {"tournaments_stopped": ("0", "1")},
    "PentathlonNoWorkers": {"slots": ("2", "0"), 'matches_waiting{kind="ladder"}': ("5", "5")},
    "PentathlonBrokerDown": {"broker_up": ("1", "0")},
    "PentathlonNothingStarts": {
        "matches_running": ("2", "0"),
        "slots": ("2", "2"),
        'matches_waiting{kind="ladder"}': ("5", "5"),
    },
    "PentathlonValidationsWait": {'oldest_wait_seconds{kind="validation"}': ("10", "601")},
    "PentathlonLeasesExpire": {
        'attempts_recent{end="expired"}': ("0", "6"),
        ACCEPTED: ("100", "100"),
    },
    "PentathlonHostsFail": {'attempts_recent{end="failed"}': ("0", "6"), ACCEPTED: ("100", "100")},
    "PentathlonHostsStarved": {"slots_held": ("0", "1")},
    "PentathlonMatchesSlow": {
        'match_duration_seconds{game="tuned",quantile="0.95"}': ("60", "901")
    },
    "PentathlonFaultsRise": {
        'faults_recent{kind="timeout"}': ("1", "60"),
        ACCEPTED: ("100", "100"),
    },
    "PentathlonRatingsLag": {"rating_lag_seconds": ("1", "301")},
    "PentathlonWorkerSurprises": {'worker_surprise{worker="here/1"}': ("0", "3")},
    "PentathlonMatchesHeld": {'matches_without_progress{token="here"}': ("0", "1")},
    "PentathlonQuarantine": {"quarantines": ("0", "1")},
    "PentathlonWorkersDiffer": {"checks_disputed_recent": ("0", "1")},
    "PentathlonWebhooksWait": {"webhooks_waiting": ("0", "1001")},
    "PentathlonErrors": {
        f'{_ANSWERS}{{status="200"}}': ("+100", "+100"),
        f'{_ANSWERS}{{status="500"}}': ("+0", "+5"),
    },
    "PentathlonSlowPages": {
        f'{_LATENCY}{{le="1"}}': ("+10", "+0"),
        f'{_LATENCY}{{le="5"}}': ("+10", "+10"),
        f'{_LATENCY}{{le="+Inf"}}': ("+10", "+10"),
    },
    "PentathlonDatabaseGrows": {"database_bytes": ("+0", "+100000000")},
    "PentathlonDiskFull": {"disk_free_ratio": ("0.5", "0.05")},
    "PentathlonBackupMissing": {"backup_age_seconds": ("3600", "97200")},
    "PentathlonLettersFail": {"letters_failing": ("0", "1")},
    "PentathlonBacklog": {'oldest_wait_seconds{kind="tournament"}': ("10", "21601")},
}
"""By alert: what is calm, and what is trouble; with a plus the growth in each minute."""


def write_tests(rules: Manifest, folder: Path) -> None:
    """Write each alert of these groups, and its test, in which trouble follows calm and ends."""
    for group in rules["groups"]:
        for rule in group["rules"]:
            alert = rule["alert"]
            alone = {"groups": [{"name": alert, "rules": [rule]}]}
            test = {"rule_files": [f"{alert}.rule"], "tests": [_test(alert)]}
            (folder / f"{alert}.rule").write_text(yaml.safe_dump(alone))
            (folder / f"{alert}.test").write_text(yaml.safe_dump(test))


def _test(alert: str) -> Manifest:
    firing = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
    afterwards_m = _A_DAY_BACK.get(alert, _AFTERWARDS_M)
    ends = {_CALM_M: 0, _CALM_M + _TROUBLE_M: 1, _CALM_M + _TROUBLE_M + afterwards_m: 0}
    return {
        "interval": "1m",
        "input_series": [
            {"series": _series(name), "values": _values(*values, afterwards_m=afterwards_m)}
            for name, values in FIGURES[alert].items()
        ],
        "promql_expr_test": [
            {
                "expr": firing,
                "eval_time": f"{end - 1}m",
                "exp_samples": [{"labels": "{}", "value": 1}] * times,
            }
            for end, times in ends.items()
        ],
    }


def _series(name: str) -> str:
    return name if name.startswith("django_") else f"pentathlon_{name}"


def _values(calm: str, trouble: str, *, afterwards_m: int) -> str:
    """Return the notation of promtool: a value and how often it comes again."""
    stretches = ((calm, _CALM_M), (trouble, _TROUBLE_M), (calm, afterwards_m))
    if calm[0] != "+":
        # A value comes once and again as often as is said; a gap is as long as is said.
        return " ".join(
            f"{value}x{minutes - (value != _NO_FIGURE)}" for value, minutes in stretches
        )
    parts, reached = [], 0
    for growth, minutes in stretches:
        parts.append(f"{reached}{growth}x{minutes - 1}")
        reached += int(growth) * minutes
    return " ".join(parts)
