"""What all tests share: a kernel cache of their own, no deadlines, and the way to the shared data."""

import math
import os
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
os.environ.setdefault("SKIPSTONE_CACHE_DIR", str(ROOT / ".pytest_cache" / "kernels"))

settings.register_profile(
    "skipstone",
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("skipstone")


def data_directory() -> Path:
    return Path(os.environ.get("SKIPSTONE_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture
def shared_data():
    """The directory of data sets with published answers; tests that need it say so when it is not there."""
    found = data_directory()
    if not found.is_dir():
        pytest.skip("the shared data is not here: put it into ../shared/data, or name its place in SKIPSTONE_DATA")
    return found


@pytest.fixture(autouse=True)
def parts_are_summed_first(monkeypatch):
    """However little there is to do: the tables of tests are small, and stand for large ones."""
    monkeypatch.setattr(import_module("skipstone.plan.within"), "BRIEF", -1)
    monkeypatch.setattr(import_module("skipstone.plan.within"), "STEPS", 0)


def close(a, b):
    """Equal, floats up to rounding, dicts in the same order of keys."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(close(a[k], b[k]) for k in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is b
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


@pytest.fixture(params=["interpreted", "compiled"])
def engine(request):
    """Run the test on each engine."""
    import skipstone as sk

    with sk.engine(request.param):
        yield request.param
