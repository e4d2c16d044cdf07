"""Can the conditions be told apart: tests over evaluators, with equal variances and without."""
