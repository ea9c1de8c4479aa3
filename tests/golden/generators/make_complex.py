# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_complex.py: writes complex.txt, elementary functions of complex
# numbers.
#
# Run with mpmath: python make_complex.py > complex.txt (made with mpmath 1.3.0).
#
# A line is FUNCTION DTYPE RE IM RE IM: the argument and the result. For finite arguments off the
# branch cuts the results are from mpmath with 5,000 bits. For arguments with an infinite part and
# on the cuts they are from Python's cmath, which follows annex G of C99.
import cmath
import math
import random
import struct

import mpmath as mp

BITS = {"f32": (24, -149, 3.4028234663852886e38), "f64": (53, -1074, 1.7976931348623157e308)}
INVERSE = ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
FUNCTIONS = INVERSE + ["exp", "expm1", "log", "log1p", "sqrt", "square", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
GROWING = {"exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
FORMULA = {"expm1": lambda z: mp.exp(z) - 1, "log1p": lambda z: mp.log(1 + z), "square": lambda z: z * z}


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def number(rng, dtype, f):
    _, least, _ = BITS[dtype]
    s, kind = rng.choice([-1, 1]), rng.randrange(6)
    if kind == 0:
        x = rng.uniform(0, 4)
    elif kind == 1:
        x = 2.0 ** rng.uniform(-20, 6)
    elif kind == 2:
        x = 1 + rng.choice([-1, 1]) * 2.0 ** rng.uniform(-20, -1)
    elif kind == 3:
        x = rng.choice([0.5, 1.0, 2.0])
    elif kind == 4 and f in GROWING:
        x = rng.uniform(80, 110) if dtype == "f32" else rng.uniform(700, 760)
    elif kind == 4:
        x = 2.0 ** rng.uniform(20, -least * 0.84)
    else:
        x = 2.0 ** rng.uniform(least, -20)
    return s * (single(x) if dtype == "f32" else x)


def rounded(x, dtype):
    """Rounds to double. Results beyond the range of F32 become infinite or 0 for f32."""
    v = float(x)
    return math.copysign(math.inf, v) if abs(v) > BITS[dtype][2] * (1 + 2.0**-26) else v


def show(f, dtype, z, w):
    parts = [z.real, z.imag, w.real, w.imag]
    print(f, dtype, *[v.hex() if math.isfinite(v) else repr(v) for v in parts])


def main():
    print("# made by make_complex.py with mpmath", mp.__version__)
    mp.mp.prec = 5000
    rng = random.Random(7)
    for f in FUNCTIONS:
        for dtype in BITS:
            for _ in range(40):
                z = complex(number(rng, dtype, f), number(rng, dtype, f))
                w = FORMULA.get(f, getattr(mp, f, None))(mp.mpc(z.real, z.imag))
                show(f, dtype, z, complex(rounded(w.real, dtype), rounded(w.imag, dtype)))
        if f not in INVERSE + ["log", "sqrt"]:
            continue
        for x in (0.0, -0.0, 0.5, 2.0, -0.5, -2.0, math.inf, -math.inf):
            for y in (0.0, -0.0, 0.5, -2.0, math.inf, -math.inf):
                if math.isfinite(x) and abs(y) > 0 and math.isfinite(y):
                    continue
                if (f == "log" and x == y == 0) or (math.isfinite(x) and abs(y) == 2):
                    continue
                if f == "atanh" and abs(x) == 1 or f == "atan" and abs(y) == 1:
                    continue
                z = complex(x, y)
                w = getattr(cmath, f)(z)
                show(f, "f64", z, w)
    # The cuts of asinh and atan are on the imaginary axis, where their zeros and poles are.
    for f in ("asinh", "atan"):
        for x in (0.0, -0.0):
            for y in (2.0, -2.0):
                show(f, "f64", complex(x, y), getattr(cmath, f)(complex(x, y)))


main()
