"""Files that agents read as memory → statements with lines → findings → text, JSON, SARIF."""
