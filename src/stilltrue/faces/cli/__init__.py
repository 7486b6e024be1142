"""What does the command line do? It reads words, calls one verb of `Memory`, prints the answer: no rule lives here.

`main` is the whole door: it runs a verb and turns whatever goes wrong into one line on standard error and an exit
status (0 done, 1 findings or failed checks, 2 usage or environment, 130 interrupted). The verbs are in `read`, `write`,
`files`, `background`, `retention`, `upkeep` and `agents`, by what they do to a memory; `faces.wire` and `faces.render`
say what answers look like.
"""

from stilltrue.faces.cli.door import main

__all__ = ["main"]
