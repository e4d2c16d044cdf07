"""Planning a study: how surely it tells two conditions apart, and how many people that takes."""
