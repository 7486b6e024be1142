"""Facts answer: reading verbs, which never write and show nothing that `ports.Filter` does not admit."""
