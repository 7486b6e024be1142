"""How does another program reach the memory over HTTP? `access` says who may come in, `app` puts the door together.

Nothing is imported here: `access` serves other doors too, and needs no web framework.
"""
