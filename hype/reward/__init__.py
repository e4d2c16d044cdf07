"""Reward models: trained on people's choices, and what they may claim."""
