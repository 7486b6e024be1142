"""What is looked after in the background? Nobody waits for it, and whatever it decides has history and undo."""
