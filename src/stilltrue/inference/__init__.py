"""What do the models say?

Answer: this package runs them (embedder, pair model, chat) and hands back plain values. Importing it loads nothing;
every model loads at first use.

Left to others: what the answers decide (``stilltrue.rules``, ``stilltrue.write``).
"""
