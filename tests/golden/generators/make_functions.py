# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_functions.py: writes functions.txt, the results of jax.numpy, jax.nn
# and jax.random. The calls are those that tests/functions/functions_golden_test.cpp makes under the
# same names.
#
# Run with jax installed: python make_functions.py > functions.txt (made with jax 0.10.2).
#
# A line is "name dtype shape values…", with floats in hexadecimal. x(shape, m, k)[i] = ((i * m) % k
# - k // 2) / 4.
import jax
import jax.numpy as jnp
import numpy as np
from jax import nn, random
from jax.lax import conv_general_dilated as conv
from jax.ops import segment_max, segment_sum
from jax.scipy.linalg import solve_triangular

from golden_lines import show, x

inf, nan = np.inf, np.nan


def n(shape, m=7, k=11):
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray(((i * m) % k - k // 2).astype(np.int32).reshape(shape))


a, b, c, v = x((3, 4)), x((4, 3), 5, 13), x((2, 3, 4), 3, 7), x((5,), 3, 5)
i, j = n((3, 4)), n((3, 4), 5, 7)
z = jnp.array([complex(1, 2), complex(nan, 0), complex(inf, 1), complex(1, -inf), complex(nan, inf), 3j], jnp.complex64)
w = jnp.array([complex(1, 2.00001), complex(0, nan), complex(inf, 1), complex(1, inf), 0, complex(0, 3.1)], jnp.complex64)
odd = jnp.array([3.0, nan, -inf, inf, 0.0, -0.0, -2.5, nan], jnp.float32)
edges = jnp.array([1.7, 57344.0, 61440.0, -65504.0, 6.2e-5, 5e-5, -1e-30, 3e38], jnp.float32)
key = random.key(42)
weights = x((2, 4, 4), 5, 13)
spd = weights @ weights.mT + 2 * jnp.eye(4, dtype=jnp.float32)
lopsided = spd + jnp.triu(weights, 1)
right = x((2, 4, 3), 3, 7)
image, kernel = x((2, 4, 7, 6), 7, 23), x((4, 4, 3, 3), 5, 19)

CASES = {
    # arithmetic
    "add": lambda: a + b.T, "sub_scalar": lambda: 1.5 - a, "mul_int": lambda: a * 2, "div_int": lambda: i / j,
    "floor_divide": lambda: i // j, "remainder": lambda: i % j, "floor_divide_float": lambda: a // 0.75, "remainder_float": lambda: a % 0.75,
    "fmod": lambda: jnp.fmod(i, j), "power_int": lambda: i**3, "power_array": lambda: jnp.power(jnp.abs(i), jnp.abs(j)),
    "power_float": lambda: jnp.power(jnp.abs(a) + 0.5, b.T), "maximum": lambda: jnp.maximum(a, b.T), "fmin": lambda: jnp.fmin(odd, 1.0),
    "fmax": lambda: jnp.fmax(odd, 1.0), "minimum_nan": lambda: jnp.minimum(odd, 1.0), "clip": lambda: jnp.clip(a, -1, 0.5),
    "sign": lambda: jnp.sign(odd), "bool_add": lambda: (a > 0) + (a < 0.5), "int8_wrap": lambda: jnp.int8(100) + jnp.asarray(i[0] * 20, jnp.int8),
    "shift": lambda: i >> 1, "shift_left": lambda: i << 3, "xor": lambda: i ^ j, "not": lambda: ~i, "bitwise_count": lambda: jnp.bitwise_count(i),
    "weak_half": lambda: a.astype(jnp.float16) * 2.5, "u8_minus": lambda: jnp.asarray([1, 2], jnp.uint8) - jnp.asarray([2, 1], jnp.uint8),
    # elementary
    "exp": lambda: jnp.exp(a), "log": lambda: jnp.log(jnp.abs(a)), "log1p": lambda: jnp.log1p(jnp.abs(a)), "expm1": lambda: jnp.expm1(a),
    "exp2": lambda: jnp.exp2(a), "log2": lambda: jnp.log2(jnp.abs(a) + 1), "log10": lambda: jnp.log10(jnp.abs(a) + 1), "sqrt": lambda: jnp.sqrt(a),
    "cbrt": lambda: jnp.cbrt(a), "sin": lambda: jnp.sin(a), "cos": lambda: jnp.cos(a), "tan": lambda: jnp.tan(a), "tanh": lambda: jnp.tanh(a),
    "arcsin": lambda: jnp.arcsin(a / 2), "arctan2": lambda: jnp.arctan2(a, b.T), "sinh": lambda: jnp.sinh(a), "arccosh": lambda: jnp.arccosh(jnp.abs(a) + 1),
    "hypot": lambda: jnp.hypot(a, b.T), "logaddexp": lambda: jnp.logaddexp(odd, 1.0), "logaddexp2": lambda: jnp.logaddexp2(a, b.T),
    "sinc": lambda: jnp.sinc(a), "deg2rad": lambda: jnp.deg2rad(a), "exp_int": lambda: jnp.exp(i[0]),
    # rounding, parts
    "round": lambda: jnp.round(a * 2), "round_decimals": lambda: jnp.round(a * 1.37, 1), "floor": lambda: jnp.floor(a), "ceil": lambda: jnp.ceil(odd),
    "trunc": lambda: jnp.trunc(odd), "copysign": lambda: jnp.copysign(a, b.T), "nextafter": lambda: jnp.nextafter(a, 0.0), "signbit": lambda: jnp.signbit(odd),
    "ldexp": lambda: jnp.ldexp(a, i), "heaviside": lambda: jnp.heaviside(odd, 0.5), "nan_to_num": lambda: jnp.nan_to_num(odd), "isnan": lambda: jnp.isnan(odd),
    "isinf": lambda: jnp.isinf(odd), "isfinite": lambda: jnp.isfinite(odd), "isposinf": lambda: jnp.isposinf(odd),
    "isfinite_complex": lambda: jnp.isfinite(z), "isinf_complex": lambda: jnp.isinf(z),
    "isclose_complex": lambda: jnp.stack([jnp.isclose(z, w), jnp.isclose(z, w, equal_nan=True), jnp.isclose(w, z), jnp.isclose(z, z)]),
    "isclose": lambda: jnp.isclose(odd, odd, equal_nan=True), "where": lambda: jnp.where(a > 0, a, b.T), "where_broadcast": lambda: jnp.where(v[:, None] > 0, 1, v),
    "select": lambda: jnp.select([a > 1, a > 0], [a, -a], 7.0),
    "reduce_precision": lambda: jax.lax.reduce_precision(a * 1.37, 4, 3), "reduce_precision_odd": lambda: jax.lax.reduce_precision(odd, 3, 0),
    "reduce_precision_edges": lambda: jax.lax.reduce_precision(edges, 5, 2), "reduce_precision_one": lambda: jax.lax.reduce_precision(edges, 1, 3),
    "reduce_precision_f16": lambda: jax.lax.reduce_precision((a * 1e-6).astype(jnp.float16), 5, 7).astype(jnp.float32),
    "mulhi": lambda: jax.lax.mulhi(i * 123456789, j * 987654321), "mulhi_u8": lambda: jax.lax.mulhi(i.astype(jnp.uint8), j.astype(jnp.uint8)),
    "bessel_i0e": lambda: jax.lax.bessel_i0e(a * 20), "bessel_i1e": lambda: jax.lax.bessel_i1e(a * 20), "bessel_i1e_odd": lambda: jax.lax.bessel_i1e(odd),
    "bessel_i0e_slope": lambda: jax.vmap(jax.grad(jax.lax.bessel_i0e))(v * 3 + 0.25), "bessel_i1e_slope": lambda: jax.vmap(jax.grad(jax.lax.bessel_i1e))(v * 3),
    "atan2_complex": lambda: jnp.imag(jax.lax.atan2(jax.lax.complex(a, b.T), jax.lax.complex(b.T + 5, a))),
    "top_k_order": lambda: jax.lax.top_k(jnp.array([2.0, 0.0, -inf, -0.0, nan, inf, -1.0]), 7)[1],
    # reductions
    "sum": lambda: jnp.sum(a), "sum_axis": lambda: jnp.sum(c, (0, 2)), "sum_keepdims": lambda: jnp.sum(c, -1, keepdims=True), "sum_bool": lambda: jnp.sum(a > 0, 0),
    "sum_where": lambda: jnp.sum(a, 1, where=a > 0, initial=2.0), "sum_u8": lambda: jnp.sum(jnp.asarray([200, 100], jnp.uint8)), "prod": lambda: jnp.prod(b, 0),
    "mean": lambda: jnp.mean(c, 1), "mean_int": lambda: jnp.mean(i), "mean_where": lambda: jnp.mean(a, where=a > 0), "max": lambda: jnp.max(a, 1),
    "min_nan": lambda: jnp.min(odd), "var": lambda: jnp.var(a, 0), "std": lambda: jnp.std(c, ddof=1), "any": lambda: jnp.any(a > 1.2, 0), "all": lambda: jnp.all(a < 1.2, 1),
    "argmax": lambda: jnp.argmax(a, 1), "argmin_flat": lambda: jnp.argmin(a), "argmax_nan": lambda: jnp.argmax(odd), "ptp": lambda: jnp.ptp(a, 0),
    "count_nonzero": lambda: jnp.count_nonzero(i, 1), "logsumexp": lambda: nn.logsumexp(c, 2), "nansum": lambda: jnp.nansum(odd[6:]), "nanmax": lambda: jnp.nanmax(odd),
    "nanmean": lambda: jnp.nanmean(odd[4:]), "average": lambda: jnp.average(a, 1, weights=jnp.arange(4.0)), "median": lambda: jnp.median(a, 1),
    "quantile": lambda: jnp.quantile(a, jnp.array([0.1, 0.5, 0.9]), 1), "percentile": lambda: jnp.percentile(v, 30.0), "cumsum": lambda: jnp.cumsum(a, 1),
    "cumprod": lambda: jnp.cumprod(b, 0), "cumsum_flat": lambda: jnp.cumsum(i), "cummax": lambda: jax.lax.cummax(a, 1), "diff": lambda: jnp.diff(a, 2),
    "trapezoid": lambda: jnp.trapezoid(a, dx=0.5),
    # creation
    "arange": lambda: jnp.arange(2, 11, 3), "arange_float": lambda: jnp.arange(0.5, 3, 0.4), "arange_down": lambda: jnp.arange(5, 0, -2), "linspace": lambda: jnp.linspace(-1, 2, 7),
    "linspace_open": lambda: jnp.linspace(0, 1, 5, endpoint=False), "logspace": lambda: jnp.logspace(0, 2, 5), "eye": lambda: jnp.eye(3, 4, 1), "tri": lambda: jnp.tri(3, 4, -1),
    "tril": lambda: jnp.tril(c, 1), "triu": lambda: jnp.triu(a, -1), "diag_of": lambda: jnp.diag(v, -2), "diagonal": lambda: jnp.diagonal(c, 1, 1, 2), "meshgrid": lambda: jnp.meshgrid(v, v[:3])[1],
    # shapes
    "reshape": lambda: a.reshape(2, -1), "transpose": lambda: jnp.transpose(c, (2, 0, 1)), "swapaxes": lambda: jnp.swapaxes(c, 0, 2), "moveaxis": lambda: jnp.moveaxis(c, (0, 1), (-1, 0)),
    "expand_dims": lambda: jnp.expand_dims(a, (0, -1)), "broadcast_to": lambda: jnp.broadcast_to(v, (2, 5)), "concatenate": lambda: jnp.concatenate([a, i], 0), "stack": lambda: jnp.stack([a, -a], -1),
    "hstack": lambda: jnp.hstack([v, v[:2]]), "vstack": lambda: jnp.vstack([v, v]), "split": lambda: jnp.split(a, 2, 1)[1], "array_split": lambda: jnp.array_split(v, 3)[1],
    "tile": lambda: jnp.tile(v[:2], (2, 3)), "repeat": lambda: jnp.repeat(a, 2, 1), "repeat_each": lambda: jnp.repeat(v, jnp.array([0, 1, 2, 0, 3]), total_repeat_length=6),
    "pad": lambda: jnp.pad(a, ((1, 0), (0, 2)), constant_values=9.0), "pad_reflect": lambda: jnp.pad(v, (2, 3), "reflect"), "pad_symmetric": lambda: jnp.pad(v, (2, 3), "symmetric"),
    "pad_wrap": lambda: jnp.pad(v, (2, 7), "wrap"), "pad_edge": lambda: jnp.pad(v, (2, 1), "edge"), "roll": lambda: jnp.roll(a, -5), "roll_axes": lambda: jnp.roll(c, (1, -1), (0, 2)),
    "flip": lambda: jnp.flip(c, (0, 2)), "rot90": lambda: jnp.rot90(a, 3),
    # indexing
    "index_negative": lambda: a[-1], "index_slice": lambda: c[1, ::-2, 1:3], "index_ellipsis": lambda: c[..., None, 2], "index_array": lambda: c[:, jnp.array([2, -1, 0])],
    "index_two": lambda: c[jnp.array([0, 1])[:, None], :, jnp.array([3, 1, 0])], "index_apart": lambda: c[0, :, jnp.array([1, 2])], "index_beside": lambda: c[:, 1, jnp.array([1, 2])],
    "index_newaxis": lambda: c[jnp.array([1, 0]), None, jnp.array([2, 0])], "index_strided": lambda: c[jnp.array([1, 0]), ::2, ::-1], "index_clamp": lambda: v[jnp.array([10, -10, 2])],
    "index_mask": lambda: a[np.asarray(a) > 0.6], "index_fill": lambda: v.at[jnp.array([1, 9])].get(mode="fill", fill_value=-8.0), "at_set": lambda: a.at[1:, ::2].set(9.0),
    "at_add_duplicates": lambda: v.at[jnp.array([1, 1, -1, 7])].add(jnp.array([1.0, 2.0, 4.0, 8.0])), "at_min": lambda: c.at[:, jnp.array([0, 2]), 1].min(-1.0),
    "at_mul": lambda: a.at[jnp.array([0, 2]), 1:3].multiply(3.0), "at_divide": lambda: a.at[0].divide(4.0), "at_reverse": lambda: v.at[::-1].set(jnp.arange(5.0)),
    "take": lambda: jnp.take(a, jnp.array([2, -1, 9]), 1), "take_clip": lambda: jnp.take(v, jnp.array([-1, 9]), mode="clip"), "take_wrap": lambda: jnp.take(v, jnp.array([-1, 9]), mode="wrap"),
    "take_along_axis": lambda: jnp.take_along_axis(a, jnp.array([[1], [3], [-1]]), 1), "nonzero": lambda: jnp.stack(jnp.nonzero(i, size=12, fill_value=-1)),
    "unravel_index": lambda: jnp.stack(jnp.unravel_index(jnp.array([0, 7, 11]), (3, 4))),
    "unravel_index_out": lambda: jnp.stack(jnp.unravel_index(jnp.array([-8, -7, -6, -1, 0, 5, 6, 7, 100]), (2, 3))),
    "unravel_index_line": lambda: jnp.unravel_index(jnp.array([-9, -4, -1, 3, 4]), (4,))[0], "segment_sum": lambda: segment_sum(a, jnp.array([1, 0, 1]), 3),
    "segment_max": lambda: segment_max(i, jnp.array([1, 0, 1]), 3), "bincount": lambda: jnp.bincount(jnp.array([1, 3, 1, 9]), length=5),
    # sorting
    "sort": lambda: jnp.sort(odd), "sort_axis": lambda: jnp.sort(a, 0), "sort_descending": lambda: jnp.sort(odd, descending=True), "argsort": lambda: jnp.argsort(odd),
    "argsort_descending": lambda: jnp.argsort(jnp.array([1, 3, 1, 2]), descending=True), "lexsort": lambda: jnp.lexsort((i[0], jnp.array([1, 0, 1, 0]))),
    "top_k": lambda: jax.lax.top_k(odd, 4)[1], "searchsorted": lambda: jnp.searchsorted(jnp.array([1.0, 2.0, 2.0, nan]), odd), "searchsorted_right": lambda: jnp.searchsorted(jnp.array([1, 2, 2, 3]), jnp.arange(5), side="right"),
    "digitize": lambda: jnp.digitize(v, jnp.array([-1.0, 0.0, 0.5])), "unique": lambda: jnp.unique(i, size=14, fill_value=99), "isin": lambda: jnp.isin(i, jnp.array([0, 3])),
    # products
    "dot": lambda: jnp.dot(a, b), "dot_nd": lambda: jnp.dot(c, b), "matmul": lambda: c @ b, "matmul_vector": lambda: v[:3] @ a, "vdot": lambda: jnp.vdot(a, b.T), "inner": lambda: jnp.inner(c, a),
    "outer": lambda: jnp.outer(v, i[0]), "tensordot": lambda: jnp.tensordot(c, a, ((1, 2), (0, 1))), "einsum_batch": lambda: jnp.einsum("bij,jk->bki", c, b), "einsum_diagonal": lambda: jnp.einsum("ii->i", a[:, :3]),
    "einsum_ellipsis": lambda: jnp.einsum("...ij,...ij->...", c, a), "einsum_implicit": lambda: jnp.einsum("ba", a), "einsum_three": lambda: jnp.einsum("ij,jk,kl->il", a, b, a), "trace": lambda: jnp.trace(a, 1),
    "kron": lambda: jnp.kron(v[:2], a), "cross": lambda: jnp.cross(b, b[::-1]),
    # networks
    "relu": lambda: nn.relu(odd), "gelu": lambda: nn.gelu(a), "gelu_exact": lambda: nn.gelu(a, False), "silu": lambda: nn.silu(a), "softplus": lambda: nn.softplus(odd), "elu": lambda: nn.elu(a),
    "selu": lambda: nn.selu(a), "celu": lambda: nn.celu(a, 2.0), "leaky_relu": lambda: nn.leaky_relu(a), "log_sigmoid": lambda: nn.log_sigmoid(a), "mish": lambda: nn.mish(a), "hard_silu": lambda: nn.hard_silu(a),
    "softmax": lambda: nn.softmax(c, 1), "log_softmax": lambda: nn.log_softmax(a), "one_hot": lambda: nn.one_hot(jnp.array([1, 5, 0]), 3), "glu": lambda: nn.glu(a), "standardize": lambda: nn.standardize(a),
    "attention": lambda: nn.dot_product_attention(x((1, 3, 2, 4)), x((1, 5, 2, 4), 5, 13), x((1, 5, 2, 4), 3, 7), is_causal=True),
    # random numbers
    "random_split": lambda: random.key_data(random.split(key)), "random_split_shape": lambda: random.key_data(random.split(key, (2, 2))), "random_fold_in": lambda: random.key_data(random.fold_in(key, 7)),
    "random_negative_seed": lambda: random.key_data(random.key(-1)), "random_bits": lambda: random.bits(key, (2, 3)), "random_bits8": lambda: random.bits(key, (4,), jnp.uint8),
    "random_uniform": lambda: random.uniform(key, (3,)), "random_uniform_range": lambda: random.uniform(key, (6,), minval=0.1, maxval=0.7), "random_uniform_f16": lambda: random.uniform(key, (3,), jnp.float16),
    "random_uniform_bf16": lambda: random.uniform(key, (3,), jnp.bfloat16).astype(jnp.float32), "random_normal": lambda: random.normal(key, (5,)), "random_randint": lambda: random.randint(key, (6,), 0, 100),
    "random_randint_u8": lambda: random.randint(key, (6,), 3, 300, jnp.uint8), "random_randint_full": lambda: random.randint(key, (4,), -5, 2**31 - 1), "random_bernoulli": lambda: random.bernoulli(key, 0.3, (8,)),
    "random_categorical": lambda: random.categorical(key, jnp.log(jnp.array([0.2, 0.3, 0.5])), shape=(8,)), "random_categorical_axis": lambda: random.categorical(key, c, axis=1),
    "random_permutation": lambda: random.permutation(key, 8), "random_permutation_rows": lambda: random.permutation(key, a), "random_permutation_independent": lambda: random.permutation(key, a, 1, True),
    "random_choice": lambda: random.choice(key, 5, (4,)), "random_choice_once": lambda: random.choice(key, v, (3,), False), "random_choice_p": lambda: random.choice(key, 5, (6,), p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])),
    "random_choice_once_p": lambda: random.choice(key, 5, (3,), False, jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])), "random_exponential": lambda: random.exponential(key, (3,)), "random_gumbel": lambda: random.gumbel(key, (3,)),
    "random_laplace": lambda: random.laplace(key, (3,)), "random_logistic": lambda: random.logistic(key, (3,)), "random_cauchy": lambda: random.cauchy(key, (3,)), "random_truncated_normal": lambda: random.truncated_normal(key, -1.0, 2.0, (4,)),
    "random_rademacher": lambda: random.rademacher(key, (5,)),
    # factorisations and convolutions
    "cholesky": lambda: jnp.linalg.cholesky(spd), "cholesky_upper": lambda: jnp.linalg.cholesky(lopsided, upper=True, symmetrize_input=False),
    "cholesky_symmetrized": lambda: jnp.linalg.cholesky(lopsided), "cholesky_slope": lambda: jax.grad(lambda m: jnp.sum(jnp.linalg.cholesky(m) * weights))(spd),
    "solve_lower": lambda: solve_triangular(spd, right, lower=True), "solve_transposed": lambda: solve_triangular(spd, right, trans=1),
    "solve_unit": lambda: solve_triangular(spd[0], right[0, :, 0], unit_diagonal=True),
    "solve_slope": lambda: jax.grad(lambda m: jnp.sum(solve_triangular(m, right, lower=True, trans=2) ** 2))(spd),
    "conv_same": lambda: conv(image, kernel, (2, 1), "SAME"), "conv_same_lower": lambda: conv(image, kernel[:, :, :2, :2], (1, 2), "SAME_LOWER"),
    "conv_dilated": lambda: conv(image, kernel, (1, 2), ((1, 2), (0, -1)), (2, 1), (1, 2)),
    "conv_groups": lambda: conv(image, kernel.reshape(8, 2, 3, 3), (1, 1), "VALID", feature_group_count=2),
    "conv_batch_groups": lambda: conv(image, kernel, (2, 2), "VALID", batch_group_count=2),
    "conv_features_last": lambda: conv(image, kernel.reshape(3, 2, 6, 4), (1, 1), "VALID", dimension_numbers=("NWHC", "HWIO", "NHWC")),
    "conv_slope_lhs": lambda: jax.grad(lambda x: jnp.sum(conv(x, kernel, (2, 1), ((1, 0), (2, 1)), (1, 2), (2, 1)) ** 2))(image),
    "conv_slope_rhs": lambda: jax.grad(lambda y: jnp.sum(conv(image, y, (2, 1), ((1, 0), (2, 1)), (1, 2), (2, 1)) ** 2))(kernel),
}


print(f"# made by make_functions.py with jax {jax.__version__}")
for name, f in CASES.items():
    show(name, f())
