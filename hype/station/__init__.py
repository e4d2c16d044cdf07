"""The station: window, frames, screens and keys. The only package that imports PsychoPy."""
