"""Payments among people and shops, made up, with rings hidden in them: the data of payments.toml.

    python -m skipstone.demo.payments DIRECTORY

Shops are paid by many and pay many back, so that almost any two people are two steps apart; amounts have a long tail.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

PEOPLE, SHOPS, TRANSFERS, DAYS = 20_000, 200, 300_000, 90
RINGS = {3: 8, 4: 5}  # how many, by length


def make(directory: Path, seed: int = 7) -> list[tuple[str, ...]]:
    """Write transfers, accounts and the pipeline into a directory; the rings that are hidden in them."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    random = np.random.default_rng(seed)
    names = np.array([f"person-{n:05}" for n in range(PEOPLE)] + [f"shop-{n:03}" for n in range(SHOPS)])
    payer, payee = random.integers(0, PEOPLE, TRANSFERS), random.integers(0, PEOPLE, TRANSFERS)
    at_shop = PEOPLE + (SHOPS * random.random(TRANSFERS) ** 3).astype(np.int64)  # the first shops have most customers
    kind = random.random(TRANSFERS)
    payee = np.where(kind < 0.6, at_shop, payee)
    payer = np.where(kind > 0.95, at_shop, payer)
    amounts = np.round(np.exp(random.normal(4.0, 1.6, TRANSFERS)), 2)
    days = random.integers(0, DAYS, TRANSFERS)
    rings = [random.choice(PEOPLE, length, replace=False) for length, n in RINGS.items() for _ in range(n)]
    rings.append(np.array([rings[0][0], rings[1][1], rings[2][2]]))  # some people are in several
    for ring in rings:
        when = np.sort(random.choice(DAYS, ring.size, replace=False))
        payer, payee = np.append(payer, ring), np.append(payee, np.roll(ring, -1))
        days, amounts = np.append(days, when), np.append(amounts, np.round(random.uniform(9_000, 9_999, ring.size), 2))
    keep = payer != payee
    order = random.permutation(np.flatnonzero(keep))
    day = np.datetime64("2026-01-01") + days.astype("timedelta64[D]")
    columns: dict[str, Any] = {"payer": names[payer], "payee": names[payee], "day": day, "amount": amounts}
    directory.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({k: v[order] for k, v in columns.items()}), directory / "transfers.parquet")
    kinds = ["person"] * PEOPLE + ["shop"] * SHOPS
    parquet.write_table(pa.table({"account": names, "kind": kinds}), directory / "accounts.parquet")
    shutil.copyfile(Path(__file__).with_name("payments.toml"), directory / "payments.toml")
    return [tuple(names[ring].tolist()) for ring in rings]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m skipstone.demo.payments DIRECTORY")
    hidden = make(Path(sys.argv[1]))
    print(f"{sys.argv[1]}: transfers.parquet with {len(hidden)} rings in it, accounts.parquet, payments.toml")
