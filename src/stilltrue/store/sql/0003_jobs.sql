-- Why the last attempt at a job failed ('': none did), and whether it was the last that will be made by itself.
ALTER TABLE jobs ADD COLUMN failure TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
