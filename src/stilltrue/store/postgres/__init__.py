"""Memory beyond one machine: `ports.Store` on a PostgreSQL server. `store` has the parts that any store shares."""
