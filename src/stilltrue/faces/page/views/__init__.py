"""What does a page show? Plain functions from what was read to frozen values; templates only lay them out."""
