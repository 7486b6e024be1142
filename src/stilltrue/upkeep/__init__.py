"""What is done about a memory besides writing and reading it: questions are found, ranked and bundled."""
