# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_lax_shapes.py: writes lax_shapes.txt, the results of jax.lax for
# shapes, slices, scatters, sorts and products. tests/functions/lax/lax_shapes_golden_test.cpp calls
# them under the same names.
#
# Run with jax installed: python make_lax_shapes.py > lax_shapes.txt (made with jax 0.10.2).
#
# The lines are like those of windows.txt: NAME, NAME_slope, NAME_push and NAME_map.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from golden_lines import show, x

inf, nan = np.inf, np.nan


plane, block, row = x((4, 5), 3, 13), x((3, 4, 2), 7, 23), x((9,), 5, 17)
spots, lines = jnp.array([[1], [3], [1], [8], [9], [-1]]), jnp.array([[2], [0], [2]])
points = lax.ScatterDimensionNumbers((), (0,), (0,))
rows = lax.ScatterDimensionNumbers((1,), (0,), (0,))
one, three = x((6,), 3, 7), x((3, 5), 5, 11)
taken = lax.GatherDimensionNumbers((), (0,), (0,))
blocks = lax.GatherDimensionNumbers((1, 2), (), (0, 1))
letters = ("NHWC", "HWIO", "NCHW")
dilated = lambda a, k, *o, **more: lax.conv_general_dilated(a, k, *o, **more)
scatters = {"scatter": lax.scatter, "scatter_add": lax.scatter_add, "scatter_sub": lax.scatter_sub, "scatter_mul": lax.scatter_mul, "scatter_min": lax.scatter_min, "scatter_max": lax.scatter_max}

# name: (function, operand)
CALLS = {
    "reciprocal": (lax.reciprocal, row + 0.125), "reciprocal_plane": (lax.reciprocal, plane + 0.125),
    "reciprocal_odd": (lax.reciprocal, jnp.array([0.0, -0.0, inf, -inf, nan, 2e-38, 3e38], jnp.float32)),
    "broadcast": (lambda v: lax.broadcast(v, (2, 3)), row), "broadcast_none": (lambda v: lax.broadcast(v, (0,)), plane),
    "broadcast_in_dim": (lambda v: lax.broadcast_in_dim(v, (4, 2, 5), (0, 2)), plane), "broadcast_in_dim_row": (lambda v: lax.broadcast_in_dim(v.reshape(9, 1), (9, 3), (0, 1)), row),
    "broadcast_to_rank": (lambda v: lax.broadcast_to_rank(v, 3), plane), "broadcast_to_rank_row": (lambda v: lax.broadcast_to_rank(v, 2), row),
    "reshape": (lambda v: lax.reshape(v, (2, 10)), plane), "reshape_flat": (lambda v: lax.reshape(v, (24,)), block),
    "collapse": (lambda v: lax.collapse(v, 1), block), "collapse_front": (lambda v: lax.collapse(v, 0, 2), block),
    "expand_dims": (lambda v: lax.expand_dims(v, (0, 3)), plane), "expand_dims_last": (lambda v: lax.expand_dims(v, (-1,)), row),
    "squeeze": (lambda v: lax.squeeze(v.reshape(4, 1, 5), (1,)), plane), "squeeze_two": (lambda v: lax.squeeze(v.reshape(1, 9, 1), (0, -1)), row),
    "transpose": (lambda v: lax.transpose(v, (2, 0, 1)), block), "transpose_plane": (lambda v: lax.transpose(v, (1, 0)), plane),
    "rev": (lambda v: lax.rev(v, (0, 2)), block), "rev_row": (lambda v: lax.rev(v, (0,)), row),
    "concatenate": (lambda v: lax.concatenate([v, 2 * v, v[:1]], 0), plane), "concatenate_last": (lambda v: lax.concatenate([v[:, :0], v, v], 1), plane),
    "pad": (lambda v: lax.pad(v, np.float32(0.5), ((1, 0, 2), (-1, 2, 0))), plane), "pad_row": (lambda v: lax.pad(v, v[2], ((-2, 1, 1),)), row),
    "full": (lambda v: lax.full((2, 3), v[1]), row), "full_line": (lambda v: lax.full((4,), v[0, 2]), plane),
    "full_like": (lambda v: lax.full_like(plane, v[1]), row), "full_like_row": (lambda v: lax.full_like(v, v[3]), row),
    "split": (lambda v: lax.split(v, (2, 0, 3), 1)[2], plane), "split_rows": (lambda v: lax.split(v, (1, 3))[0], plane),
    "tile": (lambda v: lax.tile(v, (2, 1, 3)), block), "tile_row": (lambda v: lax.tile(v, (3,)), row),
    "slice": (lambda v: lax.slice(v, (1, 0), (4, 5), (2, 3)), plane), "slice_none": (lambda v: lax.slice(v, (4,), (4,)), row),
    "slice_in_dim": (lambda v: lax.slice_in_dim(v, -4, None, 2, 1), plane), "slice_in_dim_row": (lambda v: lax.slice_in_dim(v, 1, -2), row),
    "index_in_dim": (lambda v: lax.index_in_dim(v, -1, 1), plane), "index_in_dim_less": (lambda v: lax.index_in_dim(v, 2, 0, False), block),
    "dynamic_slice": (lambda v: lax.dynamic_slice(v, (1, 4), (2, 3)), plane), "dynamic_slice_row": (lambda v: lax.dynamic_slice(v, (-3,), (4,)), row),
    "dynamic_slice_in_dim": (lambda v: lax.dynamic_slice_in_dim(v, 9, 2, 1), plane), "dynamic_slice_in_dim_row": (lambda v: lax.dynamic_slice_in_dim(v, 2, 3), row),
    "dynamic_index_in_dim": (lambda v: lax.dynamic_index_in_dim(v, 3, 1), plane), "dynamic_index_in_dim_less": (lambda v: lax.dynamic_index_in_dim(v, 1, 0, False), block),
    "dynamic_update_slice": (lambda v: lax.dynamic_update_slice(v, x((2, 3)), (3, 1)), plane), "dynamic_update_slice_of": (lambda v: lax.dynamic_update_slice(row, v[0], (-4,)), plane),
    "dynamic_update_slice_in_dim": (lambda v: lax.dynamic_update_slice_in_dim(v, x((4, 2)), 2, 1), plane), "dynamic_update_slice_in_dim_row": (lambda v: lax.dynamic_update_slice_in_dim(v, v[:3], 8, 0), row),
    "dynamic_update_index_in_dim": (lambda v: lax.dynamic_update_index_in_dim(v, x((4,)), 2, 1), plane), "dynamic_update_index_in_dim_row": (lambda v: lax.dynamic_update_index_in_dim(v, v[1], 7, 0), row),
    "gather": (lambda v: lax.gather(v, spots, taken, (1,), mode="fill"), row), "gather_blocks": (lambda v: lax.gather(v, jnp.array([[0, 1], [2, 2], [9, 9]]), blocks, (2, 3), mode="clip"), plane),
    "gather_fill": (lambda v: lax.gather(v, jnp.array([[0, 1], [2, 2], [9, 9]]), blocks, (2, 3), mode="fill", fill_value=7), plane),
    "sort": (lambda v: lax.sort(v, dimension=1), block), "sort_row": (lax.sort, row), "sort_odd": (lax.sort, jnp.array([3.0, nan, -inf, 0.0, -0.0, inf, nan, -1.0], jnp.float32)),
    "sort_key_val": (lambda v: lax.sort_key_val(jnp.sin(v), v, 0)[1], plane), "sort_key_val_row": (lambda v: lax.sort_key_val(v, jnp.cos(v))[1], row),
    "top_k": (lambda v: lax.top_k(v, 2)[0], plane), "top_k_row": (lambda v: lax.top_k(v, 4)[0], row),
    "dot": (lambda v: lax.dot(v, x((5, 3))), plane), "dot_vector": (lambda v: lax.dot(x((9,)), v), row), "dot_none": (lambda v: lax.dot(v[:, :0], x((0, 3))), plane),
    "batch_matmul": (lambda v: lax.batch_matmul(v, x((3, 2, 5))), block), "batch_matmul_right": (lambda v: lax.batch_matmul(x((3, 1, 4)), v), block),
    "conv_general_dilated": (lambda v: dilated(v, x((2, 3, 2, 4), 5, 19), (2, 1), ((1, -1), (0, 2)), (1, 2), (2, 1), letters), x((2, 4, 3, 2))),
    "conv_general_dilated_kernel": (lambda k: dilated(x((2, 4, 3, 2)), k, (2, 1), ((1, -1), (0, 2)), (1, 2), (2, 1), letters), x((2, 3, 2, 4), 5, 19)),
    "conv_general_dilated_groups": (lambda v: dilated(v, x((6, 2, 3), 5, 19), (1,), "SAME", feature_group_count=2), x((2, 4, 5))),
    "conv_general_dilated_batches": (lambda k: dilated(x((4, 2, 5)), k, (1,), "SAME_LOWER", batch_group_count=2), x((6, 2, 3), 5, 19)),
    "conv_general_dilated_none": (lambda v: dilated(v, x((4, 2, 3)), (2,), "SAME"), x((0, 2, 5))),
}
for name, f in scatters.items():
    CALLS[name] = (lambda v, f=f: f(v, spots, one, points), row)
    CALLS[name + "_of"] = (lambda u, f=f: f(plane, lines[:2], u, rows, unique_indices=True), three[:2])
    CALLS[name + "_clip"] = (lambda v, f=f: f(v, jnp.array([[7], [-9]]), three[:2], rows, mode="clip"), plane)


print(f"# made by make_lax_shapes.py with jax {jax.__version__}")
for name, (f, a) in CALLS.items():
    r = f(a)
    show(name, r)
    # JAX has derivatives of scatter_mul only for unique indices.
    if not name.startswith("scatter_mul") or name == "scatter_mul_of":
        if not name.startswith(("scatter_min", "scatter_max")):
            show(name + "_slope", jax.vjp(f, a)[1](x(r.shape, 5, 13))[0])
            show(name + "_push", jax.jvp(f, (a,), (x(a.shape, 3, 7),))[1])
    show(name + "_map", jax.vmap(f)(jnp.stack([a, -a])))
for name, f in {"iota": lambda: lax.iota(np.float32, 5), "iota_none": lambda: lax.iota(np.float32, 0), "broadcasted_iota": lambda: lax.broadcasted_iota(np.float32, (2, 3), 1), "broadcasted_iota_deep": lambda: lax.broadcasted_iota(np.float32, (2, 3, 2), 0)}.items():
    show(name, f())
