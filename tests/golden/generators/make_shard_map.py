# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_shard_map.py: writes shard_map.txt, the results of jax.shard_map over
# eight devices for the calls that tests/transforms/shard_map_golden_test.cpp makes under the same
# names.
#
# Run with jax installed: python make_shard_map.py > shard_map.txt (made with jax 0.10.2).
#
# The format of the lines is that of functions.txt. Each call has a line with the result. NAME_slope
# is the gradient of the sum of the result times x(shape, 5, 13) with respect to the first argument.
# NAME_mapped is the result of a map over three first arguments.
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
from jax import P, lax

from golden_lines import show, x

MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
wide, tall, cube = x((8, 12), 3, 13), x((12, 6), 7, 23), x((4, 8, 6), 5, 19)


def sharded(f, in_specs, out_specs, check=False):
    return jax.jit(jax.shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, check_vma=check))


def ring(a):  # each block visits all lanes of "data"
    def step(c, _):
        block, total = c
        return (lax.ppermute(block, "data", [(i, (i + 1) % 4) for i in range(4)]), total + block * block.sum()), None
    return lax.scan(step, (a, jnp.zeros_like(a)), None, length=4)[0][1]


def until_small(a):  # all lanes continue while one of them has to
    more = lambda c: lax.pmax(jnp.abs(c).max(), ("data", "model")) > 0.5
    return lax.while_loop(more, lambda c: c / 2 - lax.pmean(c, "data") / 8, a)


def train_step(w, a, y):
    loss = lambda w: ((jnp.tanh(a @ w) - y) ** 2).mean()
    return w - 0.1 * lax.pmean(jax.grad(loss)(w), "data")


def layer(a, w):  # rows over "data", hidden units over "model"
    hidden = jax.nn.relu(a @ w)
    return lax.psum(hidden @ w.T, "model")


# name: (function of one block, in_specs, out_specs, arguments)
CALLS = {
    "square": (lambda a: a * a, P("data", "model"), P("data", "model"), [wide]),
    "rows": (lambda a: a.sum(0, keepdims=True), P("data"), P("data"), [wide]),
    "whole": (lambda a: a * 2, P(), P(), [wide]),
    "product": (lambda a, b: lax.psum(a @ b, "model"), (P("data", "model"), P("model")), P("data"), [wide, tall]),
    "both_axes": (lambda a: a + lax.axis_index(("data", "model")), P(("data", "model")), P(("data", "model")), [wide]),
    "both_back": (lambda a: a - lax.axis_index(("model", "data")), P(("model", "data")), P(("model", "data")), [wide]),
    "turned": (lambda a: a.T, P("data", "model"), P("model", "data"), [wide]),
    "moved": (lambda a: a * 3, P("data"), P(None, "data"), [wide]),
    "third_axis": (lambda a: jnp.cumsum(a, 1), P("data", None, "model"), P(None, "data", "model"), [cube]),
    "tiled_result": (lambda a: a.sum(), P(), P(), [wide]),
    "copies": (lambda a: a, P(), P("model", "data"), [x((2, 3), 3, 7)]),
    "mean": (lambda a: lax.pmean(a.mean(), ("data", "model")), P("data", "model"), P(), [wide]),
    "gathered": (lambda a: lax.all_gather(a, "data", tiled=True), P("data"), P(), [wide]),
    "scattered": (lambda a: lax.psum_scatter(a, "data", tiled=True), P(None, "data"), P("data", None), [wide]),
    "exchanged": (lambda a: lax.all_to_all(a, "data", 1, 0, tiled=True), P("data"), P(None, "data"), [wide]),
    "ring": (ring, P("data", "model"), P("data", "model"), [wide]),
    "until_small": (until_small, P("data", "model"), P("data", "model"), [wide]),
    "train_step": (train_step, (P(), P("data"), P("data")), P(), [tall, wide, x((8, 6), 5, 17)]),
    "layer": (layer, (P("data"), P(None, "model")), P("data"), [wide, tall]),
    "first_lane": (lambda a: a, P("data"), P(), [wide]),
}
NO_SLOPE = {"until_small"}

print(f"# made by make_shard_map.py with jax {jax.__version__}")
for name, (f, in_specs, out_specs, args) in CALLS.items():
    run = sharded(f, in_specs, out_specs)
    r = run(*args)
    show(name, r)
    if name not in NO_SLOPE and name != "first_lane":
        show(name + "_slope", jax.grad(lambda a: (run(a, *args[1:]) * x(r.shape, 5, 13)).sum())(args[0]))
    several = jnp.stack([args[0], args[0] * 2, args[0] - 1])
    show(name + "_mapped", jax.vmap(run, in_axes=(0,) + (None,) * (len(args) - 1))(several, *args[1:]))
