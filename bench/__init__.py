"""How fast, how large and how heavy is stilltrue? `python -m bench` measures it and writes bench/results.

Every time is told as a ratio: to a floor measured in the same run on the same machine, or to the limit demanded.
"""
