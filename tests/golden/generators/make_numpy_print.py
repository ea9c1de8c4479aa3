# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_numpy_print.py: writes numpy_print.txt, arrays and the text that
# NumPy prints for them.
#
# Run with numpy and ml_dtypes: python make_numpy_print.py > numpy_print.txt (made with numpy
# 2.4.6).
#
# A case is "case DTYPE SHAPE HEX", followed by "str N" and N lines, and "repr N" and N lines. HEX
# has the array's bytes, which are repeated until they fill the shape.
import ml_dtypes
import numpy as np

bf16 = ml_dtypes.bfloat16
SHORT = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64",
         "complex64": "c64", "complex128": "c128"}
FLOATS = [np.float16, np.float32, np.float64, bf16]
COMPLEX = [np.complex64, np.complex128]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
nan, inf = float("nan"), float("inf")


def block(name, text):
    lines = text.split("\n")
    print(name, len(lines))
    for line in lines:
        print(line)


def case(values, dtype, shape=None):
    """Prints a case. If a shape is given, the values are repeated to fill it."""
    with np.errstate(all="ignore"):
        small = np.asarray(values).astype(dtype)
    a = small
    if shape is not None:
        a = np.resize(small, shape)
        small = small.reshape(-1)
    print("case", SHORT[a.dtype.name], ",".join(map(str, a.shape)) or "-", small.tobytes().hex() or "-")
    block("str", str(a))
    block("repr", repr(a))


print(f"# made by make_numpy_print.py with numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}")

# Every dtype: without axes, empty, short, several axes, wrapped, summarised.
for t in FLOATS + COMPLEX + INTS + [np.bool_]:
    case(3, t)
    case(0, t)
    for shape in [(0,), (3, 0), (0, 2), (1,), (5,), (2, 3), (2, 2, 3), (1, 1, 1, 1), (40,), (3, 25), (1001,), (1000,),
                  (7, 200), (200, 7), (3, 4, 100), (101, 2, 6), (2, 1, 600), (11, 11, 11)]:
        case([0, 1, 2, 100, 7, 13, 0], t, shape)

# Floats that determine exponents, digits and widths.
LISTS = [
    [1.5, -2.25, 100], [0.1, 0.2, 0.3], [1 / 3, 2 / 3, 1e-3], [nan, 1, 2], [inf, -inf, nan], [inf, 1], [-inf, 1], [nan],
    [-0.0, 0.0], [1e-4, 1], [9.99e-5, 1], [1e-5], [1, 1000], [1, 1001], [1, 1000.5], [0.001, 1.0005], [999, 1], [1000],
    [1e6, 1e5], [999999, 1e3], [1e8], [99999999.0, 1e7], [1e8, nan], [1e10, 1e-10, -1], [1e100, 1e-100], [1e300, 1e-300],
    [nan, 1e10, -inf], [1e-7, -inf, 0], [3.14159265358979, 2.71828182845905, 1e2], [123456.789, 1.5, -0.001],
    [12345678.9, 0.1], [5e-324, 1.0], [2.2250738585072014e-308], [1.7976931348623157e308], [1.4e-45, 1e-40, 3.4028235e38],
    [6e-8, 6.1e-5, 65504], [5.96e-8], [0.1, 1.00000012e-05, 3], [16777217.0, 16777216.0, 0.5], [0.99999999, 1.0],
    [0.999999995, 0.9999999949], [1.000000005, 2.5], [0.12345678949999, 0.5], [-1, -10.5, -100], [2.5, -inf], [-2.5, nan],
    [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125], [1e15, 123456789012345680.0], [1e16], [1e-4], [1e22, 1e23],
    [4503599627370496.5, 9007199254740993.0], [1e-9, 1e-8, 0.0], [8.5e-5], [0.00012, 0.00098], [2 ** -24, 2 ** -14, 1],
    [700.5, 0.7], [700.5, 0.71], [511.25, 0.5], [99.99, 0.1], [65504, 64], [333.3, 0.3333],
]
for values in LISTS:
    for t in [np.float16, np.float32, np.float64]:
        case(values, t)
    case(values, bf16)
for x in [1, 0.1, 1e-5, 1e5, 1e6, 123456.7, 1e7, 1e15, 1e16, 1e20, nan, inf, -inf, -0.0, 1 / 3, 1e-4, 0.00011, 999.5, 1000]:
    for t in [np.float16, np.float32, np.float64, bf16]:
        case(x, t)

# Complex numbers: each part has its own format.
for values in [[1 + 2j, -3.5 - 0.25j], [1e10 + 1j, 1 - 1e-10j], [complex(nan, 1), complex(1, nan)],
               [complex(inf, -inf), 1 + 1j], [complex(-inf, inf), 1j], [complex(-0.0, -0.0), 0], [complex(0, nan), complex(0, inf)],
               [1 / 3 + 1j / 7, 100], [1e-5j, 1], [1e300 + 1e-300j], [complex(nan, nan)], [1.5j, 22.25j, 333.125j],
               [1 + 1e-3j, 2 + 12.5j, -3 - 0.00098j]]:
    for t in COMPLEX:
        case(values, t)
        case(values, t, (3, 5))
for x in [0, 1j, -1j, 1 + 2j, complex(-0.0, 1), complex(0, -0.0), complex(nan, inf), complex(1e20, 1e-7), complex(0.1, 1e6),
          complex(1e15, 1e16), complex(-inf, nan), complex(1e5, 1e-4), complex(nan, -inf), 1 / 3]:
    for t in COMPLEX:
        case(x, t)

# Integers at their limits.
for t in INTS:
    i = np.iinfo(t)
    case([i.min, 0, i.max], t)
    case(i.max, t)
    case([i.min, -1 if i.min else 1, 5], t, (4, 9))
case([True, False, False], np.bool_, (3, 30))
case(True, np.bool_)

# Long lines, more axes, summaries that wrap.
rng = np.random.default_rng(0)
for t in [np.float16, np.float32, np.float64, np.complex64]:
    case(rng.standard_normal(23), t)
    case(rng.standard_normal(60), t, (3, 20))
    case(rng.standard_normal(17) * 1e5, t)
    case(np.exp(rng.standard_normal(17) * 8), t, (2, 3, 17))
    case(np.exp(rng.standard_normal(31) * 30), t)
    case(rng.standard_normal(13), t, (2000,))
    case(rng.standard_normal(13) * 1e-3, t, (40, 50))
    case(rng.standard_normal(13), t, (5, 6, 50))
    case(rng.standard_normal(13), t, (2, 2, 2, 2, 100))
case(rng.integers(0, 255, 50), np.uint8)
case(rng.integers(-10**18, 10**18, 20), np.int64)
case(rng.integers(-10**18, 10**18, 3), np.int64, (1, 9, 200))
for n in range(60, 76):  # the last line is just too long or not, depending on the dtype
    case([10 ** ((n - 11) % 5)] + [1] * 17, np.int32, (n // 4,))
    case([1.5], np.float32, (n // 5,))
    case([1], np.int16, (2, n // 3))

# Random bits.
for t, u in [(np.float16, np.uint16), (np.float32, np.uint32), (np.float64, np.uint64)]:
    for n in [1, 2, 3, 5, 8] * 6:
        a = rng.integers(0, np.iinfo(u).max, n, dtype=u).view(t)
        case(a, t)
    for _ in range(30):  # of similar size, so that there are no exponents
        case(np.exp(rng.standard_normal(4)) * rng.choice([0.01, 1, 10]), t)
