"""Ours against those who answer the same questions for a living.

`cases/` has one question a file: what it is asked of, our way, and everybody else's beside it; `who.py` says who they
are. `measure.py` compares their answers and times them, each in a process of its own (`worker.py`). `run.py` goes over
the cases and keeps what was found, and `page.py` and `pictures.py` make docs/performance.md from it.
"""
