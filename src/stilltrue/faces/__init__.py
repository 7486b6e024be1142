"""The doors: the command line, and later MCP, HTTP and a page. No rule lives here."""
