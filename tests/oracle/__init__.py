"""The oracle: every game settled a second time, one round at a time, in plain Python.

Written from the rule texts and the contracts alone, so that the engine can be held against it.
"""
