"""Planning a study: how many evaluators, or comparisons, it takes to tell two conditions apart."""
