"""Planning a study: simulated evaluators of two conditions whose true scores differ by so much."""
