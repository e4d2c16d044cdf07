"""Sessions in browsers, which show the steps and send the answers, for all protocols."""
