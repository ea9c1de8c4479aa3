# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_scipy.py: writes scipy.txt, the results of jax.scipy.signal, ndimage,
# interpolate and cluster and of jax.image. The calls are those that
# tests/functions/scipy/scipy_golden_test.cpp makes under the same names. The lines have values, and
# slopes of the sum of squares with respect to each operand.
#
# Run with jax installed: python make_scipy.py > scipy.txt (made with jax 0.10.2).

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import cluster, fft, interpolate, ndimage, signal

from golden_lines import show, x as steps

print(f"# made by make_scipy.py with jax {jax.__version__}")
nan = np.nan


def lines(name, f, *operands, slopes=True):
    r = f(*operands)
    for k, v in enumerate(r if isinstance(r, tuple) else (r,)):
        show(f"{name}.{k}" if isinstance(r, tuple) else name, v)
    last = (lambda *w: f(*w)[-1]) if isinstance(r, tuple) else f
    for i, v in enumerate(operands):
        if slopes and jnp.issubdtype(v.dtype, jnp.floating):
            show(f"{name}.slope{i}", jax.grad(lambda *w: jnp.sum(jnp.abs(last(*w)) ** 2), i)(*operands))


def complexes(shape):
    return (steps(shape) + 1j * steps(shape, 5, 13)).astype(jnp.complex64)


# ---- convolutions
for mode in ("full", "same", "valid"):
    for a, b, name in ((steps((9,)), steps((4,), 5, 13), "long"), (steps((4,), 5, 13), steps((9,)), "short"), (steps((5,)), steps((5,), 3, 7), "equal"), (steps((5, 6)), steps((3, 2), 5, 13), "matrix"), (steps((2, 3), 5, 13), steps((5, 4)), "small")):
        for f in (signal.convolve, signal.correlate):
            at = f"{f.__name__}.{mode}.{name}"
            lines(at, lambda v, w, f=f: f(v, w, mode), a, b)
            lines(at + ".fft", lambda v, w, f=f: f(v, w, mode, method="fft"), a, b)
        if a.ndim == 2:
            lines(f"convolve2d.{mode}.{name}", lambda v, w: signal.convolve2d(v, w, mode), a, b)
            lines(f"correlate2d.{mode}.{name}", lambda v, w: signal.correlate2d(v, w, mode), a, b)
    lines(f"correlate2d.{mode}.equal", lambda v, w: signal.correlate2d(v, w, mode), steps((3, 3)), steps((3, 3), 5, 13))
    show(f"fftconvolve.{mode}.axis", signal.fftconvolve(steps((3, 7)), steps((3, 4), 5, 13), mode, axes=1))
    show(f"fftconvolve.{mode}.axes", signal.fftconvolve(steps((2, 5, 4)), steps((2, 3, 2), 5, 13), mode, axes=(1, -1)))
    show(f"fftconvolve.{mode}.complex", jnp.stack([r.real if k == 0 else r.imag for k in (0, 1) for r in [signal.fftconvolve(complexes((6,)), complexes((3,)), mode)]]))
show("convolve.int", signal.convolve(jnp.arange(5), jnp.array([1, 2])))

# ---- cosine transforms
for norm in (None, "ortho"):
    for f in (fft.dct, fft.idct):
        name = f.__name__ + (".ortho" if norm else "")
        lines(name, lambda v, f=f: f(v, norm=norm), steps((3, 6)))
        lines(name + ".odd", lambda v, f=f: f(v, axis=0, norm=norm), steps((5, 2)))
        show(name + ".more", f(steps((2, 5)), n=8, norm=norm))
        show(name + ".one", f(steps((2, 1)), norm=norm))
    for f in (fft.dctn, fft.idctn):
        name = f.__name__ + (".ortho" if norm else "")
        lines(name, lambda v, f=f: f(v, norm=norm), steps((3, 4)))
        show(name + ".axes", f(steps((3, 4, 5)), axes=(0, 2), norm=norm))
        show(name + ".three", f(steps((2, 3, 4)), norm=norm))
for f in (fft.dct, fft.idct, fft.dctn, fft.idctn):
    show(f.__name__ + ".map", jax.vmap(f)(steps((3, 4))))
show("dct.complex", fft.dct(complexes((2, 4))))
show("dctn.sizes", fft.dctn(steps((3, 4)), s=(5, 6)))
show("dct.int", fft.dct(jnp.arange(4)))

# ---- trends
x = steps((3, 12))
for axis in (0, 1):
    lines(f"detrend.linear.{axis}", lambda v: signal.detrend(v, axis), x)
    lines(f"detrend.constant.{axis}", lambda v: signal.detrend(v, axis, "constant"), x)
show("detrend.breaks", signal.detrend(x, bp=[4, 9]))
show("detrend.break", signal.detrend(x, bp=5))
show("detrend.short", signal.detrend(steps((2, 1))))

# ---- spectra
s, t = steps((40,)), steps((40,), 5, 13)
many = steps((2, 33))
win = jnp.array([0.25, 0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.125], jnp.float32)
STFTS = {
    "plain": {"nperseg": 8}, "overlap": {"nperseg": 8, "noverlap": 6}, "odd": {"nperseg": 7, "noverlap": 3}, "window": {"window": win, "nperseg": 8}, "nfft": {"nperseg": 8, "nfft": 16}, "both": {"nperseg": 8, "return_onesided": False},
    "even": {"nperseg": 8, "boundary": "even"}, "mirror": {"nperseg": 8, "boundary": "odd"}, "constant": {"nperseg": 8, "boundary": "constant"}, "none": {"nperseg": 7, "boundary": None}, "cut": {"nperseg": 8, "padded": False}, "linear": {"nperseg": 8, "detrend": "linear"}, "default": {},
}
for name, o in STFTS.items():
    lines(f"stft.{name}", lambda v, o=o: signal.stft(v, fs=2.0, **o), s)
show("stft.many", jnp.abs(signal.stft(many, nperseg=8)[2]))
show("stft.axis", jnp.abs(signal.stft(many.T, nperseg=8, axis=0)[2]))
show("stft.complex", jnp.abs(signal.stft(complexes((20,)), nperseg=8)[2]))
WELCH = {
    "plain": {"nperseg": 8}, "overlap": {"nperseg": 8, "noverlap": 2}, "odd": {"nperseg": 7}, "window": {"window": win}, "nfft": {"nperseg": 8, "nfft": 11}, "both": {"nperseg": 8, "return_onesided": False}, "median": {"nperseg": 8, "average": "median"},
    "spectrum": {"nperseg": 8, "scaling": "spectrum"}, "linear": {"nperseg": 8, "detrend": "linear"}, "raw": {"nperseg": 8, "detrend": False}, "default": {},
}
for name, o in WELCH.items():
    slopes = name != "median"  # some powers are equal
    lines(f"welch.{name}", lambda v, o=o: signal.welch(v, fs=2.0, **o), s, slopes=slopes)
    lines(f"csd.{name}", lambda v, w, o=o: signal.csd(v, w, fs=2.0, **o), s, t, slopes=slopes)
show("welch.many", signal.welch(many, nperseg=8)[1])
show("welch.axis", signal.welch(many.T, nperseg=8, axis=0)[1])
show("csd.short", jnp.abs(signal.csd(s, t[:30], nperseg=8)[1]))
show("welch.fs", signal.welch(s, fs=jnp.float32(4.0), nperseg=8)[1])
z = signal.stft(s, nperseg=8)[2]
ISTFTS = {"plain": {}, "overlap": {"noverlap": 6}, "window": {"window": win}, "inner": {"boundary": False}, "nfft": {"nfft": 16, "nperseg": 8}}
for name, o in ISTFTS.items():
    show(f"istft.{name}.0", signal.istft(z, fs=2.0, **o)[0])
    show(f"istft.{name}.1", signal.istft(z, fs=2.0, **o)[1])
zz = signal.stft(many, nperseg=8)[2]
show("istft.many", signal.istft(zz)[1])
show("istft.axes", signal.istft(jnp.moveaxis(zz, 0, -1), time_axis=1, freq_axis=0)[1])
show("istft.both", jnp.abs(signal.istft(signal.stft(s, nperseg=8, return_onesided=False)[2], input_onesided=False)[1]))

# ---- interpolation between samples
image = steps((4, 5))
at = [jnp.array([[0.0, 0.25, 1.5], [2.75, 3.0, -0.5]], jnp.float32), jnp.array([[0.5, 3.25, 4.0], [1.75, -1.25, 5.6]], jnp.float32)]
for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
    for order in (0, 1):
        lines(f"map.{mode}.{order}", lambda v, p, q: ndimage.map_coordinates(v, [p, q], order, mode), image, *at)
show("map.cval", ndimage.map_coordinates(image, at, 1, cval=2.5))
show("map.int", ndimage.map_coordinates((4 * image).astype(jnp.int32), at, 1).astype(jnp.float32))
show("map.vector", ndimage.map_coordinates(image[0], [jnp.array([0.5, 9.0, 3.9], jnp.float32)], 1, "nearest"))
show("map.vmap", jax.vmap(lambda v: ndimage.map_coordinates(v, at, 1))(jnp.stack([image, -image])))

grid, rows = [jnp.array([0.0, 1.0, 2.5, 3.0], jnp.float32), jnp.array([-1.0, 0.0, 0.5, 2.0, 4.0], jnp.float32)], jnp.array([[0.5, 0.25], [2.6, -0.5], [3.0, 4.0], [-0.5, 1.0], [1.0, 4.5], [1.75, 0.0]], jnp.float32)
for method in ("linear", "nearest"):
    lines(f"grid.{method}", lambda v, p: interpolate.RegularGridInterpolator(grid, v, method)(p), image, rows[jnp.array([0, 1, 2, 5])])
    show(f"grid.{method}.outside", interpolate.RegularGridInterpolator(grid, image, method)(rows))
    show(f"grid.{method}.fill", interpolate.RegularGridInterpolator(grid, image, method, fill_value=7.5)(rows))
    show(f"grid.{method}.beyond", interpolate.RegularGridInterpolator(grid, image, method, fill_value=None)(rows))
    show(f"grid.{method}.vectors", interpolate.RegularGridInterpolator(grid[:1], image, method)(rows[:, :1]))
show("grid.tuple", interpolate.RegularGridInterpolator(grid, image)((rows[:4, 0].reshape(2, 2), rows[:4, 1].reshape(2, 2))))
show("grid.other", interpolate.RegularGridInterpolator(grid, image)(rows, "nearest"))
show("grid.line", interpolate.RegularGridInterpolator(grid[:1], image[:, 0])(jnp.array([0.5, 2.0], jnp.float32)))

obs, codes = steps((6, 3)), steps((4, 3), 5, 13)
lines("vq", lambda a, b: cluster.vq.vq(a, b), obs, codes)
lines("vq.line", lambda a, b: cluster.vq.vq(a, b), obs[:, 0], codes[:, 0], slopes=False)

# ---- images of other sizes
for method in ("nearest", "linear", "lanczos3", "lanczos5", "cubic", "cubic-pytorch", "area"):
    for name, shape in (("up", (9, 11)), ("down", (2, 3)), ("mixed", (4, 12)), ("one", (1, 5))):
        lines(f"resize.{method}.{name}", lambda v: jax.image.resize(v, shape, method), image)
        show(f"resize.{method}.{name}.sharp", jax.image.resize(image, shape, method, antialias=False))
    if method != "nearest":
        lines(f"scale.{method}", lambda v, a, b: jax.image.scale_and_translate(v, (6, 7), (0, 1), a, b, method, antialias=False), image, jnp.array([1.3, 1.7], jnp.float32), jnp.array([0.35, -0.6], jnp.float32))
show("resize.int", jax.image.resize(jnp.arange(4), (6,), "linear"))
show("resize.int.nearest", jax.image.resize(jnp.arange(4), (6,), "nearest"))
show("scale.axis", jax.image.scale_and_translate(image, (4, 8), (1,), jnp.array([2.0], jnp.float32), jnp.array([-1.0], jnp.float32), "linear"))
show("scale.wide", jax.image.scale_and_translate(image, (2, 3), (0, -1), jnp.array([0.5, 0.6], jnp.float32), jnp.array([0.0, 0.1], jnp.float32), "cubic"))
