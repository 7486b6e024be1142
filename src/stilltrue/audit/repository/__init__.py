"""Does the repository say what its memory files say? What files can prove is looked up; nothing is ever run.

`mismatches` gives what a file proves wrong; `examine` also counts what one proves right, and tells what could not be
read. Left to others: which claims there are (`audit.reading`), how a finding looks (`audit.text`).
"""

from stilltrue.audit.repository.judging import Examined, examine, mismatches

__all__ = ["Examined", "examine", "mismatches"]
