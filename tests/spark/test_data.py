"""The data sets with published answers, on Spark: the queries of tests/data that take seconds."""

import pytest

import skipstone as sk
from skipstone.notation import Access, rebound

from ..data import test_emptyheaded as emptyheaded
from ..data import test_knowledge_graphs as knowledge
from ..data import test_lsqb as lsqb
from ..data import test_matrices as matrices
from ..data import test_motifs as motifs
from ..data import test_relational as relational
from ..data import test_snap as snap
from ..data.reading import answers

pytestmark = pytest.mark.filterwarnings("ignore:.*without a key.*")


local = sk.table


def sent(spark, table):
    """A local table in Spark."""
    rows = table.to_arrow()
    valued = rows.column_names[len(table.keys) :]
    value = None if not valued else valued[0] if table.make is None else valued
    return local(spark.createDataFrame(rows), list(table.keys), value, name=table.name)


@pytest.fixture(scope="module")
def put(spark):
    """An expression over local tables, with these tables in Spark. Each is sent once."""
    made = {}

    def change(part, hidden):
        if not isinstance(part, Access):
            return None
        key = id(part.table)
        if key not in made:
            made[key] = part.table, sent(spark, part.table)  # the first is kept, so that no id is used twice
        return Access(made[key][1], part.places)

    return lambda expression: rebound(expression, change)


@pytest.fixture
def tables_are_in_spark(spark, monkeypatch):
    """What a test of local tables calls `sk.table` gives Spark tables."""
    monkeypatch.setattr(sk, "table", lambda *given, **options: sent(spark, local(*given, **options)))


@pytest.mark.parametrize("query", snap.QUERIES)
def test_patterns_in_one_graph(shared_data, put, query):
    directory = shared_data / "snap_email-Eu-core"
    key, make = snap.QUERIES[query]
    assert put(make(*snap.graph(directory))).collect() == answers(directory)[key]


@pytest.mark.parametrize("name", snap.GRAPHS)
def test_triangles_in_every_graph(shared_data, spark, name):
    directory = shared_data / f"snap_{name}"
    key, make = snap.QUERIES["directed_triangle"]
    E = sk.spark.table(directory / "edges.parquet", ["src", "dst"], name="E")
    with sk.spark.options(cells=4):
        assert make(E, None, None).collect() == answers(directory)[key]


@pytest.mark.parametrize("query", emptyheaded.GRAPH)
def test_emptyheaded_graph(shared_data, put, query):
    directory = shared_data / "emptyheaded_graph"
    E = emptyheaded.edges(directory, emptyheaded.FILES[query.rpartition(" ")[2]])
    assert put(emptyheaded.GRAPH[query](E)).collect() == answers(directory)[query]["duckdb"]


@pytest.fixture(scope="module")
def relations():
    return {}


@pytest.mark.parametrize("query", emptyheaded.LUBM)
def test_lubm_on_string_keys(shared_data, put, relations, query):
    directory = shared_data / "emptyheaded_lubm"
    relations = relations.setdefault("lubm", emptyheaded.Relations(directory))
    with sk.spark.options(cells=2):
        assert put(emptyheaded.LUBM[query](relations)).sum().collect() == answers(directory)[query]["duckdb"]


@pytest.mark.parametrize("query", knowledge.TRIANGLES, ids=["transitive", "cyclic"])
@pytest.mark.parametrize("name", knowledge.GRAPHS)
def test_typed_triangles(shared_data, put, name, query):
    directory = shared_data / f"kg_{name}"
    typed = put(knowledge.TRIANGLES[query](knowledge.triples(directory))).sum(knowledge.x, knowledge.y, knowledge.z)
    found = typed.collect(into=dict)
    assert [len(found), sum(found.values()), max(found.values())] == answers(directory)[query]


@pytest.mark.parametrize("query", lsqb.QUERIES)
def test_lsqb(shared_data, put, query):
    directory = shared_data / "lsqb_sf0.003"
    wanted = answers(directory)["answers"][query]["duckdb"]
    assert put(lsqb.QUERIES[query](lsqb.network(directory))).sum().collect() == wanted


@pytest.mark.parametrize("n", range(6))
def test_induced_motifs_of_four_nodes(shared_data, put, n):
    directory = shared_data / "citeseer_motifs"
    S, wanted = motifs.graph(directory), motifs.motif(directory, "4", n)
    there = {frozenset(edge) for edge in wanted["edges"]}
    pairs = list(motifs.combinations(range(4), 2))
    edges = [S[motifs.NODES[i], motifs.NODES[j]] for i, j in wanted["edges"]]
    absent = [~S[motifs.NODES[i], motifs.NODES[j]] for i, j in pairs if frozenset((i, j)) not in there]
    query = motifs.product(edges + absent + motifs.all_different(pairs))
    assert put(query).sum().collect() == wanted["vertex_induced_published"] * wanted["automorphisms"]


@pytest.mark.parametrize("query", relational.FLIGHTS)
def test_flights(shared_data, put, query):
    directory = shared_data / "nycflights13"
    wanted = answers(directory)["answers"][query]["duckdb"]
    assert put(relational.FLIGHTS[query](directory)).count().collect() == wanted


@pytest.mark.parametrize("test", [relational.test_tpch_q5, relational.test_tpch_q9], ids=["q5", "q9"])
def test_tpch(shared_data, tables_are_in_spark, test):
    test(shared_data)


@pytest.mark.parametrize("query", matrices.QCD)
def test_sums_of_products_of_chromodynamics(shared_data, tables_are_in_spark, query):
    matrices.test_sum_of_products(shared_data, query)


@pytest.mark.parametrize("name", ["karate", "west0067", "jagmesh7", "cover"])
def test_squares_of_matrices(shared_data, put, name):
    directory = shared_data / "lagraph_matrices"
    A, (i, j, k) = matrices.matrix(directory, name), (matrices.i, matrices.j, matrices.k)
    with sk.spark.options(cells=4):
        found = put((A[i, j] * A[j, k]).sum(j)).collect(into=dict)
    assert sum(found.values()) == pytest.approx(matrices.given(directory, name, "A@A sum"))
    assert len(found) == matrices.given(directory, name, "A@A nnz (structural, scipy)")
