"""Do the curl lines of the how-to work, as a shell runs them?"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[3] / "docs" / "how-to" / "serve-over-http.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_C1_the_curl_lines_of_the_how_to_work(place):
    blocks = [one for one in re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL) if "curl" in one]
    assert blocks
    environment = dict(os.environ, STILLTRUE_URL=place.url, STILLTRUE_TOKEN=place.token(), no_proxy="*")
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "600 requests per minute" in done.stdout
