"""How long tests wait for what must happen."""

PATIENCE_S = 240.0
"""On a machine however busy. A test whose subject comes to pass goes on at once, so this is only
how long a failure takes; it is no bound that a test compares a time with."""
