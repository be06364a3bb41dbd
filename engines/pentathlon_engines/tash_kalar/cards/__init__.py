"""The cards of Tash-Kalar: deck files, patterns, and the programs of their effects."""
