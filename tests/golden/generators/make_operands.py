# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_operands.py: writes operands.txt, the results of JAX for functions by
# one operand. The texts of their families have no gradient, map or second shape for that operand.
# The calls are those that tests/functions/operands_golden_test.cpp makes under the same names.
#
# Run with jax installed: python make_operands.py > operands.txt (made with jax 0.10.2).
#
# The lines are like those of windows.txt: NAME, NAME_slope, NAME_push and NAME_map.
import jax
import jax.numpy as jnp
from jax import lax, nn, random
from jax.lax import linalg as ll
from jax.nn import initializers as init
from jax.numpy import linalg as nl
from jax.scipy import linalg as sl

from golden_lines import show, x

square, plane, six = x((3, 3), 7, 23), x((4, 5), 3, 13), x((6, 6), 7, 23)
strong = lambda v: v + 8 * jnp.eye(v.shape[-1])
key = random.key(7)
seed, seeded = jnp.float32(5), lambda f: lambda s: f(random.key(s.astype(jnp.int32)))
part = lambda words: (words >> 8).astype(jnp.float32)
ALL = "slope push map"

# name: (function, operand, the lines besides the value)
CALLS = {
    "cholesky": (lambda v: nl.cholesky(strong(v @ v.T)), square, ALL), "solve_triangular": (lambda v: sl.solve_triangular(strong(v), x((3, 2)), lower=True), square, ALL),
    "triangular_solve": (lambda v: ll.triangular_solve(strong(v), x((2, 3)), left_side=False), square, ALL), "lu_factor": (lambda v: sl.lu_factor(strong(v))[0], square, ALL),
    "tensorinv_wide": (lambda v: nl.tensorinv(strong(v).reshape(2, 3, 6)), six, ALL), "tensorsolve_wide": (lambda v: nl.tensorsolve(strong(v).reshape(2, 3, 6), x((2, 3))), six, ALL),
    "rsf2csf_small": (lambda v: jnp.abs(sl.rsf2csf(*sl.schur(v))[0]), square, "map"), "cross": (lambda v: nl.cross(v, x((3, 3), 5, 7)), square, ALL), "matmul": (lambda v: nl.matmul(v, v), square, ALL),
    "tensordot": (lambda v: nl.tensordot(v, x((5, 2)), axes=1), plane, ALL), "vecdot": (lambda v: nl.vecdot(v, x((5,))), plane, ALL),
    "tridiagonal_solve": (lambda v: ll.tridiagonal_solve(v[0], v[1] + 8, v[2], x((5, 2))), plane, ALL),
    "shift_rows": (lambda v: jnp.fft.fftshift(v, axes=0), plane, ALL), "hard_swish": (nn.hard_swish, plane, ALL), "sparse_plus": (nn.sparse_plus, plane, ALL), "sparse_sigmoid": (nn.sparse_sigmoid, plane, ALL),
    "log1mexp": (lambda v: nn.log1mexp(v * v + 0.25), plane, ALL), "glu": (lambda v: nn.glu(v, 0), plane, ALL),
    "layer_norm": (lambda v: nn.standardize(v) * x((5,)) + x((5,), 3, 7), plane, ALL), "layer_norm_axes": (lambda v: nn.standardize(v, (0, 2), epsilon=0.5), x((3, 4, 2), 7, 23), ALL),
    "constant": (lambda v: init.constant(v[0])(key, (2, 3)), plane[:, :3], ALL), "constant_wide": (lambda v: init.constant(v)(key, (2, 4, 5)), plane, ALL),
    "choice": (lambda v: random.choice(key, v, (3, 2)), x((9,)), ALL), "broadcast_like_deep": (lambda v: lax.broadcast_like(v, x((2, 3, 4))), x((4,)), ALL),
    "stack_row": (lambda v: lax.stack([v, v, 3 * v]), x((9,)), ALL), "unstack_row": (lambda v: lax.unstack(v)[2], x((9,)), ALL),
    "split": (seeded(lambda k: part(random.key_data(random.split(k, 3)))), seed, "map"), "key_data": (seeded(lambda k: part(random.key_data(k))), seed, "map"),
    "wrap": (lambda s: random.uniform(random.wrap_key_data(jnp.stack([s, s * s]).astype(jnp.uint32)), (2, 2)), jnp.float32(6), ""), "wrap_row": (lambda s: random.uniform(random.wrap_key_data(jnp.stack([s + 7, s * s]).astype(jnp.uint32)), (3,)), jnp.float32(6), "map"),
    "clone": (seeded(lambda k: random.uniform(random.clone(k), (2, 3))), seed, "map"),
    "delta_orthogonal": (seeded(lambda k: init.delta_orthogonal()(k, (3, 2, 2))), seed, "map"), "variance_scaling": (seeded(lambda k: init.variance_scaling(2.0, "fan_out", "uniform")(k, (4, 3))), seed, "map"),
    "initial_uniform": (seeded(lambda k: init.uniform()(k, (4, 3))), seed, "map"), "initial_normal": (seeded(lambda k: init.normal()(k, (4, 3))), seed, "map"),
    "initial_truncated_normal": (seeded(lambda k: init.truncated_normal()(k, (4, 3))), seed, "map"),
    "zeros_row": (seeded(lambda k: init.zeros(k, (5,))), seed, "map"), "ones_plane": (seeded(lambda k: init.ones(k, (5, 2))), seed, "map"),
    "padtype_to_pads": (lambda v: jnp.array(lax.padtype_to_pads((9, 7), (3, 2), (2, 1), "SAME"), jnp.float32), seed, ""), "padtype_to_pads_row": (lambda v: jnp.array(lax.padtype_to_pads((9,), (4,), (1,), "SAME_LOWER"), jnp.float32), seed, ""),
    "reduce_window_shape": (lambda v: jnp.array(lax.reduce_window_shape_tuple((9, 7), (3, 2), (2, 1), ((1, 1), (0, 2)), (1, 2), (2, 1)), jnp.float32), seed, ""), "reduce_window_shape_row": (lambda v: jnp.array(lax.reduce_window_shape_tuple((9,), (4,), (3,), ((0, 1),)), jnp.float32), seed, ""),
    "conv_dimension_numbers": (lambda v: jnp.array(lax.conv_dimension_numbers((1, 2, 3, 4), (1, 2, 3, 4), ("NHWC", "HWIO", "NCHW")), jnp.float32), seed, ""), "conv_dimension_numbers_row": (lambda v: jnp.array(lax.conv_dimension_numbers((1, 2, 3), (1, 2, 3), None), jnp.float32), seed, ""),
    "conv_permutations_row": (lambda v: jnp.array(lax.conv_general_permutations(("NWC", "WIO", "CNW")), jnp.float32), seed, ""), "conv_shape_row": (lambda v: jnp.array(lax.conv_shape_tuple((4, 3, 9), (5, 3, 2), (2,), "SAME"), jnp.float32), seed, ""),
}
for name in ("glorot", "xavier", "lecun", "he", "kaiming"):
    for kind in ("uniform", "normal"):
        CALLS[f"{name}_{kind}"] = (seeded(lambda k, f=getattr(init, f"{name}_{kind}"): f()(k, (4, 3))), seed, "map")


print(f"# made by make_operands.py with jax {jax.__version__}")
for name, (f, a, more) in CALLS.items():
    r = f(a)
    show(name, r)
    if "slope" in more:
        show(name + "_slope", jax.vjp(f, a)[1](x(r.shape, 5, 13))[0])
        show(name + "_push", jax.jvp(f, (a,), (x(a.shape, 3, 7),))[1])
    if "map" in more:
        show(name + "_map", jax.vmap(f)(jnp.stack([a, -a])))
