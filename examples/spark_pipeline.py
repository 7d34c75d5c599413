"""A Spark pipeline: rings of payments, three people who pay each other round and round.

The tables are Spark DataFrames (here made in memory; from Parquet or the catalog with `sk.spark.table`). The expression
runs inside of Spark's tasks, and its result is a DataFrame that goes on in Spark. Needs the extra `spark`.
"""

import numpy as np

import skipstone as sk

random = np.random.default_rng(8)
PEOPLE, PAYMENTS = 1_000, 6_000
payer, payee = (PEOPLE * random.random((2, PAYMENTS)) ** 2).astype(int)  # some pay and are paid a lot
amount = random.integers(1, 1_000, PAYMENTS)
rows = [(f"p{a:03}", f"p{b:03}", int(n)) for a, b, n in zip(payer, payee, amount, strict=True) if a != b]

spark = sk.spark.session("local[2,4]")
frame = spark.createDataFrame(rows, "payer string, payee string, amount long")
large = sk.table(frame.where("amount >= 500"), keys=["payer", "payee"], name="large")  # what Spark does well, in Spark

a, b, c = sk.axes("a b c")
rings = (large[a, b] * large[b, c] * large[c, a] * (a < b) * (a < c)).collect()  # a DataFrame: a, b, c, value
people = rings.selectExpr("explode(array(a, b, c)) as who").groupBy("who").count()

pairs = {(x, y) for x, y, n in rows if n >= 500}  # the same with sets
pays = {x: {y for one, y in pairs if one == x} for x, _ in pairs}
plain = {(x, y, z) for x, y in pairs for z in pays.get(y, ()) if (z, x) in pairs and x < y and x < z}
assert {(r["a"], r["b"], r["c"]) for r in rings.collect()} == plain

print(f"{len(pairs):,} pairs with large payments, {len(plain):,} rings of three")
for row in people.orderBy("count", ascending=False).limit(3).collect():
    print(f"{row['who']} is in {row['count']}")
spark.stop()
