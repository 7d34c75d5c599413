"""Shortest paths: a sum in the semiring min_plus, repeated until nothing changes.

In min_plus a product adds lengths and a sum takes the shortest. One step from every place that has been reached is
one product; roads of length 0 from each place to itself keep what is known already.
"""

import heapq

import skipstone as sk

ROADS = [
    ("Bern", "Zürich", 124), ("Bern", "Basel", 97), ("Bern", "Lausanne", 102), ("Lausanne", "Genf", 64),
    ("Zürich", "Basel", 86), ("Zürich", "Chur", 120), ("Zürich", "Luzern", 53), ("Luzern", "Bern", 111),
    ("Luzern", "Altdorf", 42), ("Altdorf", "Bellinzona", 108), ("Chur", "Bellinzona", 118),
    ("Bellinzona", "Lugano", 30), ("Lausanne", "Sion", 94), ("Sion", "Brig", 54),
]  # fmt: skip  # kilometres by road, roughly
places = sorted({place for road in ROADS for place in road[:2]})
all_roads = ROADS + [(y, x, km) for x, y, km in ROADS] + [(x, x, 0) for x in places]
start, end, km = zip(*all_roads, strict=True)
roads = sk.table({"from": start, "to": end, "km": km}, value="km", name="roads")

x, y = sk.axes("x y")
reached, rounds = sk.table({"to": ["Bern"], "km": [0]}, value="km"), 0
while True:
    further = (reached[x] * roads[x, y]).sum(x, semiring=sk.min_plus).collect()
    rounds += 1
    if further.to_dict() == reached.to_dict():
        break
    reached = further


def dijkstra(source):
    """The same with a heap."""
    done, queue = {}, [(0, source)]
    while queue:
        far, place = heapq.heappop(queue)
        if place not in done:
            done[place] = far
            for near, to, length in all_roads:
                if near == place:
                    heapq.heappush(queue, (far + length, to))
    return done


assert reached.to_dict() == dijkstra("Bern")
print(f"from Bern, after {rounds} rounds:")
for place, far in sorted(reached.to_dict().items(), key=lambda item: item[1]):
    print(f"{far:5} km  {place}")
