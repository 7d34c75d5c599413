"""Reachability: who depends on whom, directly or through others.

Only what was new in the last round is carried on (*semi-naive* evaluation): each round joins those pairs with the
direct ones, and `~` leaves out what is known already.
"""

import numpy as np

import skipstone as sk

random = np.random.default_rng(5)
MODULES, IMPORTS = 300, 700
user, used = np.sort(random.integers(0, MODULES, (2, IMPORTS)), axis=0)
user, used = user[user != used], used[user != used]
names = np.array([f"m{n:03}" for n in range(MODULES)])
direct = sk.table({"user": names[user], "used": names[used]}, name="direct")

a, b, c = sk.axes("a b c")
known = new = direct
sizes = [len(direct)]
while len(new):
    new = ((new[a, b] * direct[b, c]).any(b) * ~known[a, c]).collect()
    known = (known[a, c] + new[a, c]).collect()
    sizes.append(len(known))

uses = {}  # the same, depth first
for x, y in zip(names[user].tolist(), names[used].tolist(), strict=True):
    uses.setdefault(x, set()).add(y)


def everything_below(module, seen):
    for below in uses.get(module, set()) - seen:
        seen.add(below)
        everything_below(below, seen)
    return seen


assert set(known.to_dict()) == {(x, y) for x in uses for y in everything_below(x, set())}
print("pairs by round:", " → ".join(f"{n:,}" for n in sizes))
most = sorted(known[a, b].count(b).collect().to_dict().items(), key=lambda item: (-item[1], item[0]))[:3]
print("depend on most:", ", ".join(f"{module} ({n})" for module, n in most))
needed, said = (len(sk.query('n(a) = T(a, "m290")', T=table)) for table in (known, direct))
print(f"m290 is needed by {needed} modules, {said} of which say so themselves")
