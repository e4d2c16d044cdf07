"""A standing leaderboard: what scores say of models, kept from one day to the next, as a site."""
