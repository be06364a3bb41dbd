"""The commentator: what happened in a match, in words that people read.

It is made from observations, so no sentence tells more than its reader may know.
"""
