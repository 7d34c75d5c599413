"""Dataflow analysis: which variables are live before each line of a program.

A variable is *live* where its value may still be read: it is read here, or live after this line and not assigned by it.
Compilers ask this to share registers. The two equations are two expressions, repeated until nothing changes.
"""

import re

import skipstone as sk

PROGRAM = """\
 1  low = 0                     ; -> 2
 2  high = len(xs)              ; -> 3
 3  if low >= high              ; -> 4 9
 4  mid = (low + high) // 2     ; -> 5
 5  probe = xs[mid]             ; -> 6
 6  if probe < key              ; -> 7 8
 7  low = mid + 1               ; -> 3
 8  high = mid                  ; -> 3
 9  return low                  ; ->
"""
NAMES = ("low", "high", "mid", "probe", "xs", "key")
lines, assigns, reads, leads = {}, [], [], []
for text in PROGRAM.splitlines():
    code, _, after = text.partition("; ->")
    n, left, equals, right = int(code[:3]), *code[3:].strip().partition(" = ")
    lines[n] = code[3:].rstrip()
    assigns += [(n, left)] if equals else []
    read = re.findall(r"\w+", right if equals else left)
    reads += [(n, name) for name in NAMES if name in read]
    leads += [(n, int(m)) for m in after.split()]


def pairs(rows, *names):
    return sk.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


# A row with any value is a row: what counts is which rows there are.
R, A, L = pairs(reads, "n", "v"), pairs(assigns, "n", "v"), pairs(leads, "n", "m")
n, m, v = sk.axes("n m v")
live, rounds = R, 0
while True:
    after = (L[n, m] * live[m, v]).any(m)
    now = (R[n, v] + after * ~A[n, v]).collect()
    rounds += 1
    if len(now) == len(live):
        break
    live = now

checked, before = {k: set() for k in lines}, None  # the same with sets
while checked != before:
    before = {k: set(s) for k, s in checked.items()}
    for k in reversed(lines):
        out = set().union(*(checked[b] for a, b in leads if a == k))
        checked[k] = {x for a, x in reads if a == k} | (out - {x for a, x in assigns if a == k})
assert set(live.to_dict()) == {(k, x) for k, found in checked.items() for x in found}

print(f"live before each line, after {rounds} rounds:")
for k, code in lines.items():
    print(f"{k:2}  {code:<26} {', '.join(sorted(x for line, x in live.to_dict() if line == k))}")
