# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/make_special_points.py: writes special_points.txt, the values and gradients that JAX gives where functions
# have corners, poles or no derivative, for the calls of tests/functions/special_points_test.cpp under the same names.
#
# Run with jax installed: python make_special_points.py > special_points.txt (made with jax 0.10.2)
#
# A line is "name point value derivative second-derivative", or for vectors "name x,y,z value gradient".
import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, lax, nn

inf, nan = np.inf, np.nan

POINTS = [-inf, -3.0, -1.0, -0.5, -0.0, 0.0, 1e-30, 0.5, 1.0, 2.5, 3.0, 6.0, 20.0, inf, nan]
SCALARS = {
    "sinc": jnp.sinc, "relu": nn.relu, "relu6": nn.relu6, "leaky_relu": nn.leaky_relu, "elu": nn.elu, "selu": nn.selu,
    "celu": nn.celu, "gelu": nn.gelu, "gelu_exact": lambda x: nn.gelu(x, approximate=False), "sigmoid": nn.sigmoid,
    "silu": nn.silu, "softplus": nn.softplus, "mish": nn.mish, "soft_sign": nn.soft_sign, "log_sigmoid": nn.log_sigmoid,
    "hard_tanh": nn.hard_tanh, "hard_sigmoid": nn.hard_sigmoid, "hard_silu": nn.hard_silu, "squareplus": nn.squareplus,
    "abs": jnp.abs, "sqrt": jnp.sqrt, "cbrt": jnp.cbrt, "sign": jnp.sign, "square": jnp.square, "reciprocal": jnp.reciprocal,
    "exp": jnp.exp, "log": jnp.log, "log1p": jnp.log1p, "expm1": jnp.expm1, "exp2": jnp.exp2, "log2": jnp.log2, "log10": jnp.log10,
    "tan": jnp.tan, "asin": jnp.asin, "acos": jnp.acos, "atan": jnp.atan, "tanh": jnp.tanh, "asinh": jnp.asinh,
    "acosh": jnp.acosh, "atanh": jnp.atanh, "floor": jnp.floor, "round": jnp.round, "trunc": jnp.trunc,
    "nan_to_num": jnp.nan_to_num, "pow_0": lambda x: x**0, "pow_1": lambda x: x**1, "pow_2": lambda x: x**2,
    "pow_half": lambda x: jnp.power(x, 0.5), "pow_zero": lambda x: jnp.power(x, 0.0), "of_0": lambda x: jnp.power(0.0, x),
    "of_2": lambda x: jnp.power(2.0, x), "pow_three": lambda x: jnp.power(x, 3.0),
    "pow_u8_0": lambda x: lax.pow(x, jnp.uint8(0)), "pow_u8_1": lambda x: lax.pow(x, jnp.uint8(1)),
    "pow_i32_0": lambda x: lax.pow(x, jnp.int32(0)), "pow_i32_1": lambda x: lax.pow(x, jnp.int32(1)),
    "clip": lambda x: jnp.clip(x, 0.0, 1.0),
    "maximum_0": lambda x: jnp.maximum(x, 0.0), "minimum_0": lambda x: jnp.minimum(x, 0.0), "maximum_self": lambda x: jnp.maximum(x, x),
    "logaddexp_0": lambda x: jnp.logaddexp(x, 0.0), "logaddexp_self": lambda x: jnp.logaddexp(x, x),
    "logaddexp_inf": lambda x: jnp.logaddexp(x, inf), "logaddexp_ninf": lambda x: jnp.logaddexp(x, -inf),
    "logaddexp2_0": lambda x: jnp.logaddexp2(x, 0.0), "logaddexp2_self": lambda x: jnp.logaddexp2(x, x),
    "atan2_x0": lambda x: jnp.arctan2(x, 0.0), "atan2_0x": lambda x: jnp.arctan2(0.0, x), "atan2_self": lambda x: jnp.arctan2(x, x),
    "hypot_0": lambda x: jnp.hypot(x, 0.0), "hypot_self": lambda x: jnp.hypot(x, x), "fmod_1": lambda x: jnp.fmod(x, 1.0),
    "mod_1": lambda x: jnp.mod(x, 1.0), "copysign_neg": lambda x: jnp.copysign(x, -1.0), "copysign_pos": lambda x: jnp.copysign(x, 1.0),
    "heaviside": lambda x: jnp.heaviside(x, 0.5), "fmax_0": lambda x: jnp.fmax(x, 0.0), "fmin_0": lambda x: jnp.fmin(x, 0.0),
}
ROWS = [[1, 2, 3], [inf, 0, inf], [inf, 1, inf], [-inf, 0, 1], [-inf, -inf, 1], [-inf, -inf, -inf], [inf, inf, inf],
        [inf, -inf, 0], [nan, 1, 2], [2, 2, 1], [0, 0, 0], [1, nan, inf]]
VECTORS = {
    "median": jnp.median, "quantile_half": lambda x: jnp.quantile(x, 0.5), "quantile_1": lambda x: jnp.quantile(x, 1.0),
    "quantile_0": lambda x: jnp.quantile(x, 0.0), "quantile_part": lambda x: jnp.quantile(x, 0.3),
    "percentile": lambda x: jnp.percentile(x, 75.0), "midpoint": lambda x: jnp.quantile(x, 0.3, method="midpoint"),
    "lower": lambda x: jnp.quantile(x, 0.3, method="lower"), "higher": lambda x: jnp.quantile(x, 0.3, method="higher"),
    "nearest": lambda x: jnp.quantile(x, 0.3, method="nearest"), "max": jnp.max, "min": jnp.min, "sum": jnp.sum, "prod": jnp.prod,
    "mean": jnp.mean, "var": jnp.var, "std": jnp.std, "ptp": jnp.ptp, "logsumexp": nn.logsumexp, "softmax": lambda x: nn.softmax(x)[0],
    "log_softmax": lambda x: nn.log_softmax(x)[0], "nansum": jnp.nansum, "nanprod": jnp.nanprod, "nanmax": jnp.nanmax,
    "nanmin": jnp.nanmin, "nanmean": jnp.nanmean, "nanvar": jnp.nanvar, "nanstd": jnp.nanstd, "cummax": lambda x: lax.cummax(x)[-1],
    "cumprod": lambda x: jnp.cumprod(x)[-1], "sort": lambda x: jnp.sort(x)[0], "diff": lambda x: jnp.diff(x)[0],
    "trapezoid_x": lambda x: jnp.trapezoid(x, jnp.array([0.0, 1.0, 3.0])),
    "standardize": lambda x: nn.standardize(x, where=jnp.array([True, False, True]))[0],
}


def text(v):
    return f"{float(v):.9g}".replace("-nan", "nan")


print(f"# made by make_special_points.py with jax {jax.__version__}")
for name, f in SCALARS.items():
    for p in POINTS:
        x, g, out = jnp.float32(p), f, [f(jnp.float32(p))]
        for _ in range(2):
            g = grad(g)
            out.append(g(x))
        print(name, text(p), *map(text, out))
for name, f in VECTORS.items():
    for row in ROWS:
        x = jnp.array(row, jnp.float32)
        print(name, ",".join(map(text, row)), text(f(x)), *map(text, grad(f)(x)))
