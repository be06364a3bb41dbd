"""Tags for the explanation of a match that the owner of a bot sees."""

from django import template

from pentathlon.matches.replays.explanations import Explanation, line_as_text
from pentathlon.matches.replays.explanations import figure as write_figure
from pentathlon.web.drawing.charts import TurnChart, turn_chart
from pentathlon.web.templatetags.formats import size
from pentathlon_engines.match.traces import TraceLine

register = template.Library()


@register.filter
def figure(value: float, unit: str) -> str:
    """Write a number with its unit, bytes in a readable one."""
    return size(round(value)) if unit == "bytes" else f"{write_figure(value, unit)} {unit}"


@register.filter
def line_text(line: TraceLine) -> str:
    """Write a line of the protocol with its direction."""
    return line_as_text(line)


@register.simple_tag
def draw_turns(explanation: Explanation) -> TurnChart | None:
    """Draw the CPU times of a bot's requests."""
    return turn_chart(
        explanation.turns, limit_ms=round(1000 * explanation.record["limits"]["action_cpu_s"])
    )
