"""The protocols: pure, without a display, a file or a clock of their own."""
