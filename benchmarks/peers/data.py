"""What the queries are asked of: published graphs and tables, and random ones from a fixed seed. Plain columns."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

Columns = dict[str, Any]

ROOT = Path(os.environ.get("SKIPSTONE_DATA", Path(__file__).parents[3] / "shared" / "data"))


def once(src: Any, dst: Any) -> Columns:
    """Every edge once, from the smaller to the larger node, sorted, without loops."""
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst).astype(np.int64)
    nodes = int(high.max()) + 1
    edges = np.unique((low * nodes + high)[low != high])
    return {"src": edges // nodes, "dst": edges % nodes}


def by_degree(graph: Columns) -> Columns:
    """The same graph, its nodes numbered by degree: every edge goes to the node that has more."""
    src, dst = graph["src"], graph["dst"]
    degree = np.bincount(np.concatenate([src, dst]))
    rank = np.empty(degree.size, np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(degree.size)
    return once(rank[src], rank[dst])


def shuffled(graph: Columns, seed: int = 7) -> Columns:
    """The same graph, its nodes numbered at random."""
    number = np.random.default_rng(seed).permutation(int(graph["dst"].max()) + 1)
    return once(number[graph["src"]], number[graph["dst"]])


def graph(name: str) -> Columns:
    """A graph by its name: RMAT, or one of SNAP's."""
    return rmat() if name == "RMAT, 1M edges" else snap(name)


def orders(*names: str) -> dict[str, Callable[[], Columns]]:
    """These graphs in three orders of their nodes: as they came, by degree, and at random."""
    found: dict[str, Callable[[], Columns]] = {}
    for name in names:
        found[f"{name}, order of the ids"] = partial(graph, name)
        found[f"{name}, order of degree"] = lambda name=name: by_degree(graph(name))
        found[f"{name}, random order"] = lambda name=name: shuffled(graph(name))
    return found


def both_ways(graph: Columns) -> Columns:
    src, dst = graph["src"], graph["dst"]
    return {"src": np.concatenate([src, dst]), "dst": np.concatenate([dst, src])}


@cache
def snap(name: str) -> Columns:
    found = parquet.read_table(ROOT / f"snap_{name}" / "edges.parquet")
    return once(found["src"].to_numpy(), found["dst"].to_numpy())


@cache
def rmat(scale: int = 17, edges: int = 1_000_000, seed: int = 1) -> Columns:
    """A graph with few nodes of many edges: each bit of an edge falls into a quadrant, .57, .19, .19 or .05."""
    rng = np.random.default_rng(seed)
    drawn = edges * 2
    src, dst = np.zeros(drawn, np.int64), np.zeros(drawn, np.int64)
    for _ in range(scale):
        chance = rng.random(drawn)
        src = 2 * src + (chance >= 0.76)
        dst = 2 * dst + (((chance >= 0.57) & (chance < 0.76)) | (chance >= 0.95))
    found = once(src, dst)
    chosen = np.sort(rng.permutation(found["src"].size)[:edges])
    return {name: column[chosen] for name, column in found.items()}


@cache
def triples(name: str) -> Columns:
    """What is trained on: head, relation, tail."""
    found = parquet.read_table(ROOT / f"kg_{name}" / "triples.parquet")
    train = found.filter(pc.equal(found["split"].cast(pa.string()), "train"))
    return {c: train[c].to_numpy().astype(np.int64) for c in ("h", "r", "t")}


# ---------------------------------------------------------------------- matrices and tensors


def matrix(size: int, a_row: int, seed: int = 2) -> Columns:
    """A square sparse matrix with about so many entries a row, all of them positive."""
    rng = np.random.default_rng(seed)
    cells = np.unique(rng.integers(0, size, size * a_row) + np.repeat(np.arange(size), a_row) * size)
    return {"i": cells // size, "j": cells % size, "x": rng.random(cells.size) + 0.5, "size": size}


def weighted(graph: Columns, seed: int = 3) -> Columns:
    """A graph as a matrix, with positive weights."""
    values = np.random.default_rng(seed).random(graph["src"].size) + 0.5
    return {"i": graph["src"], "j": graph["dst"], "x": values, "size": int(graph["dst"].max()) + 1}


def sampled(size: int, a_row: int, rank: int, seed: int = 4) -> Columns:
    """A sparse matrix, and two dense ones of `rank` columns."""
    rng = np.random.default_rng(seed)
    return {**matrix(size, a_row, seed), "U": rng.random((size, rank)) + 0.5, "V": rng.random((size, rank)) + 0.5}


def overlapping(size: int, cells: int, entries: int, fewer: int = 0, seed: int = 11) -> Columns:
    """Sparse matrices A, B, C and D with entries drawn from the same cells; `fewer` is for A and D."""
    rng = np.random.default_rng(seed)
    drawn = np.unique(rng.integers(0, size * size, cells))
    found: Columns = {}
    for name in "ABCD":
        count = min(fewer if fewer and name in "AD" else entries, drawn.size)
        chosen = np.sort(rng.choice(drawn, count, replace=False))
        found[name] = {"i": chosen // size, "j": chosen % size, "x": rng.random(count) + 0.5, "size": size}
    return found


def distances(matrix: Columns, seed: int = 12) -> Columns:
    """The matrix, and a distance for each of its rows."""
    return {**matrix, "d": np.random.default_rng(seed).random(matrix["size"]) * 10}


def tensor(size: int, entries: int, rank: int, seed: int = 5) -> Columns:
    """A sparse tensor of three axes, and two dense matrices of `rank` columns."""
    rng = np.random.default_rng(seed)
    cells = np.unique(rng.integers(0, size**3, entries))
    keys = {"i": cells // size**2, "j": cells // size % size, "k": cells % size}
    factors = {"C": rng.random((size, rank)) + 0.5, "D": rng.random((size, rank)) + 0.5}
    return {**keys, "x": rng.random(cells.size) + 0.5, **factors, "size": size}


def many(tables: int, rows: int, keys: int, seed: int = 6) -> Columns:
    """Tables of random pairs: R0, R1, …"""
    rng = np.random.default_rng(seed)
    drawn = [np.unique(rng.integers(0, keys * keys, rows)) for _ in range(tables)]
    return {f"R{n}": {"src": cells // keys, "dst": cells % keys} for n, cells in enumerate(drawn)}


# ---------------------------------------------------------------------- vectors, sets, names


def arrays(size: int, seed: int = 8) -> Columns:
    rng = np.random.default_rng(seed)
    return {name: rng.random(size) for name in "abc"}


def vectors(sizes: tuple[int, ...], of: int, seed: int = 9) -> Columns:
    """Three sparse vectors a, b and c of so many keys, in order."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: {"keys": np.sort(rng.choice(of, n, replace=False)), "values": rng.random(n) + 0.5}
        for name, n in zip("abc", sizes, strict=True)
    }
    return {**drawn, "size": of}


def set_and_dict(members: int, keys: int, of: int, seed: int = 10) -> Columns:
    rng = np.random.default_rng(seed)
    return {
        "members": np.sort(rng.choice(of, members, replace=False)),
        "keys": np.sort(rng.choice(of, keys, replace=False)),
        "values": rng.random(keys),
    }


def payments(rows: int, people: int, cities: int, seed: int = 13) -> Columns:
    """Who paid how much on which day, and who lives where."""
    rng = np.random.default_rng(seed)
    who, day = rng.integers(0, people, rows), rng.integers(0, 365, rows)
    lives = {"who": rng.permutation(people), "city": rng.integers(0, cities, people)}
    return {"paid": {"who": who, "day": day, "price": rng.random(rows) + 0.5}, "lives": lives}


def hard(rows: int) -> Columns:
    """The skewed instance of Ngo, Ré and Rudra: 0 with everybody, and everybody with 0."""
    half = rows // 2
    first, second = np.arange(half), np.arange(1, rows - half + 1)
    return {
        "src": np.concatenate([np.zeros(half, np.int64), second]),
        "dst": np.concatenate([first, np.zeros(second.size, np.int64)]),
    }


def names(how: str, rows: int, different: int = 0) -> Columns:
    """R(a, b), S(b, c) and T(a, c) of names: drawn evenly, by Zipf's law, or the hard instance."""
    from skipstone.bench import relations

    tables = (
        relations.hard(rows) if how == "hard" else relations.zipf(rows, different, 0.0 if how == "uniform" else 1.0)
    )
    return {
        name: dict(zip(columns, map(list, zip(*pairs, strict=True)), strict=True))
        for name, columns, pairs in zip("RST", ("ab", "bc", "ac"), tables, strict=True)
    }


# ---------------------------------------------------------------------- TPC-H

TPCH = {  # the columns that Q5 and Q9 look at
    "lineitem": "l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount",
    "orders": "o_orderkey o_custkey o_orderdate",
    "customer": "c_custkey c_nationkey",
    "supplier": "s_suppkey s_nationkey",
    "part": "p_partkey p_name",
    "partsupp": "ps_partkey ps_suppkey ps_supplycost",
    "nation": "n_nationkey n_name n_regionkey",
    "region": "r_regionkey r_name",
}
SHIFTED = ("orderkey", "partkey", "suppkey", "custkey")  # keys that each copy has of its own


def tpch(copies: int = 1) -> Columns:
    """The tables at scale 0.01, decimals as floats; `copies` of them with keys of their own, to have more rows."""
    found = {
        name: parquet.read_table(ROOT / "tpch_sf0.01" / f"{name}.parquet", columns=c.split())
        for name, c in TPCH.items()
    }
    largest: dict[str, int] = {}
    for table in found.values():
        for name in table.column_names:
            key = name.partition("_")[2]
            if key in SHIFTED:
                largest[key] = max(largest.get(key, 0), pc.max(table[name]).as_py())
    return {
        name: enlarged(plain(table), largest, 1 if name in ("nation", "region") else copies)
        for name, table in found.items()
    }


def plain(table: Any) -> Any:
    """Decimals as floats, string views as strings."""
    for n, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(n, field.name, table.column(n).cast(pa.float64()))
        elif pa.types.is_string_view(field.type):
            table = table.set_column(n, field.name, table.column(n).cast(pa.string()))
    return table


def enlarged(table: Any, largest: dict[str, int], copies: int) -> Any:
    parts = []
    for copy in range(copies):
        part = table
        for n, name in enumerate(table.column_names):
            if (key := name.partition("_")[2]) in largest:
                part = part.set_column(n, name, pc.add(part.column(n), copy * largest[key]))
        parts.append(part)
    return pa.concat_tables(parts).combine_chunks()


# ---------------------------------------------------------------------- LSQB

LSQB = {  # relation: the names of its two columns here, and the files and columns that hold it
    "knows": ("person1 person2", "Person_knows_Person Person1Id Person2Id"),
    "city": ("person city", "Person PersonId isLocatedIn_CityId"),
    "country": ("city country", "City CityId isPartOf_CountryId"),
    "member": ("forum person", "Forum_hasMember_Person ForumId PersonId"),
    "container": ("post forum", "Post PostId Forum_containerOfId"),
    "post_creator": ("post person", "Post PostId hasCreator_PersonId"),
    "comment_creator": ("comment person", "Comment CommentId hasCreator_PersonId"),
    "creator": ("message person", "Post PostId hasCreator_PersonId", "Comment CommentId hasCreator_PersonId"),
    "reply_to_post": ("comment post", "Comment CommentId replyOf_PostId"),
    "reply": ("comment message", "Comment CommentId replyOf_PostId", "Comment CommentId replyOf_CommentId"),
    "comment_tag": ("comment tag", "Comment_hasTag_Tag CommentId TagId"),
    "tag": ("message tag", "Post_hasTag_Tag PostId TagId", "Comment_hasTag_Tag CommentId TagId"),
    "tag_class": ("tag kind", "Tag TagId hasType_TagClassId"),
    "interest": ("person tag", "Person_hasInterest_Tag PersonId TagId"),
    "likes": ("person message", "Person_likes_Post PersonId PostId", "Person_likes_Comment PersonId CommentId"),
}


def lsqb(scale: str) -> Columns:
    """Its relations, of two columns each, without the rows that lack one: a comment replies to a post or a comment."""
    found: Columns = {}
    for name, (columns, *sources) in LSQB.items():
        parts = []
        for source in sources:
            file, *keys = source.split()
            part = parquet.read_table(ROOT / f"lsqb_{scale}" / f"{file}.parquet", columns=keys)
            parts.append(part.select(keys).rename_columns(columns.split()).drop_null())
        found[name] = pa.concat_tables(parts).combine_chunks()
    return found
