"""How long tests wait for what must happen."""

PATIENCE_S = 240.0
"""How long tests wait, even on the busiest machine. A test whose subject comes to pass goes on at
once, so this is only how long a failure takes; no test compares a time with it."""
