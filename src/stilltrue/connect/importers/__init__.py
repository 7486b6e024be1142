"""How do other people's memories and conversations get in? One verb, `import_file`, and five formats.

Each format turns a file into records, one a message or statement; `run` remembers them. A record's origin is made of
its content, so that a file imported again, or after an interruption, adds only what is new.
"""

from stilltrue.connect.importers.plan import ImportPlan, estimate_import, plan_import
from stilltrue.connect.importers.run import ImportReport, ask_about, import_data, import_file

__all__ = [
    "ImportPlan",
    "ImportReport",
    "ask_about",
    "estimate_import",
    "import_data",
    "import_file",
    "plan_import",
]
