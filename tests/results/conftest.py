"""Lets the tests of this folder share what reads a notebook's tables."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for shown_page.py, which is no test
