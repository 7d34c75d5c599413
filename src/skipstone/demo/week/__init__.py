"""A week of flights from New York, with a snowstorm in it: the data of the tutorial. ORIGIN.txt says where it is from.

>>> from skipstone.demo.week import FILES
>>> sorted(file.name for file in FILES.glob("*.parquet"))
['airlines.parquet', 'airports.parquet', 'flights.parquet', 'planes.parquet', 'weather.parquet']

    python -m skipstone.demo.week DIRECTORY

copies the files into a directory, for the command line.
"""

from pathlib import Path

FILES = Path(__file__).parent
