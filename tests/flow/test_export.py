"""Does a memory that was taken out and put in again stand as it stood, and can it do all that it could? (issue 6, E12)"""
