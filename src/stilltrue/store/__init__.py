"""Where is memory kept? One port (`ports.Store`), once for each database that can hold it."""
