"""Tools for testing code written with minigrad: gradient checks, random shapes and arrays, agreement of the engines.

What lies here serves courses and minigrad's own tests alike. Modules: `gradients` (finite differences), `strategies`
(hypothesis), `samples` (rows that describe each primitive), `checks` (the checks run on each of them).
"""
