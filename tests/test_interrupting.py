"""Ctrl-C stops what runs in compiled code, and long runs show how far they are. Times are never asserted: what is
stopped here would otherwise run for minutes."""

import os
import pty
import signal
import subprocess
import sys
import textwrap
import threading
import time
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import skipstone as sk
from skipstone import attending, watch
from skipstone.bar import a_bar
from skipstone.plan.threads import Outermost

PATIENCE = 120  # seconds until a process that should have stopped counts as hung

LONG = """
    import sys, threading
    import numpy as np
    import skipstone as sk
    from skipstone import watch

    src, dst = np.nonzero(np.random.default_rng(0).random((1200, 1200)) < 0.5)
    E = sk.table({"src": src, "dst": dst}, name="E")
    a, b, c, d = sk.axes("a b c d")
    small = sk.sum(E[a, b] * E[b, a])
    before = small.collect()
    cliques = E[a, b] * E[a, c] * E[a, d] * E[b, c] * E[b, d] * E[c, d]
    nested = sk.stream(sk.Trie.from_columns([src, dst]))

    def run(what):
        if what == "number":
            return sk.sum(cliques).collect()
        if what == "rows":
            return cliques.sum(d).collect()
        if what == "function":
            return sk.sum(cliques.map(lambda v: v % 7 + 0.5)).collect()
        deeper = lambda b, two: (two * nested).map(lambda c, three: (three * two).count())
        return nested.map(lambda a, row: (row * nested).map(deeper)).sum()
"""


def started(script, *arguments, **more):
    code = textwrap.dedent(LONG) + textwrap.dedent(script)
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True, **more)


def interrupt(process, after):
    """Send SIGINT when the process says that it is running, and a little later; the rest of what it says."""
    assert process.stdout.readline() == "running\n"
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=PATIENCE)
    return said


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("what", ["number", "rows", "function", "stream"])
def test_an_interrupted_run_stops_and_the_process_computes_on(what, threads):
    if what == "stream" and threads == "2":
        pytest.skip("streams run on one thread")
    process = started(
        """
        with sk.options(threads=int(sys.argv[2])):
            try:
                print("running", flush=True)
                print("done", run(sys.argv[1]))
            except KeyboardInterrupt:
                print("stopped")
            print(small.collect() == before)
        while any(t.name.startswith("skipstone") for t in threading.enumerate()):
            pass  # who attended goes, too
        """,
        what,
        threads,
    )
    try:
        assert interrupt(process, 3) == "stopped\nTrue\n"
        assert process.returncode == 0
    finally:
        process.kill()


def test_an_interrupted_command_leaves_no_file(tmp_path):
    pairs = np.argwhere(np.random.default_rng(0).random((1200, 1200)) < 0.5)
    rows = "\n".join(f"{a},{b}" for a, b in pairs.tolist())
    (tmp_path / "edges.csv").write_text(f"src,dst\n{rows}\n")
    query = "n(a, b) = E(a, b) * E(a, c) * E(a, d) * E(b, c) * E(b, d) * E(c, d)"
    command = ["query", query, "E=edges.csv", "--engine", "local", "--out", "found.parquet"]
    code = "from skipstone.cli import app; print('running', flush=True); app()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "running\n"
        time.sleep(8)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
        assert (process.returncode, told) == (130, "stopped; nothing was written\n")
        assert os.listdir(tmp_path) == ["edges.csv"]
    finally:
        process.kill()


@pytest.mark.parametrize(("progress", "shown"), [("True", True), ("False", False)])
def test_a_terminal_shows_how_far_a_long_run_is_unless_told_otherwise(progress, shown):
    outside, inside = pty.openpty()
    process = started(
        """
        watch.LATER = 0.1
        with sk.options(progress=sys.argv[1] == "True"):
            try:
                print("running", flush=True)
                run("number")
            except KeyboardInterrupt:
                print("stopped")
        """,
        progress,
        stderr=inside,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    seen = b""

    def look():
        nonlocal seen
        while b"\x00" not in seen:
            seen += os.read(outside, 10_000)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        assert process.stdout.readline() == "running\n"
        until = time.monotonic() + (PATIENCE if shown else 6)
        while b"a second" not in seen and time.monotonic() < until:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[0] == "stopped\n"
        assert (b"keys of" in seen and b"of 1,200" in seen and b"a second" in seen) == shown, seen
    finally:
        process.kill()
        os.write(inside, b"\x00")
        looking.join()
        os.close(inside)
        os.close(outside)


def test_a_handler_of_the_user_is_asked():
    process = started(
        """
        import signal

        def mine(number, frame):
            raise RuntimeError("mine")

        signal.signal(signal.SIGINT, mine)
        try:
            print("running", flush=True)
            run("rows")
        except RuntimeError as error:
            print(error)
        print(signal.getsignal(signal.SIGINT) is mine, signal.set_wakeup_fd(-1), small.collect() == before)
        """
    )
    try:
        assert interrupt(process, 3) == "mine\nTrue -1 True\n"
    finally:
        process.kill()


def test_who_waits_for_other_signals_gets_them():
    process = started(
        """
        import os, signal, socket

        ear, mouth = socket.socketpair()
        mouth.setblocking(False)
        signal.set_wakeup_fd(mouth.fileno())
        signal.signal(signal.SIGUSR1, lambda number, frame: print("heard"))
        threading.Timer(2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        try:
            print("running", flush=True)
            run("rows")
        except KeyboardInterrupt:
            print("stopped")
        assert signal.set_wakeup_fd(-1) == mouth.fileno()
        print(sorted(ear.recv(10)) == sorted([signal.SIGUSR1, signal.SIGINT]))
        """
    )
    try:
        assert sorted(interrupt(process, 4).split()) == ["True", "heard", "stopped"]
    finally:
        process.kill()


def test_a_function_that_never_ends_is_left_behind():
    process = started(
        """
        @sk.kernel
        def endless(n):
            while n >= 0:
                n = (n * 5 + 1) % 1000
            return n

        try:
            print("running", flush=True)
            sk.sum((E[a, b] * E[b, c] * E[a, c]).map(lambda v: endless(v))).collect()
        except KeyboardInterrupt:
            print("stopped")
        print(small.collect() == before)
        """
    )
    try:
        assert interrupt(process, 3) == "stopped\nTrue\n"
        assert process.returncode == 0
    finally:
        process.kill()


def test_a_notebook_shows_how_far_a_long_run_is(monkeypatch):
    shown = []
    display = SimpleNamespace(HTML=str, display=lambda page, display_id: SimpleNamespace(update=shown.append))
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1), display=display)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with a_bar("a") as show:
        show(0.1, 10, 100)
        show(0.4, 40, 100)
    with a_bar("a", wanted=False) as show:
        show(0.1, 10, 100)
    assert shown[0] == 'keys of a <progress value="0.1000"></progress> 10 of 100 '
    assert shown[1].startswith('keys of a <progress value="0.4000"></progress> 40 of 100, ')
    assert shown[1].endswith(" s left") and shown[2:] == [""]


# ---------------------------------------------------------------------- the parts of it


@pytest.fixture
def edges():
    rng = np.random.default_rng(0)
    return sk.table({"src": rng.integers(0, 50, 400), "dst": rng.integers(0, 50, 400)}, name="E")


def watched(run):
    """The watch of a run, and what came of it."""
    seen = watch.Watch()
    (found,) = watch.waited([run], [seen])
    return seen, found


@pytest.mark.parametrize("f", [None, lambda v: v * 2, lambda v: v % 7 + 0.5])
def test_a_kernel_tells_its_keys_and_heeds(edges, f):
    a, b, c = sk.axes("a b c")
    product = edges[a, b] * edges[b, c] * edges[a, c]
    expression = sk.sum(product if f is None else product.map(f))
    expected = expression.collect()
    seen, found = watched(expression.collect)
    assert found == expected
    assert seen.words.view(np.float64)[1] == 49
    asked = watch.Watch()
    asked.stop()
    with pytest.raises(KeyboardInterrupt):
        watch.waited([expression.collect], [asked])
    assert expression.collect() == expected


def test_what_one_thread_raises_is_raised_and_the_others_are_stopped():
    watches = [watch.Watch() for _ in range(3)]
    ran = []

    def fails():
        raise ValueError("no")

    def waits():
        while not watches[1].words[0]:
            time.sleep(0.001)
        ran.append(1)

    with pytest.raises(ValueError, match="no"):
        watch.waited([fails, waits, lambda: ran.append(2)], watches, threads=2)
    assert 2 not in ran


@pytest.fixture
def hearing():
    """Ctrl-C means what it means in a terminal: who is started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def attendants():
    return [thread for thread in threading.enumerate() if thread.name == "skipstone"]


def test_runs_in_a_row_are_attended_by_one_thread_which_then_goes(hearing):
    found = [attending.attended(lambda n=n: (n, attendants()), watch.Watch()) for n in range(5)]
    assert [n for n, _ in found] == list(range(5))
    assert len({id(thread) for _, there in found for thread in there}) == 1
    until = time.monotonic() + PATIENCE
    while attendants() and time.monotonic() < until:
        time.sleep(0.05)
    assert attendants() == []
    assert attending.attended(attendants, watch.Watch()) != []


def test_who_ignores_signals_is_not_attended(hearing):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert attending.attended(lambda: 7, watch.Watch()) == 7
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_signal_stops_the_run_that_it_came_in_and_no_other(hearing):
    def interrupted(seen):
        signal.raise_signal(signal.SIGINT)
        while not seen.words[0]:
            pass

    for _ in range(20):
        first, second = watch.Watch(), watch.Watch()
        with pytest.raises(KeyboardInterrupt):
            attending.attended(lambda first=first: interrupted(first), first)
        attending.attended(lambda: time.sleep(0.01), second)
        assert (first.words[0], second.words[0]) == (1, 0)


def test_a_forked_process_has_an_attendant_of_its_own(hearing):
    attending.attended(lambda: None, watch.Watch())
    child = os.fork()
    if not child:
        seen = watch.Watch()
        try:
            attending.attended(lambda: signal.raise_signal(signal.SIGINT), seen)
        except KeyboardInterrupt:
            os._exit(0)  # as it should be: had it waited for a thread that is not there, it would wait for ever
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_results_come_in_the_order_of_the_works():
    watches = [watch.Watch() for _ in range(20)]
    assert watch.waited([lambda n=n: n for n in range(20)], watches, threads=3) == list(range(20))


def test_watches_share_no_line_of_the_cache():
    places = sorted(each.words.ctypes.data for each in [watch.Watch() for _ in range(100)])
    assert all(place % watch.APART == 0 for place in places)
    assert all(one + watch.APART <= two for one, two in pairwise(places))


def test_the_share_is_that_of_the_rows_under_smaller_keys():
    trie = sk.Trie.from_columns([[2, 2, 2, 5, 9, 9], [1, 2, 3, 1, 1, 2]])
    path = Outermost(sk.axes("a"), trie.root)
    assert [path.keys(k) for k in (-np.inf, 2, 3, 5, 9, np.inf)] == [0, 0, 1, 1, 2, 3]
    assert [path.share(k) for k in (-np.inf, 2, 5, 9, np.inf)] == [0, 0, 3 / 6, 4 / 6, 1]
    dense = Outermost(sk.axes("a"), sk.Dense([1.0, 2.0, 3.0, 4.0]).root)
    assert [dense.share(k) for k in (-np.inf, 0, 2, np.inf)] == [0, 0, 0.5, 1]


def test_pieces_add_up():
    path = Outermost(sk.axes("a"), sk.Dense(np.ones(100)).root)
    done, begun, waiting = watch.Watch(0, 40), watch.Watch(40, 80), watch.Watch(80, 100)
    done.over = True
    begun.words.view(np.float64)[1] = 50
    assert sum(each.so_far(path.share) for each in (done, begun, waiting)) == pytest.approx(0.5)


def test_progress_is_said_with_a_truth_value():
    with pytest.raises(sk.errors.BadOption, match="Say True or False"):
        sk.options(progress=1).__enter__()


def test_threads_may_end_while_one_looks():
    """One was asked twice whether it runs, and had ended in between: StopIteration came out of a query."""

    class Ending:
        left = 2

        def wait(self, seconds):
            self.left -= 1
            return not self.left

    crew = Ending()
    watch.wait(crew, [watch.Watch()], [])
    assert crew.left == 0
