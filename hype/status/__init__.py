"""How far a study is: what the views of all protocols share."""
