"""HYPE: single images, flashed or without a time limit, real or fake (Zhou et al. 2019)."""
