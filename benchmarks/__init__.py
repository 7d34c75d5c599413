"""Benchmarks: ours against the best loop written by hand, and against what people use. See docs/performance.md."""
