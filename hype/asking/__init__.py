"""Ask automated judges the questions of a study, over the network."""
