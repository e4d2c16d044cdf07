"""The figures of a report: one module each, from results to axes."""

from hype.protocols.hype.figures.catalogue import drawings, timing_drawings

__all__ = ["drawings", "timing_drawings"]
