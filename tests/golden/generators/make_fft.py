# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_fft.py: writes fft.txt, the results of jax.numpy.fft for the calls
# that tests/functions/fft/fft_golden_test.cpp makes under the same names.
#
# Run with jax installed: python make_fft.py > fft.txt (made with jax 0.10.2).
#
# A line is "name dtype shape values…" as in functions.txt. Complex numbers are pairs along one more
# axis.
import jax
import jax.numpy as jnp
import numpy as np
from jax.numpy import fft

from golden_lines import show, x

a, c, v = x((3, 8)), x((2, 3, 5), 3, 7), x((7,), 3, 5)
d, e = x((2, 2, 3, 2, 4), 5, 13), x((100,), 5, 37)
z = jax.lax.complex(a, x((3, 8), 5, 13))
w = jax.lax.complex(c, x((2, 3, 5), 5, 13))
i = jnp.asarray(np.arange(6, dtype=np.int32).reshape(2, 3))


def power(y):
    return jnp.sum(jnp.abs(y) ** 2 * jnp.arange(1.0, y.size + 1).reshape(y.shape))


def slope(f, at):
    return jax.grad(lambda y: power(f(y)))(at)


CASES = {"zeros": lambda: fft.fft(jnp.zeros(6)), "integers": lambda: fft.fft(i), "half_precision": lambda: fft.fft(a.astype(jnp.float16)),
         "empty": lambda: fft.fft(jnp.zeros((2, 0))), "empty_batch": lambda: fft.rfft(jnp.zeros((0, 3))), "one_back": lambda: fft.irfft(jnp.ones((2, 1))),
         "no_axes": lambda: fft.fftn(c, axes=()), "lax": lambda: jax.lax.fft(z, "IFFT", (8,)), "lax_real": lambda: jax.lax.fft(e, "FFT", (100,)), "lax_none": lambda: jax.lax.fft(a, "FFT", ()),
         "freq": lambda: fft.fftfreq(7), "freq_even": lambda: fft.fftfreq(8, 0.1), "freq_none": lambda: fft.fftfreq(0), "freq_half": lambda: fft.fftfreq(6, 0.5, dtype=jnp.float16).astype(jnp.float32),
         "freq_int": lambda: fft.fftfreq(5, dtype=jnp.int32), "rfreq": lambda: fft.rfftfreq(7, 2.0), "rfreq_even": lambda: fft.rfftfreq(8),
         "shift": lambda: fft.fftshift(c), "shift_axis": lambda: fft.fftshift(v, 0), "shift_axes": lambda: fft.fftshift(c, (0, 2)), "shift_back": lambda: fft.ifftshift(c),
         "shift_back_axis": lambda: fft.ifftshift(c, -1), "shift_slope": lambda: slope(fft.fftshift, v), "shift_back_map": lambda: jax.vmap(fft.ifftshift)(c)}

one = {"fft": (fft.fft, z, c), "ifft": (fft.ifft, w, a), "rfft": (fft.rfft, a, v), "irfft": (fft.irfft, w, z), "hfft": (fft.hfft, z, w), "ihfft": (fft.ihfft, c, v)}
two = {"fft2": (fft.fft2, z, c), "ifft2": (fft.ifft2, w, a), "rfft2": (fft.rfft2, a, c), "irfft2": (fft.irfft2, w, z)}
many = {"fftn": (fft.fftn, w, d), "ifftn": (fft.ifftn, z, d), "rfftn": (fft.rfftn, c, d), "irfftn": (fft.irfftn, w, d)}
for name, (f, p, q) in {**one, **two, **many}.items():
    CASES[name] = lambda f=f, p=p: f(p)
    CASES[name + "_other"] = lambda f=f, q=q: f(q)
    CASES[name + "_ortho"] = lambda f=f, p=p: f(p, norm="ortho")
    CASES[name + "_forward"] = lambda f=f, p=p: f(p, norm="forward")
    CASES[name + "_slope"] = lambda f=f, p=p: slope(f, p)
    CASES[name + "_slope_other"] = lambda f=f, q=q: slope(f, q)
for name, (f, p, q) in one.items():
    CASES[name + "_cut"] = lambda f=f, p=p: f(p, n=3)
    CASES[name + "_filled"] = lambda f=f, p=p: f(p, n=12, axis=0)
    CASES[name + "_map"] = lambda f=f, p=p: jax.vmap(f, in_axes=1, out_axes=1)(p)
for name, (f, p, q) in two.items():
    CASES[name + "_sizes"] = lambda f=f, p=p: f(p, s=(4, 3), axes=(-1, 0))
    CASES[name + "_map"] = lambda f=f, p=p: jax.vmap(f)(jnp.stack([p, p * 2]))
for name, (f, p, q) in many.items():
    CASES[name + "_sizes"] = lambda f=f, q=q: f(q, s=(2, 5))
    CASES[name + "_axes"] = lambda f=f, q=q: f(q, axes=(4, 1, 2))
    CASES[name + "_map"] = lambda f=f, q=q: jax.vmap(f)(q)
# These are empty batches, one element, odd numbers of real elements, more axes than one transform
# has, and F64.
single, hollow = z[:, :1], jnp.zeros((0, 3, 5))
for name, (f, p, q) in {**one, **two, **many}.items():
    there = (1,) * (1 if name in one else 2)
    sized = {"n": 1} if name in one else {"s": there}
    tall = {"n": 7, "axis": -2} if name in one else {"s": (5, 7), "axes": (0, -1)} if name in two else {"s": (5, 7, 2), "axes": (-1, 0, 1)}
    CASES[name + "_hollow"] = lambda f=f: f(hollow)
    CASES[name + "_single"] = lambda f=f, p=p, sized=sized: f(p, **sized)
    CASES[name + "_odd"] = lambda f=f, at=q if q.ndim > 2 or name in two else c, tall=tall: f(at, **tall, norm="ortho")
    CASES[name + "_backward"] = lambda f=f, p=p: f(p, norm="backward")
    CASES[name + "_odd_slope"] = lambda f=f, tall=tall: slope(lambda y: f(y, **tall, norm="forward"), c)
    CASES[name + "_in_map"] = lambda f=f: jax.vmap(jax.vmap(f, 1), 2)(d)
    CASES[name + "_wide"] = lambda f=f, p=p: f(np.asarray(p, np.complex128 if jnp.iscomplexobj(p) else np.float64))
CASES["freq_wide"] = lambda: fft.fftfreq(5, 0.3, dtype=jnp.float64)
CASES["rfreq_one"] = lambda: fft.rfftfreq(1)
CASES["shift_none"] = lambda: fft.fftshift(jnp.zeros((0, 3)))
CASES["shift_back_one"] = lambda: fft.ifftshift(v[:1])
CASES["shift_back_slope"] = lambda: slope(fft.ifftshift, c)
CASES["shift_whole"] = lambda: fft.fftshift(i, 1)


print(f"# made by make_fft.py with jax {jax.__version__}")
for name, f in CASES.items():
    jax.config.update("jax_enable_x64", name.endswith("_wide"))
    r = np.asarray(f())
    if np.iscomplexobj(r):
        r = np.stack([r.real, r.imag], -1)
    show(name, r)
