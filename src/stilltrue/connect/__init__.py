"""How do foreign files meet memory? Importers, and the runners behind `judge` and `replay`.

Files are read here and checked line by line; what they say goes through the verbs of `memory` like everything else.
Printing and exit statuses are the doors' business.
"""
