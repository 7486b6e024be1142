"""How do files that other programs wrote hold their records? What importers and the audit both have to know.

Only reading: what a record is to a memory is `connect.importers`' question, what is wrong among records `audit`'s.
"""
