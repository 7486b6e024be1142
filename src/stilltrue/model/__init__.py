"""Which things does stilltrue talk about? Frozen nouns, made of the standard library alone; no rule lives here."""
