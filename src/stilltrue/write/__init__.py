"""How does an episode become facts? `remember` is the whole path, one call a step; the other modules are its steps."""
