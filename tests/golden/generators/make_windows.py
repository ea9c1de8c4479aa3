# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_windows.py: writes windows.txt, the results of jax.lax and jax.numpy
# for windows, pools and convolutions. tests/functions/lax/windows_golden_test.cpp calls them under
# the same names.
#
# Run with jax installed: python make_windows.py > windows.txt (made with jax 0.10.2).
#
# The format of the lines is that of functions.txt. Each call has its value and three further lines.
# NAME_slope is the gradient of the sum of the result times x(shape, 5, 13) with respect to the
# first operand. NAME_push is the tangent for the tangent x(shape, 3, 7) of that operand. NAME_map
# is mapped over that operand and its negative. Pools are defined as in flax.linen.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from golden_lines import show, x

inf, nan = np.inf, np.nan


def pooled(v, init, f, window, strides=None, padding="VALID"):
    strides = strides or (1,) * len(window)
    batch = (1,) * (v.ndim - len(window) - 1)
    if not isinstance(padding, str):
        padding = ((0, 0),) * len(batch) + tuple(padding) + ((0, 0),)
    return lax.reduce_window(v, init, f, batch + tuple(window) + (1,), batch + tuple(strides) + (1,), padding)


def max_pool(v, window, strides=None, padding="VALID"):
    return pooled(v, -inf, lax.max, window, strides, padding)


def min_pool(v, window, strides=None, padding="VALID"):
    return pooled(v, inf, lax.min, window, strides, padding)


def avg_pool(v, window, strides=None, padding="VALID", count_include_pad=True):
    total = pooled(v, 0.0, lax.add, window, strides, padding)
    return total / (np.prod(window) if count_include_pad else pooled(jnp.ones_like(v), 0.0, lax.add, window, strides, padding))


def turned_conv(v, k, strides, padding, **more):
    return lax.conv_transpose(v, k, strides, padding, **more)


image, row, plane = x((2, 5, 6, 3), 7, 23), x((9,), 5, 17), x((4, 5), 3, 13)
odd = jnp.array([3.0, nan, -1.0, inf, 0.0, -0.0, -2.5, nan, 1.0, 1.0, nan, -inf, -inf], jnp.float32)
kernel, short = x((3, 2, 3, 4), 5, 19), x((4,), 3, 7)
lines, taps = x((2, 7, 3), 7, 23), x((3, 3, 2), 5, 19)
first, filters = x((2, 3, 6, 5), 7, 23), x((4, 3, 3, 2), 5, 19)
prod = lambda a, b: a * b
local = x((2, 12, 3, 2), 5, 17)

# name: (function, operands)
CALLS = {
    "max_pool": (lambda v: max_pool(v, (2, 2), (2, 2)), image),
    "max_pool_same": (lambda v: max_pool(v, (3, 3), (2, 1), "SAME"), image),
    "max_pool_pairs": (lambda v: max_pool(v, (2, 3), None, ((1, 0), (0, 2))), image),
    "max_pool_single": (lambda v: max_pool(v, (3,), (2,), "SAME"), lines[0]),
    "max_pool_ties": (lambda v: max_pool(jnp.round(v), (3, 2), (1, 1), "SAME"), image),
    "min_pool": (lambda v: min_pool(v, (2, 3), (1, 2), "SAME"), image),
    "avg_pool": (lambda v: avg_pool(v, (2, 2), (2, 2)), image),
    "avg_pool_same": (lambda v: avg_pool(v, (3, 2), (2, 1), "SAME"), image),
    "avg_pool_counted": (lambda v: avg_pool(v, (3, 2), (2, 1), "SAME", False), image),
    "window_sum": (lambda v: lax.reduce_window(v, 0.0, lax.add, (2, 3), (1, 2), ((1, 0), (2, -1)), (2, 1), (1, 2)), plane),
    "window_max": (lambda v: lax.reduce_window(v, -inf, lax.max, (2, 3), (2, 1), ((0, 1), (2, 0))), plane),
    "window_min": (lambda v: lax.reduce_window(v, inf, lax.min, (3, 2), (1, 1), "SAME_LOWER"), plane),
    "window_max_odd": (lambda v: lax.reduce_window(v, -inf, lax.max, (3,)), odd),
    "window_sum_odd": (lambda v: lax.reduce_window(v, 0.0, lax.add, (2,)), odd),
    "window_prod": (lambda v: lax.reduce_window(v, 1.0, prod, (2, 2), (1, 2), "SAME"), plane),
    "window_init": (lambda v: lax.reduce_window(v, 2.0, lax.add, (3,), (2,), ((0, 0),)), row),
    "window_long": (lambda v: lax.reduce_window(v, 0.0, lax.add, (70,), (3,), ((5, 1),)), x((90,), 5, 31)),
    "window_long_max": (lambda v: lax.reduce_window(v, -inf, lax.max, (70,), (3,), ((5, 1),)), x((90,), 37, 91)),
    "scatter_add": (lambda s: lax.select_and_scatter_add_p.bind(s, plane, select_prim=lax.ge_p, window_dimensions=(2, 2), window_strides=(1, 2), padding=((0, 0), (1, 0))), x((3, 3), 5, 7)),
    "scatter_add_le": (lambda s: lax.select_and_scatter_add_p.bind(s, plane, select_prim=lax.le_p, window_dimensions=(2, 2), window_strides=(2, 1), padding=((0, 0), (0, 0))), x((2, 4), 5, 7)),
    "gather_add": (lambda s: lax.select_and_gather_add_p.bind(s, plane, select_prim=lax.le_p, window_dimensions=(2, 2), window_strides=(1, 2), padding=((0, 0), (1, 0)), base_dilation=(1, 1), window_dilation=(1, 1)), x((4, 5), 5, 7)),
    "conv": (lambda v: lax.conv(v, filters, (2, 1), "SAME"), first),
    "conv_padded": (lambda v: lax.conv_with_general_padding(v, filters, (1, 2), ((1, 0), (2, 1)), (2, 1), (1, 2)), first),
    "conv_transpose": (lambda v: turned_conv(v, kernel, (2, 2), "SAME"), image),
    "conv_transpose_valid": (lambda v: turned_conv(v, kernel, (1, 3), "VALID"), image),
    "conv_transpose_dilated": (lambda v: turned_conv(v, kernel, (2, 1), "SAME", rhs_dilation=(1, 2)), image),
    "conv_transpose_pairs": (lambda v: turned_conv(v, kernel, (2, 1), ((1, 2), (0, 1))), image),
    "conv_transpose_consistent": (lambda v: turned_conv(v, kernel, (2, 1), ((1, 0), (0, 1)), use_consistent_padding=True), image),
    "conv_transpose_turned": (lambda v: turned_conv(v, x((3, 2, 4, 3), 5, 19), (2, 2), "SAME", transpose_kernel=True), image),
    "conv_transpose_letters": (lambda v: turned_conv(v, x((3, 4, 3, 2), 5, 19), (2, 1), "VALID", dimension_numbers=("NCHW", "IOHW", "NHWC")), first),
    "conv_transpose_kernel": (lambda k: turned_conv(lines, k, (2,), "SAME"), taps),
    "patches": (lambda v: lax.conv_general_dilated_patches(v, (2, 2), (1, 2), ((1, 0), (0, 0))), first),
    "patches_letters": (lambda v: lax.conv_general_dilated_patches(v, (2, 3), (1, 1), "SAME", rhs_dilation=(2, 1), dimension_numbers=("NWHC", "OIHW", "NHWC")), image),
    "patches_apart": (lambda v: lax.conv_general_dilated_patches(v, (2, 2), (2, 2), ((0, 1), (0, 0)), lhs_dilation=(2, 1)), first),
    "conv_local": (lambda v: lax.conv_general_dilated_local(v, local, (2, 2), "VALID", (2, 2)), first),
    "conv_local_kernel": (lambda k: lax.conv_general_dilated_local(image, k, (2, 2), "VALID", (2, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")), x((2, 3, 12, 2), 5, 17)),
    "convolve": (lambda v: jnp.convolve(v, short), row), "convolve_same": (lambda v: jnp.convolve(v, short, "same"), row),
    "convolve_valid": (lambda v: jnp.convolve(v, short, "valid"), row), "convolve_short": (lambda v: jnp.convolve(v, row, "same"), short),
    "correlate": (lambda v: jnp.correlate(v, short), row), "correlate_same": (lambda v: jnp.correlate(v, short, "same"), row),
    "correlate_full": (lambda v: jnp.correlate(v, short, "full"), row), "correlate_short": (lambda v: jnp.correlate(v, row, "full"), short),
}

volume, cube = x((1, 3, 4, 3, 2), 7, 23), x((2, 3, 2, 2, 2), 5, 19)
beside = odd.at[1].set(2.0)
nhwc = ("NHWC", "HWIO", "NHWC")
CALLS |= {
    "min_pool_single": (lambda v: min_pool(v, (3,), (2,), "SAME"), lines[0]), "min_pool_odd": (lambda v: min_pool(v, (3,)), odd.reshape(13, 1)),
    "max_pool_volume": (lambda v: max_pool(v, (2, 2, 2), (1, 2, 1), "SAME"), volume), "avg_pool_volume": (lambda v: avg_pool(v, (2, 3, 1), (2, 1, 1), ((1, 1), (0, 2), (0, 0)), False), volume),
    "max_pool_odd": (lambda v: max_pool(v, (3,), (1,), "SAME"), odd.reshape(13, 1)), "avg_pool_odd": (lambda v: avg_pool(v, (2,)), odd.reshape(13, 1)), "max_pool_none": (lambda v: max_pool(v, (2, 2)), x((0, 5, 6, 3))),
    "window_min_row": (lambda v: lax.reduce_window(v, inf, lax.min, (3,), (2,), ((1, 1),), (2,), (2,)), row), "window_max_none": (lambda v: lax.reduce_window(v, -inf, lax.max, (10,)), row),
    "window_sum_none": (lambda v: lax.reduce_window(v, 0.0, lax.add, (2, 2)), x((4, 0))), "window_max_apart": (lambda v: lax.reduce_window(v, -inf, lax.max, (2, 2), (1, 1), "SAME", (1, 2), (2, 1)), plane),
    "scatter_add_row": (lambda s: lax.select_and_scatter_add_p.bind(s, row, select_prim=lax.ge_p, window_dimensions=(3,), window_strides=(2,), padding=((0, 0),)), x((4,), 5, 7)),
    "gather_add_row": (lambda s: lax.select_and_gather_add_p.bind(s, row, select_prim=lax.ge_p, window_dimensions=(3,), window_strides=(2,), padding=((1, 1),), base_dilation=(1,), window_dilation=(1,)), x((9,), 5, 7)),
    "conv_volume": (lambda v: lax.conv(v, cube, (1, 2, 1), "SAME"), volume), "conv_volume_kernel": (lambda k: lax.conv(volume, k, (1, 2, 1), "VALID"), cube),
    "conv_row": (lambda v: lax.conv(v, x((3, 2, 4), 5, 19), (2,), "SAME_LOWER"), x((2, 2, 9), 7, 23)), "conv_kernel": (lambda k: lax.conv(first, k, (2, 1), "SAME"), filters),
    "conv_none": (lambda v: lax.conv(v, filters, (1, 1), "VALID"), x((0, 3, 6, 5))), "conv_features": (lambda v: lax.conv(v, x((4, 0, 3, 2)), (1, 1), "VALID"), x((2, 0, 6, 5))), "conv_far": (lambda v: lax.conv(v, x((4, 3, 7, 2)), (1, 1), "VALID"), first),
    "conv_odd": (lambda v: lax.conv(v, x((1, 1, 2)) + 0.125, (1,), "VALID"), beside.reshape(1, 1, 13)),
    "conv_padded_kernel": (lambda k: lax.conv_with_general_padding(first, k, (1, 2), ((1, 0), (2, 1)), (2, 1), (1, 2)), filters), "conv_padded_cropped": (lambda v: lax.conv_with_general_padding(v, cube, (1, 1, 2), ((-1, 1), (0, -1), (2, 0)), (2, 1, 2), (1, 2, 1)), volume),
    "conv_transpose_volume": (lambda v: turned_conv(v, x((2, 1, 2, 2, 3), 5, 19), (2, 1, 2), "SAME"), x((1, 2, 3, 2, 2), 7, 23)),
    "conv_local_row": (lambda v: lax.conv_general_dilated_local(v, x((3, 4, 8), 5, 17), (1,), "VALID", (2,)), x((2, 2, 9), 7, 23)),
    "nn_conv": (lambda v: lax.conv_general_dilated(v, kernel, (2, 1), "SAME", dimension_numbers=nhwc), image), "nn_conv_kernel": (lambda k: lax.conv_general_dilated(image, k, (1, 1), ((1, 0), (0, 2)), (2, 1), (1, 2), nhwc), kernel),
    "nn_conv_groups": (lambda v: lax.conv_general_dilated(v, x((3, 1, 6), 5, 19), (1,), "VALID", feature_group_count=3, dimension_numbers=("NWC", "WIO", "NWC")), lines),
}


print(f"# made by make_windows.py with jax {jax.__version__}")
for name, (f, a) in CALLS.items():
    r = f(a)
    show(name, r)
    # JAX cannot transpose windows of general functions, nor dilated ones.
    if name not in ("window_prod", "window_init", "window_min_row", "window_max_apart"):
        show(name + "_slope", jax.vjp(f, a)[1](x(r.shape, 5, 13))[0])
    # If a whole window is -inf, JAX's tangent is that of the padding, but its gradient is not.
    if name != "max_pool_odd":
        show(name + "_push", jax.jvp(f, (a,), (x(a.shape, 3, 7),))[1])
    show(name + "_map", jax.vmap(f)(jnp.stack([a, -a])))
