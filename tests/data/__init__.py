"""Queries over real data sets, compared with published answers."""
