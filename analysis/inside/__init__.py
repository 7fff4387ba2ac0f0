"""Code that runs inside the interpreter under test: Python 3.8 syntax, standard library only.

Modules here import each other by their plain names, because the sandbox puts this folder first on
`sys.path`. Only a module whose name ends in `_torch` may import the framework, and only inside
functions.
"""
