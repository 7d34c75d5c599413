"""Which Spark a session is of. The builder is a stand-in: nothing is started."""

import sys
from types import SimpleNamespace

import pytest

import skipstone as sk

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")


class Builder:
    """Notes what it is told."""

    def __init__(self):
        self.told = {}

    def appName(self, name):
        return self

    def master(self, name):
        return self.config("master", name)

    def config(self, key, value):
        self.told[key] = value
        return self

    def getOrCreate(self):
        return self.told


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr("pyspark.sql.SparkSession", SimpleNamespace(builder=Builder()))
    monkeypatch.setattr(sys.modules["skipstone.engines.spark.session"], "use_java", lambda: None)
    for name in ("SPARK_HOME", "SPARK_REMOTE", "SPARK_MASTER"):
        monkeypatch.delenv(name, raising=False)
    return sk.spark.session


def test_it_is_embedded_if_nothing_else_is_said(session):
    told = session(conf={"spark.sql.shuffle.partitions": "3"})
    assert told["master"] == "local[*,4]" and told["spark.driver.host"] == "127.0.0.1"
    assert told["spark.sql.shuffle.partitions"] == "3" and told["spark.ui.enabled"] == "false"


def test_the_environment_names_another(session, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")
    told = session()
    assert "master" not in told and "spark.driver.host" not in told  # its defaults say
    monkeypatch.setenv("SPARK_MASTER", "spark://host:7077")
    assert session()["master"] == "spark://host:7077"
    assert session("local[2,4]")["master"] == "local[2,4]"


def test_spark_connect_is_told_only_what_it_takes(session, monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    monkeypatch.setenv("SPARK_MASTER", "spark://host:7077")
    told = session()
    assert "master" not in told and told and all(key.startswith("spark.sql.") for key in told)
