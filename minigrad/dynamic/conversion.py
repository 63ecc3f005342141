class Conversion:
    __slots__ = ()
