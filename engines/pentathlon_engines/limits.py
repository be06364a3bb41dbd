"""What one bot may use during one match."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds for one bot process in one match; times in seconds, sizes in MiB or bytes.

    Thinking time is judged by the bot's own CPU clock; the wall clock is a backstop for bots
    that sleep or wait.
    """

    startup_wall_s: float = 5.0
    action_cpu_s: float = 1.0
    action_wall_s: float = 3.0
    match_cpu_s: float = 20.0
    memory_mb: int = 256
    scratch_mb: int = 16
    scratch_files: int = 1024
    open_files: int = 64
    tasks: int = 16
    line_bytes: int = 64 * 1024
    stdout_bytes: int = 8 * 1024 * 1024
    stderr_bytes: int = 1024 * 1024
    stderr_keep_bytes: int = 64 * 1024

    def to_json(self) -> dict[str, float | int]:
        """Return the limits by field name; whole numbers as ints, so that JSON has one form."""
        return {
            name: int(value) if value == int(value) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: dict[str, float | int]) -> Limits:
        """Read limits back; missing fields take their default, unknown ones raise `ValueError`."""
        known = {field.name: field.type for field in fields(cls)}
        unknown = sorted(set(data) - set(known))
        if unknown:
            raise ValueError(f"unknown limits: {', '.join(unknown)}; known: {', '.join(known)}")
        return cls(**data)  # type: ignore[arg-type]  # the values are checked where they enter
