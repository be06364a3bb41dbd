"""Positions of Tash-Kalar as JSON, written and read."""
