"""Queries against peers: the same answers from DuckDB, Polars, Kùzu, SuiteSparse, igraph, SciPy and opt_einsum."""
