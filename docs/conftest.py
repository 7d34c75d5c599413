"""The page on Spark is executed where there is a Spark to execute it; what MkDocs runs, only by MkDocs."""

import pytest

from skipstone.engines.spark.java import found_java
from skipstone.errors import SparkMissing

collect_ignore = ["site_pages.py", "from_scratch.md"]  # the page is run by tests/test_from_scratch.py


@pytest.fixture(autouse=True)
def spark_for_its_page(request):
    if request.path.name == "spark.md":
        pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'skipstone[spark]'")
        try:
            found_java()
        except SparkMissing as missing:
            pytest.skip(str(missing))
