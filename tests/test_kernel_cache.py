"""The kernel cache: found by source, in memory and on disk; safe with many processes; never trusted blindly."""

import importlib
import os
import subprocess
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import skipstone as sk
from skipstone import cache
from skipstone.trace import flat

kernel = importlib.import_module("skipstone.kernel")  # `sk.kernel` is the decorator
compiled = importlib.import_module("skipstone.engines.compiled")  # which has a function of that name


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(kernel, "_compiled", {})
    monkeypatch.setattr(kernel, "_families", {})
    monkeypatch.setattr(compiled, "_kept", OrderedDict())
    return tmp_path / "kernels"


def compiles(action):
    before = kernel.statistics.compiled
    action()
    return kernel.statistics.compiled - before


def test_a_lambda_made_a_thousand_times_is_one_compile(own_cache):
    s = sk.stream({1: 2.0, 3: 4.0})

    def thousand():
        for _ in range(1000):
            assert s.map(lambda k, v: v * 3 + k).sum() == 22.0

    assert compiles(thousand) == 1


@pytest.mark.parametrize("how", ["closure", "default", "global", "helper", "derived", "range"])
def test_a_thousand_captured_numbers_are_two_compiles(own_cache, how):
    s = sk.stream({1: 2, 3: 4})

    def run(c):
        if how == "closure":
            return s.map(lambda k, v: v * c + 1).sum(), 6 * c + 2
        if how == "default":
            return s.map(lambda k, v, c=c: v * c + 1).sum(), 6 * c + 2
        if how == "global":
            globals()["FACTOR"] = c
            return s.map(lambda k, v: v * FACTOR + 1).sum(), 6 * c + 2  # noqa: F821
        if how == "helper":

            def helper(v):
                return v * c + 1

            return s.map(lambda k, v: helper(v)).sum(), 6 * c + 2
        if how == "derived":
            return s.map(lambda k, v: v * (c * 2 - 1)).sum(), 6 * (2 * c - 1)
        return s.map(lambda k, v: sk.range(0, c).count()).sum(), 2 * c

    def thousand():
        for c in range(1000):
            found, wanted = run(c)
            assert found == wanted

    assert compiles(thousand) <= 2


def test_captured_numbers_of_another_kind_are_another_kernel(own_cache):
    s = sk.stream({1: 2, 3: 4})
    found = [s.map(lambda k, v: v * c).sum() for c in (2, 2.5, 3, 3.5, True)]
    assert found == [12, 15.0, 18, 21.0, 6] and isinstance(found[2], int)


def test_a_captured_number_that_decides_a_branch_is_a_constant_of_the_code(own_cache):
    s = sk.range(0, 5)
    for flag in (0, 1, 2):
        assert s.map(lambda k, v: v if flag > 1 else -v).sum() == (10 if flag > 1 else -10)


def test_other_data_in_the_same_expression_is_no_compile(own_cache):
    def product(n):
        a = np.arange(n)
        return (sk.stream(sk.Sorted(a, a * 1.0)) * sk.stream(sk.Sorted(a, a * 2.0))).sum()

    assert compiles(lambda: [product(n) for n in (5, 50, 500)]) == 1
    assert compiles(lambda: [sk.range(0, n).sum() for n in (5, 50, 500)]) == 1


def test_the_disk_serves_a_new_process(own_cache):
    code = (
        "import skipstone as sk; from skipstone.kernel import statistics as s;"
        "print((sk.stream({1: 2.0, 5: 3.0}) * sk.stream({5: 4.0})).sum(), s.compiled, s.loaded)"
    )

    def process():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert process() == ["12.0", "1", "0"]
    assert process() == ["12.0", "0", "1"]
    assert len(cache.contents()) == 1


@pytest.mark.parametrize("damage", ["truncated", "flipped", "foreign", "empty", "another key", "writable by others"])
def test_a_damaged_or_foreign_file_is_ignored_and_rebuilt(own_cache, damage, monkeypatch):
    def run():
        monkeypatch.setattr(kernel, "_compiled", {})
        monkeypatch.setattr(compiled, "_kept", OrderedDict())
        return compiles(lambda: sk.stream({1: 2.0}).map(lambda k, v: v + 41).sum())

    assert run() == 1 and run() == 0
    (path, size), *_ = cache.contents()
    data = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(data[: size // 2])
    elif damage == "flipped":
        path.write_bytes(data[:-100] + bytes([data[-100] ^ 1]) + data[-99:])
    elif damage == "foreign":
        path.write_bytes(b"#!/bin/sh\necho surprise\n")
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "another key":
        sk.stream({1: 2.0}).map(lambda k, v: v - 41).sum()
        other = next(p for p, _ in cache.contents() if p != path)
        path.write_bytes(other.read_bytes())
    else:
        path.chmod(0o666)
    assert run() == 1, "it was trusted"
    assert run() == 0, "it was not rebuilt"


def test_eight_processes_fill_one_empty_cache_at_once(own_cache):
    code = (
        "import skipstone as sk, sys\n"
        "for n in range(3):\n"
        "    a, b = sk.stream({1: 2.0, 5: 3.0, 9: 1.0}), sk.stream({5: 4.0, 9: 2.0})\n"
        "    s = [a * b, a + b, a.without(b)][n]\n"
        "    print(s.collect())\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    outputs = [p.communicate() for p in running]
    assert all(p.returncode == 0 for p in running), [e for _, e in outputs]
    wanted = "{5: 12.0, 9: 2.0}\n{1: 2.0, 5: 7.0, 9: 3.0}\n{1: 2.0}\n"
    assert {o for o, _ in outputs} == {wanted}
    assert len(cache.contents()) == 3
    assert not list(own_cache.rglob(".new-*"))


def test_kernels_from_disk_do_not_answer_for_those_of_this_process(own_cache):
    """They did once: Numba tells functions of one name apart by a counter, and two processes count alike."""
    code = (
        "import skipstone as sk; s = sk.stream({{1: 2.0, 5: 3.0}})\n"
        "f = {{'times': lambda k, v: v * 10, 'plus': lambda k, v: v + 10, 'minus': lambda k, v: v - 10}}\n"
        "g = sk.kernel(lambda v: {step} * sum([v for _ in range(2)]))\n"
        "for name in '{order}'.split():\n"
        "    print(name, s.map(f[name]).collect(), s.map(lambda k, v: g(v)).sum())\n"
    )
    wanted = {"times": "{1: 20.0, 5: 30.0}", "plus": "{1: 12.0, 5: 13.0}", "minus": "{1: -8.0, 5: -7.0}"}
    for step, order in enumerate(["times plus", "minus times", "plus minus times", "times minus plus"]):
        done = subprocess.run(
            [sys.executable, "-c", code.format(order=order, step=step)], capture_output=True, text=True, check=True
        )
        assert done.stdout == "".join(f"{name} {wanted[name]} {step * 10.0}\n" for name in order.split())


def test_a_cache_that_cannot_be_written_is_no_error(own_cache, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", str(blocked))
    assert sk.stream({1: 2.0}).map(lambda k, v: v * 17).sum() == 34.0


def test_clear_removes_everything(own_cache):
    sk.stream({1: 2.0}).sum()
    assert cache.clear() == 1 and cache.contents() == [] and cache.clear() == 0


def test_a_changed_kernel_function_is_another_kernel(own_cache):
    def run(step):
        source = f"def count(n):\n    c = 0\n    while n > 0:\n        n -= {step}\n        c += 1\n    return c\n"
        scope = {}
        exec(source, scope)
        counting = sk.kernel(scope["count"])
        return sk.range(0, 5).map(lambda k, v: counting(v)).sum()

    assert run(1) == 10 and run(2) == 6


def test_the_cache_directory_follows_its_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("SKIPSTONE_CACHE_DIR", str(tmp_path))
    assert cache.directory() == tmp_path
    monkeypatch.delenv("SKIPSTONE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.directory() == tmp_path / "xdg" / "skipstone"
    assert os.environ.get("SKIPSTONE_CACHE_DIR") is None


def test_functions_of_the_runtime_have_names_of_their_own():
    """Machine code from disk is linked by name: the same one for three functions read bytes as integers."""
    from skipstone.trace import runtime

    names = [f.py_func.__qualname__ for f in runtime.NAMES.values() if hasattr(f, "py_func")]
    assert len(names) > 5 and len(set(names)) == len(names)


def test_from_a_zip_file_of_modules(tmp_path):
    """Spark sends such files to executors: what is part of a version was read by path, and there was no metadata."""
    source = Path(sk.__file__).parent
    with zipfile.ZipFile(tmp_path / "skipstone.zip", "w") as packed:
        for file in source.rglob("*.py"):
            packed.write(file, file.relative_to(source.parent))
    code = (
        "from importlib import metadata\n"
        "metadata.version = lambda name, found=metadata.version: found(name if name != 'skipstone' else 'not-there')\n"
        "import skipstone as sk\n"
        "print(sk.__file__, sk.cache.version(), sk.stream({1: 2.5}).map(lambda k, v: v * 2).sum())"
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "skipstone.zip"),
        "SKIPSTONE_CACHE_DIR": str(tmp_path / "kernels"),
    }
    ran = subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True)
    home, version, answer = ran.stdout.split()
    assert "skipstone.zip" in home and version.startswith(sk.__version__) and answer == "5.0"
    assert list((tmp_path / "kernels" / version).glob("*.kernel"))


@pytest.mark.parametrize("module", ["llvm", "memory", "runtime", "arithmetic"])
def test_code_that_is_written_otherwise_has_another_version(module, tmp_path, monkeypatch):
    """Of the modules that write machine code only two were part of it: kernels of yesterday went on being used."""
    for file in (Path(sk.__file__).parent / "trace").glob("*.py"):
        (tmp_path / "trace").mkdir(exist_ok=True)
        (tmp_path / "trace" / file.name).write_bytes(file.read_bytes())
    cache.version()  # imports llvmlite, which finds its library by the same function
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    before = cache.version.__wrapped__()
    (tmp_path / "trace" / f"{module}.py").write_text("# another\n")
    assert cache.version.__wrapped__() != before


WITHOUT_NUMBA = """
import sys
import numpy as np
import skipstone as sk

a = sk.stream(sk.Sorted(np.arange(0, 100, 2), np.arange(50) * 0.5))
b = sk.stream(sk.Sorted(np.arange(0, 100, 3, dtype=np.int32), np.arange(34)))
x, y, z = sk.axes("x y z")
E = sk.table({"src": np.arange(900) % 37, "dst": np.arange(900) % 31})
N = sk.table({"name": ["ann", "bob", "cy", "ann"], "n": [1.5, 2.5, -1.0, 4.0]}, value="n")
found = [
    (a * b).sum(), (a * b).collect(), (a + b).count(), (a * b).any(), a.all(), a.first(), b.max(),
    a.filter(lambda k, v: v > 3.0).map(lambda k, v: (v, k)).collect(),
    sk.stream({1: {2: 3.0}, 4: {5: 6.0}}).collect(), sk.stream(np.array([True, False])).sum(),
    sk.stream(sk.Blocked({3: 1, 1: 2})).sum(),
    sk.stream(sk.Hash({3: 1, 1: 2})).sum(), sk.Bitmap([1, 5, 9]) & sk.Bitmap([5, 9]),
    (E[x, y] * E[y, z] * E[x, z]).sum().collect(), sorted((E[x, y] * E[y, z]).sum(y).collect().to_dict().items())[:5],
    N[x].collect(dict), sk.stream({}).sum(),
]
print(found, "numba" in sys.modules)
try:
    sk.stream({1: 2**62, 2: 2**62}).sum()
except sk.errors.IntegerOverflow as error:
    print(type(error).__name__, "numba" in sys.modules)
"""


def test_kernels_from_disk_need_no_numba(tmp_path):
    """Importing it takes longer than all else together. Where one fails, Numba is asked after all, and says why."""
    env = {**os.environ, "SKIPSTONE_CACHE_DIR": str(tmp_path)}
    ran = [
        subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], env=env, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    compiled, loaded = (each.stdout.splitlines() for each in ran)
    assert compiled[0].endswith(" True") and loaded[0].endswith(" False")
    assert loaded[0].removesuffix(" False") == compiled[0].removesuffix(" True")
    assert loaded[1] == "IntegerOverflow True"


def test_code_that_calls_what_is_not_there_is_not_loaded():
    assert flat.loaded(flat.Flat(b"", (), (), True, ("no_such_function_anywhere",)), abs) is None


FAILING = """
import numpy as np
import skipstone as sk

values = np.ones(1_000_000, np.int64)
values[-1] = 2**62

def fail():
    try:
        sk.stream(values).map(lambda k, v: v * 4).collect(np.ndarray)
    except sk.errors.IntegerOverflow:
        return
    raise AssertionError("it did not fail")

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096

fail()
before = resident()
for _ in range(20):
    fail()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells what is resident")
def test_a_kernel_from_disk_that_fails_gives_its_memory_back(tmp_path):
    """It is run twice, without Numba and with: what the first run had taken was forgotten, 8 MB and more a time."""
    env = {**os.environ, "SKIPSTONE_CACHE_DIR": str(tmp_path)}
    ran = [
        subprocess.run([sys.executable, "-c", FAILING], env=env, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert int(ran[1].stdout) < 60_000_000
