"""Pictures of Tash-Kalar."""

from pentathlon_engines.tash_kalar.drawing.picture import svg, text

__all__ = ["svg", "text"]
