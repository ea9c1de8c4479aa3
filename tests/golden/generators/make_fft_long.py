# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_fft_long.py: writes fft_long.txt, elements of long transforms by
# numpy.fft, for tests/functions/fft/fft_long_golden_test.cpp.
#
# Run with numpy installed: python make_fft_long.py > fft_long.txt (made with numpy 2).
#
# Lines "NAME.LENGTH f64 32x2 …" have 32 elements of the transform as pairs, equally spaced from the
# first one on. Lines "NAME.LENGTH.norm f64 scalar …" have the root mean square of all elements. The
# operands are the halves of (i * 7919) % 257 and (i * 104729) % 241, which are exact in F32.
import numpy as np

LENGTHS = [2**18, 2**20, 3 * 2**17 + 1, 5**8, 1000003, 786433]


def x(n, m, k):
    i = np.arange(n, dtype=np.int64)
    return ((i * m) % k - k // 2) / 4


print(f"# made by make_fft_long.py with numpy {np.__version__}")
for n in LENGTHS:
    z = x(n, 7919, 257) + 1j * x(n, 104729, 241)
    half = z[: n // 2 + 1]
    for name, y in {"fft": np.fft.fft(z), "ifft": np.fft.ifft(z) * n, "rfft": np.fft.rfft(z.real), "irfft": np.fft.irfft(half, n) * n}.items():
        some = y[:: len(y) // 32][:32].astype(complex)
        print(f"{name}.{n} f64 32x2", *(float(v).hex() for e in some for v in (e.real, e.imag)))
        print(f"{name}.{n}.norm f64 scalar", float(np.sqrt(np.mean(np.abs(y) ** 2))).hex())
