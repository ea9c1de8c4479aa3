# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_lax.py: writes lax.txt, the results of jax.lax for the calls that
# tests/functions/lax/lax_golden_test.cpp makes under the same names.
#
# Run with jax installed: python make_lax.py > lax.txt (made with jax 0.10.2).
#
# The format of the lines is that of functions.txt. Each call of floats has its value and up to
# three further lines, if JAX supports them. NAME_slope is the gradient of the sum of the result
# times x(shape, 5, 13) with respect to the operand. NAME_push is the tangent for the tangent
# x(shape, 3, 7). NAME_map is mapped over the operand and its negative. If JAX cannot map a
# function, it is called twice. Other calls have one line per result: NAME_0, NAME_1, …. A function
# with a second parameter is differentiated by the function scaled() in its place.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from golden_lines import show, x

jax.config.update("jax_enable_x64", True)
inf, nan = np.inf, np.nan


plane, block, row = x((4, 5), 3, 13), x((3, 4, 2), 7, 23), x((9,), 5, 17)
rows, matrices = x((6, 3), 5, 19), x((3, 3, 2), 7, 23)
sizes = jnp.array([2, 0, 3], jnp.int32)
odd = jnp.array([1.0, 3.0, 3.0, nan, -inf, inf, -0.0, 2.0, 0.0], jnp.float32)
one = np.float32(1)
both = lambda a, b: a + b + a * b
apply_dims = lax.ScatterDimensionNumbers((), (0,), (0,))
window_dims = lax.ScatterDimensionNumbers((1,), (0,), (0,))
spots = jnp.array([[1], [3], [1], [8], [9], [-1]], jnp.int32)
lines = jnp.array([[2], [0], [2]], jnp.int32)
noncontracting = lax.RaggedDotDimensionNumbers((((3,), (1,)), ((0,), (0,))), [2], [3])
contracting = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((0,), (0,))), [1], [])
of_batch = lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), [0], [])
deep, deep_matrices = x((2, 2, 4, 3), 7, 23), x((2, 3, 2, 2), 5, 19)
deep_sizes = jnp.array([[[1, 2], [3, 0]], [[0, 4], [2, 2]]], jnp.int32)

specials = jnp.array([[inf, 1, 2, 3], [-inf, 1, inf, 2], [nan, 1, 1, 1], [3e38, 3e38, 0, 0], [-0.0, -0.0, -0.0, -0.0], [1.00390625, 1.01171875, 0, 0], [5, 5, 1, 1]], jnp.float32)
special_scales = jnp.array([[1, 1], [1, 1], [1, 1], [0.5, 1], [1, 1], [1.00390625, 1], [0, inf]], jnp.float32)


def scales(shape):
    return 2.0 ** ((jnp.arange(np.prod(shape)) * 5) % 7 - 3).astype(jnp.float32).reshape(shape)


# Computes what lax.scaled_dot of matrices is documented to compute, in a form that JAX can
# differentiate.
def scaled(a, b, lhs_scale=None, rhs_scale=None, preferred_element_type=jnp.bfloat16):
    half = lambda v, scale, axis: v.astype(jnp.bfloat16) * (1 if scale is None else jnp.repeat(scale.astype(jnp.bfloat16), v.shape[axis] // scale.shape[axis], axis))
    return jnp.matmul(half(a, lhs_scale, -1), half(b, rhs_scale, -2), preferred_element_type=preferred_element_type)


# name: (function, operand, the lines that it has besides its value)
CALLS = {
    "reduce_sum": (lambda v: lax.reduce(v, np.float32(0), lax.add, (0, 2)), block, "slope push map"),
    "reduce_prod": (lambda v: lax.reduce(v, one, lambda a, b: a * b, (1,)), plane, "slope push map"),
    "reduce_any": (lambda v: lax.reduce(v, np.float32(0), both, (1,)), plane, "push map"),
    "reduce_any_all": (lambda v: lax.reduce(v, np.float32(0), both, (0, 1)), plane, "push map"),
    "reduce_none": (lambda v: lax.reduce(v, one, lambda a, b: a * b, ()), row, "map"),
    "reduce_empty": (lambda v: lax.reduce(v[:0], one, both, (0,)), row, "map"),
    "reduce_max_odd": (lambda v: lax.reduce(v, np.float32(-inf), lax.max, (0,)), odd, ""),
    "ragged_dot": (lambda v: lax.ragged_dot(v, matrices, sizes), rows, "slope push each"),
    "ragged_dot_rhs": (lambda v: lax.ragged_dot(rows, v, sizes), matrices, "slope push each"),
    "ragged_dot_groups": (lambda v: lax.ragged_dot_general(v, deep_matrices, deep_sizes, noncontracting), deep, "slope push each"),
    "ragged_dot_contracting": (lambda v: lax.ragged_dot_general(v, x((2, 5, 3), 3, 7), jnp.array([1, 0, 3], jnp.int32), contracting), x((2, 5, 2), 5, 11), "push each"),
    "ragged_dot_batch": (lambda v: lax.ragged_dot_general(v, x((3, 4, 2), 3, 7), jnp.array([1, 2], jnp.int32), of_batch), x((3, 2, 4), 5, 11), "push each"),
    "scaled_dot": (lambda v, f=lax.scaled_dot: f(v, x((8, 3), 5, 13), lhs_scale=scales((4, 2)), rhs_scale=scales((4, 3)), preferred_element_type=jnp.float32), x((4, 8), 3, 17), "slope push map"),
    "scaled_dot_half": (lambda v, f=lax.scaled_dot: f(v, x((8, 3), 5, 13), rhs_scale=scales((2, 3))).astype(jnp.float32), x((4, 8), 3, 17), "slope push map"),
    "scaled_dot_scale": (lambda v, f=lax.scaled_dot: f(x((2, 4, 6), 3, 17), x((2, 6, 3), 5, 13), lhs_scale=v, preferred_element_type=jnp.float32), scales((2, 4, 3)), "slope push map"),
    "scaled_dot_dims": (lambda v: lax.scaled_dot(v, x((5, 2, 4), 5, 13), lhs_scale=scales((2, 2, 3)), rhs_scale=scales((5, 2, 2)), dimension_numbers=(((1,), (2,)), ((0,), (1,))), preferred_element_type=jnp.float32), x((2, 4, 3), 3, 17), "map"),
    "index_take": (lambda v: lax.index_take(v, [jnp.array([1, -1, 7]), jnp.array([0, 4, -2])], (0, 1)), plane, "slope push map"),
    "index_take_middle": (lambda v: lax.index_take(v, [jnp.array([3, -1, 0, 5])], (1,)), block, "slope push map"),
    "scatter_apply": (lambda v: lax.scatter_apply(v, spots, jnp.exp, apply_dims, update_shape=(6,)), row, "map"),
    "scatter_apply_clip": (lambda v: lax.scatter_apply(v, spots, lambda a: 2 * a + 1, apply_dims, update_shape=(6,), mode="clip"), row, "map"),
    "scatter_apply_rows": (lambda v: lax.scatter_apply(v, lines, lambda a: a * a, window_dims, update_shape=(3, 5)), plane, "map"),
    "scatter_apply_once": (lambda v: lax.scatter_apply(v, spots[:2], jnp.exp, apply_dims, update_shape=(2,), unique_indices=True), row, "map"),
    "approx_max": (lambda v: lax.approx_max_k(v, 3)[0], plane, "slope push map"),
    "approx_max_axis": (lambda v: lax.approx_max_k(v, 2, reduction_dimension=0)[0], plane, "slope push map"),
    "approx_min": (lambda v: lax.approx_min_k(v, 3)[0], plane, "slope push map"),
    "broadcast_like": (lambda v: lax.broadcast_like(v, plane), x((5,), 3, 7), "slope push map"),
    "stack": (lambda v: lax.stack([v, 2 * v], axis=1), plane, "slope push map"),
    "unstack": (lambda v: lax.unstack(v, axis=1)[2], plane, "slope push map"),
    "barrier": (lambda v: lax.optimization_barrier(v) * v, plane, "slope push map"),
}


def places(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return jnp.where(first, a, b), jnp.where(first, i, j)


def pair(p, q):
    return places(p[0], p[1], q[0], q[1])


key4, key2 = jnp.array([1, 2, 3, 0xFFFFFFFF], jnp.uint32), jnp.array([5, 2**63 + 7], jnp.uint64)
words = lambda k: jnp.stack([k & 0xFFFFFFFF, k >> 32]).astype(jnp.uint32) if k.dtype == jnp.uint64 else k
drawn = lambda key, shape, dtype, how: tuple(words(v) for v in lax.rng_bit_generator(key, shape, dtype, how))
algorithm = lax.RandomAlgorithm
OTHERS = {
    "argmax": lambda: lax.reduce((plane, jnp.broadcast_to(jnp.arange(5, dtype=jnp.int32), (4, 5))), (np.float32(-inf), np.int32(9)), pair, (1,)),
    "reduce_and": lambda: (lax.reduce(jnp.array([7, 14, 6], jnp.int32), np.int32(-1), lax.bitwise_and, (0,)), lax.reduce(jnp.array([1, 14, 6], jnp.uint8), np.uint8(0), lax.bitwise_or, (0,))),
    "reduce_init": lambda: (lax.reduce(jnp.arange(6, dtype=jnp.int32), np.int32(100), lax.add, (0,)),),
    "approx_max": lambda: lax.approx_max_k(odd, 4),
    "approx_max_all": lambda: (lax.approx_max_k(plane, 2, aggregate_to_topk=False)[0].shape == (4, 5),),
    "approx_min": lambda: lax.approx_min_k(jnp.where(jnp.isnan(odd), 7, odd), 4),
    "approx_min_axis": lambda: lax.approx_min_k(plane, 2, reduction_dimension=0),
    "rng_default": lambda: drawn(key4, (5,), np.uint32, algorithm.RNG_DEFAULT),
    "rng_threefry": lambda: drawn(key4, (3, 3), np.uint32, algorithm.RNG_THREE_FRY),
    "rng_philox": lambda: drawn(key2, (2, 3), np.uint16, algorithm.RNG_PHILOX),
    "rng_wide": lambda: drawn(key2, (3,), np.uint64, algorithm.RNG_THREE_FRY),
    "rng_bytes": lambda: drawn(key4, (7,), np.uint8, algorithm.RNG_THREE_FRY),
    "rng_scalar": lambda: drawn(key4, (), np.uint32, algorithm.RNG_THREE_FRY),
    "conv_shape": lambda: (lax.conv_shape_tuple((4, 3, 9, 7), (5, 3, 2, 4), (2, 1), "SAME"), lax.conv_shape_tuple((4, 3, 9, 7), (5, 3, 2, 4), (2, 3), ((1, 0), (-1, 2)), 2), lax.conv_shape_tuple((4, 3, 2, 7), (5, 3, 3, 4), (1, 1), "VALID")),
    "conv_general_shape": lambda: (lax.conv_general_shape_tuple((4, 9, 7, 3), (2, 4, 3, 5), (2, 1), "SAME_LOWER", ("NHWC", "HWIO", "NCWH")), lax.conv_general_shape_tuple((4, 9, 3), (2, 3, 5), (2,), ((1, 1),), ("NWC", "WIO", "CNW"))),
    "conv_transpose_shape": lambda: (lax.conv_transpose_shape_tuple((4, 9, 7, 3), (2, 4, 3, 5), (2, 1), "SAME", ("NHWC", "HWIO", "NHWC")), lax.conv_transpose_shape_tuple((4, 9, 3), (2, 3, 5), (2,), "VALID", ("NWC", "WIO", "CNW")), lax.conv_transpose_shape_tuple((4, 9, 3), (2, 3, 5), (2,), ((1, 0),), ("NWC", "WIO", "NWC"))),
    "conv_permutations": lambda: lax.conv_general_permutations(("NHWC", "WHIO", "CNWH")),
    "scaled_dot_odd": lambda: (lax.scaled_dot(specials, jnp.ones((4, 1), jnp.float32), lhs_scale=special_scales, preferred_element_type=jnp.float32), lax.scaled_dot(specials, jnp.ones((4, 1), jnp.float32)).astype(jnp.float32)),
    "polygamma_odd": lambda: (lax.polygamma(*(jnp.array(v, jnp.float32) for v in ([-1, 0.5, nan, inf, 2, 3, 3, 1.5, 0, 4], [2, 2, 2, 2, 0, -1, 0, -1, -2, -3]))),),
    "empty": lambda: (lax.empty((2, 3), np.int32), lax.empty((), np.float32)),
    "dtype": lambda: tuple(np.int32(d == np.dtype(w)) for d, w in ((lax.dtype(plane), "float32"), (lax.dtype(spots), "int32"), (lax.dtype(odd > 0), "bool"))),
    "rng_uniform": lambda: in_range(),
    "broadcast_shapes": lambda: (lax.broadcast_shapes((3, 1), (1, 4), (5, 1, 1)), lax.broadcast_shapes((2,))),
    "shape_as_value": lambda: (lax.shape_as_value((3, 1, 4)), lax.shape_as_value(())),
}


# The numbers themselves depend on the backend.
def in_range():
    f = lax.rng_uniform(np.float32(-2), np.float32(3), (500, 2))
    i = lax.rng_uniform(np.int32(-2), np.int32(3), (500,))
    return (f.shape, np.asarray((f >= -2) & (f < 3)).all(), np.unique(np.asarray(i)).astype(np.int32))


print(f"# made by make_lax.py with jax {jax.__version__}")
for name, (f, a, more) in CALLS.items():
    r = f(a)
    show(name, r)
    smooth = (lambda v, f=f: f(v, scaled)) if f.__defaults__ else f
    assert not f.__defaults__ or (smooth(a) == r).all()
    if "slope" in more:
        show(name + "_slope", jax.vjp(smooth, a)[1](x(r.shape, 5, 13))[0])
    if "push" in more:
        show(name + "_push", jax.jvp(smooth, (a,), (x(a.shape, 3, 7),))[1])
    if "map" in more:
        show(name + "_map", jax.vmap(f)(jnp.stack([a, -a])))
    if "each" in more:
        show(name + "_map", jnp.stack([f(a), f(-a)]))
for name, f in OTHERS.items():
    for k, r in enumerate(f()):
        show(f"{name}_{k}", np.asarray(r, np.int64) if isinstance(r, tuple) else r)
