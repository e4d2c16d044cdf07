"""Comparisons, which of two: from votes to win rates, strengths and what stands beside them."""
