"""How do a memory and a file of notes (MEMORY.md, CLAUDE.md, AGENTS.md) keep each other up to date, by one section?

`write_notes` keeps the section, between two comments, as what is true now; `read_notes` takes in what people changed in
it, and what they wrote around it. Not a byte outside the section is ever touched. A module each: where the section
lies (`section`), how facts stand in it (`lines`), what it says after people wrote in it (`parsing`), and what they did
(`edits`).
"""

from stilltrue.connect.notes.edits import NotesRead, read_notes
from stilltrue.connect.notes.write import NotesWritten, write_notes

__all__ = ["NotesRead", "NotesWritten", "read_notes", "write_notes"]
