"""A mixed-effects logistic model with crossed effects of evaluators and images."""
