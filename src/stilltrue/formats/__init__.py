"""How do files that other programs wrote hold their records? What importers and the audit both have to know.

What a record is to a memory is `connect.importers`' question, what is wrong among records `audit`'s. Beside the reading
stands how the files of others are written, if they may be at all: `targets`.
"""
