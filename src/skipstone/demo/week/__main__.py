"""Copy the files into a directory: `python -m skipstone.demo.week DIRECTORY`."""

import shutil
import sys
from pathlib import Path

from . import FILES

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m skipstone.demo.week DIRECTORY")
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    for file in sorted([*FILES.glob("*.parquet"), FILES / "ORIGIN.txt"]):
        print(shutil.copy(file, sys.argv[1]))
