"""Picking the best of several images: a fifth protocol, all of it in this folder."""
