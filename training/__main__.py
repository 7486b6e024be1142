"""How is each step of building the pair judge called?

Answer: ``python -m training VERB``; what a verb does stands in the module that ``VERBS`` names, which is loaded only
when it is called, so that a machine without torch can still write the data.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Final, NamedTuple


class Verb(NamedTuple):
    """Where a verb is done, and what it does."""

    module: str
    what: str


VERBS: Final = {
    "data": Verb("training.data", "write the parts and the programmatic families as files"),
    "train": Verb("training.recipe", "train, or go on with a run that was interrupted"),
    "export": Verb("training.ship", "turn a checkpoint into the folder that the package reads"),
    "evaluate": Verb("training.evaluate", "measure an exported folder"),
    "audit": Verb("training.audit_judge", "train and export the judge of lines that an audit asks"),
    "odds": Verb("training.odds", "fit what an audit weighs beside the judge"),
    "card": Verb("training.report", "write the model card from the measurements"),
}
EXTRAS: Final = frozenset({"torch", "onnx"})


def main(argv: list[str] | None = None) -> None:
    """Hand the arguments after the verb to its module."""
    given = sys.argv[1:] if argv is None else argv
    told = "\n".join(f"  {name:9s} {verb.what}" for name, verb in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="python -m training",
        usage="%(prog)s VERB [--help] ...",
        description=f"The steps of building the pair judge:\n{told}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="one of the above")
    verb = parser.parse_args(given[:1]).verb
    try:
        module = importlib.import_module(VERBS[verb].module)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise SystemExit(f"{verb} needs {error.name}: pip install -e '.[training]' (see training/README.md)") from error
    module.main(given[1:])


if __name__ == "__main__":
    main()
