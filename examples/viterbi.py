"""Viterbi: the dishonest casino. Which rolls were made with the loaded die?

The dealer has a fair die and one that shows a six every other time, and changes between them now and then. The most
likely story is the best path through a chain of states: sums in max_plus, where a product adds logarithms and a sum
takes the largest.
"""

from math import log

import numpy as np

import skipstone as sk

KEEP = {("fair", "fair"): 0.95, ("fair", "loaded"): 0.05, ("loaded", "fair"): 0.1, ("loaded", "loaded"): 0.9}
SHOWS = {("fair", face): 1 / 6 for face in range(1, 7)}
SHOWS |= {("loaded", face): 0.1 if face < 6 else 0.5 for face in range(1, 7)}
STATES = ("fair", "loaded")

random = np.random.default_rng(0)
truth, rolls = ["fair"], []
for _ in range(60):
    rolls.append(int(random.choice(6, p=[SHOWS[truth[-1], face] for face in range(1, 7)])) + 1)
    truth.append(str(random.choice(STATES, p=[KEEP[truth[-1], s] for s in STATES])))


def logarithms(chances, *names):
    left, right = zip(*chances, strict=True)
    return sk.table({names[0]: left, names[1]: right, "log": [log(p) for p in chances.values()]}, value="log")


def most_likely(table):
    scores = table.to_dict()
    return max(scores, key=scores.get)


goes, shows = logarithms(KEEP, "s", "t"), logarithms(SHOWS, "s", "face")
s, t = sk.axes("s t")
forward = [sk.table({"s": STATES, "log": [log(0.5)] * 2}, value="log")]
for roll in rolls:  # the best story that ends in state t after this roll
    forward.append((forward[-1][s] * shows[s, roll] * goes[s, t]).sum(s, semiring=sk.max_plus).collect())
best = forward[-1][t].sum(semiring=sk.max_plus).collect()

story, state = [], most_likely(forward[-1])
for n in reversed(range(len(rolls))):  # back along the steps that made the best
    came = (forward[n][s] * shows[s, rolls[n]] * goes[s, t] * (t == state)).sum(t, semiring=sk.max_plus)
    state = most_likely(came.collect())
    story.append(state)
story.reverse()

plain = dict.fromkeys(STATES, log(0.5))  # the same with dicts
for roll in rolls:
    plain = {y: max(plain[x] + log(SHOWS[x, roll]) + log(KEEP[x, y]) for x in STATES) for y in STATES}
assert abs(best - max(plain.values())) < 1e-9

print("rolls  ", "".join(map(str, rolls)))
print("die    ", "".join(x[0].upper() for x in truth[:-1]))
print("viterbi", "".join(x[0].upper() for x in story))
right = sum(x == y for x, y in zip(story, truth, strict=False))
print(f"{right} of {len(rolls)} right; the logarithm of the best story's chance is {best:.3f}")
