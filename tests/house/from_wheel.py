"""Runs pytest with the package that is installed in this interpreter's own environment, and says so if it was another.

Started by `test_from_wheel` as a script. Ends as pytest does, and with 99 where any module of the package, or any place
that modules are looked for in, was the checkout's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
ELSEWHERE = 99

if __name__ == "__main__":
    status = pytest.main(sys.argv[1:])
    ours = {name: module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "stilltrue"}
    wrong = {name: file for name, file in ours.items() if not Path(file).is_relative_to(sys.prefix)}
    looked = [place for place in sys.path if Path(place).resolve().is_relative_to(SOURCE)]
    print(  # noqa: T201 - what `test_from_wheel` reads
        f"modules of stilltrue: {len(ours)}; from elsewhere: {wrong}; the checkout's place in sys.path: {looked}"
    )
    sys.exit(ELSEWHERE if wrong or looked or not ours else status)
