"""The result of a sequential test in words, as JSON and as an exit code.

`pentathlon compare` ends in the same way wherever its matches were played.
"""

from dataclasses import dataclass
from typing import Any

from pentathlon_engines.cli.output.streams import print_json, print_text
from pentathlon_engines.cli.series import describe_score
from pentathlon_engines.strength.sprt import (
    BlockScore,
    NormalizedElo,
    Sprt,
    SprtDecision,
    normalized_elo,
    score_of,
)

_SENTENCES = {
    SprtDecision.BETTER: "{new} is better than {old}",
    SprtDecision.NOT_BETTER: "{new} is not better than {old}",
    SprtDecision.UNDECIDED: "It is undecided whether {new} is better than {old}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The state of a test of a new bot against an old one."""

    new: str
    old: str
    test: Sprt
    decision: SprtDecision
    counts: tuple[int, ...]
    """The number of blocks for each score of the new bot, from no points to all of them."""
    repeats: int = 0
    """Matches that went exactly like an earlier one with the same bots in the same seats."""
    matches: int = 0
    fail_under: float | None = None
    """The smallest share of the points that passes; if None, only a better bot passes."""

    @property
    def has_passed(self) -> bool:
        """Whether the new bot is better or, with `fail_under`, scores enough."""
        if self.fail_under is None:
            return self.decision == SprtDecision.BETTER
        return self.score is not None and self.score.share >= self.fail_under

    @property
    def exit_code(self) -> int:
        """0 if the new bot has passed, else 1, as continuous integration expects."""
        return 0 if self.has_passed else 1

    @property
    def ratio(self) -> float:
        """The log likelihood ratio; beyond the bounds, the test is decided."""
        return self.test.ratio(self.counts) if any(self.counts) else 0.0

    @property
    def score(self) -> BlockScore | None:
        """The new bot's share of the points."""
        return score_of(self.counts)

    @property
    def elo(self) -> NormalizedElo | None:
        """The new bot's lead; None while all blocks ended alike, since they have no deviation."""
        is_varied = sum(count > 0 for count in self.counts) > 1
        return normalized_elo(self.counts) if is_varied else None

    def __str__(self) -> str:
        """Return the state of the test in one line."""
        lower, upper = self.test.bounds
        score = describe_score(self.score)
        return f"{self.new} {score} · LLR {self.ratio:+.2f} ({lower:.2f} to {upper:.2f})"


def show_comparison(comparison: Comparison, **more: Any) -> None:
    """Print the result of a test."""
    lower, upper = comparison.test.bounds
    sentence = _SENTENCES[comparison.decision]
    print_text(sentence.format(new=comparison.new, old=comparison.old))
    print_text(f"score: {describe_score(comparison.score)}")
    if (elo := comparison.elo) is not None:
        print_text(f"normalized Elo: {elo.elo:+.0f} ± {elo.error:.0f}")
    ratio = f"{comparison.ratio:+.2f}"
    print_text(f"log likelihood ratio: {ratio}, decided at {lower:.2f} and {upper:.2f}")
    print_text(f"blocks by points of {comparison.new}: {_cells(comparison)}")
    if comparison.fail_under is not None:
        verdict = "enough" if comparison.has_passed else "too little"
        print_text(f"--fail-under {comparison.fail_under:g}: {verdict}")
    for name, value in more.items():
        print_text(f"{name}: {value}")


def print_comparison(comparison: Comparison, **more: Any) -> None:
    """Print the result of a test as JSON."""
    score, (lower, upper) = comparison.score, comparison.test.bounds
    elo = comparison.elo
    print_json(
        {
            "new": comparison.new,
            "old": comparison.old,
            "decision": comparison.decision.value,
            "null": comparison.test.null,
            "alternative": comparison.test.alternative,
            "ratio": round(comparison.ratio, 4),
            "bounds": [round(lower, 4), round(upper, 4)],
            "counts": list(comparison.counts),
            "blocks": sum(comparison.counts),
            "matches": comparison.matches,
            "repeats": comparison.repeats,
            "share": None if score is None else round(score.share, 4),
            "low": None if score is None else round(score.low, 4),
            "high": None if score is None else round(score.high, 4),
            "normalized_elo": None if elo is None else round(elo.elo, 1),
            "normalized_elo_error": None if elo is None else round(elo.error, 1),
            "fail_under": comparison.fail_under,
            "passed": comparison.has_passed,
            **more,
        }
    )


def _cells(comparison: Comparison) -> str:
    return ", ".join(
        f"{half / 2:g}: {count}" for half, count in enumerate(comparison.counts) if count
    )
