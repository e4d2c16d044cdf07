"""Picking the best of several images: a fifth protocol, complete in this folder."""
