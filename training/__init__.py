"""How are the shipped models made?

Answer: each script here builds one model from public weights or data, by one command, and checks what it built.

Left to others: running the models (``stilltrue.inference``); how good the decisions are (``bench``).
"""
