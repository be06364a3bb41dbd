"""Tags for what the owner of a bot is told about a match."""

from django import template

from pentathlon.replays.explained_text import figure as write_figure
from pentathlon.replays.explained_text import line_as_text
from pentathlon.replays.explanations import Explanation
from pentathlon.web.charts import TurnChart, turn_chart
from pentathlon.web.templatetags.formats import size
from pentathlon_engines.match.traces import TraceLine

register = template.Library()


@register.filter
def figure(value: float, unit: str) -> str:
    """Write a figure with its unit, bytes in the unit a person would use."""
    return size(round(value)) if unit == "bytes" else f"{write_figure(value, unit)} {unit}"


@register.filter
def line_text(line: TraceLine) -> str:
    """Write a line of the protocol with its direction."""
    return line_as_text(line)


@register.simple_tag
def drawn_turns(told: Explanation) -> TurnChart | None:
    """Draw the CPU times of a bot's requests."""
    return turn_chart(told.turns, limit_ms=round(1000 * told.record["limits"]["action_cpu_s"]))
