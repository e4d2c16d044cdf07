"""Reward models: trained on people's choices, held against other people, and what they may claim."""
