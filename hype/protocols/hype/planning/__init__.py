"""Planning a study: how many evaluators it takes to tell two conditions apart."""
