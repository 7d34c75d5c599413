"""Sparse linear algebra: the temperature of a plate, by conjugate gradients.

A plate of 40 × 40 points is held at 0 along its edge and heated in its middle. Each point's temperature is the mean of
its four neighbours' and of what heats it: a system of 1,600 equations, with at most five unknowns each.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

import skipstone as sk

SIDE = 40
i, j = sk.axes("i j")


def plate():
    """The matrix as columns: 4 on the diagonal, -1 for each pair of neighbours."""
    points = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    across = points[:, :-1].ravel(), points[:, 1:].ravel()
    down = points[:-1].ravel(), points[1:].ravel()
    rows = np.concatenate([points.ravel(), *across, *down])
    columns = np.concatenate([points.ravel(), *across[::-1], *down[::-1]])
    return {"i": rows, "j": columns, "v": np.where(rows == columns, 4.0, -1.0)}


def vector(values):
    return sk.table({"i": np.arange(values.size), "v": values}, value="v")


def conjugate_gradient(matrix, b):
    """x with matrix · x = b, and how many steps it took. Each step is one pass over the matrix."""
    x, r = np.zeros_like(b), b.copy()
    p, old, steps = r.copy(), r @ r, 0
    while old > 1e-20:
        along = vector(p)
        step = (matrix[i, j] * along[j]).sum(j).collect(into=np.ndarray)  # the matrix times a vector
        bend = sk.sum(along[i] * matrix[i, j] * along[j]).collect()  # and between two of them
        x, r = x + old / bend * p, r - old / bend * step
        new = r @ r
        p, old, steps = r + new / old * p, new, steps + 1
    return x, steps


columns = plate()
heat = np.zeros(SIDE * SIDE)
heat[SIDE * SIDE // 2 + SIDE // 2] = 100.0
temperature, steps = conjugate_gradient(sk.table(columns, value="v", name="plate"), heat)

exact = spsolve(coo_array((columns["v"], (columns["i"], columns["j"]))).tocsr(), heat)
assert np.allclose(temperature, exact, atol=1e-8) and steps < 200

print(f"{len(columns['v']):,} entries, solved in less than 200 steps; SciPy's direct solution agrees")
for row in temperature.reshape(SIDE, SIDE)[2::5]:
    print("".join(f"{t:6.1f}" for t in row[2::5]))
