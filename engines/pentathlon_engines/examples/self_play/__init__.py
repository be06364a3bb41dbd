"""A policy that learns by playing against itself."""
