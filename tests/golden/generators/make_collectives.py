# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_collectives.py: writes collectives.txt, the results of jax.lax's
# collectives for the calls that tests/batching/collective_golden_test.cpp makes under the same
# names.
#
# Run with jax installed: python make_collectives.py > collectives.txt (made with jax 0.10.2).
#
# The format of the lines is that of functions.txt. Each call has a line with the values of all
# lanes. NAME_slope is the gradient of the sum of the results times x(shape, 5, 13) with respect to
# the operands of all lanes. NAME_own is computed inside each lane, with respect to its own operand.
# It is the gradient of the sum of this lane's result times x(shape, 5, 13). JAX's vmap supports no
# groups, no partial permutations, and several names only in a few ops. It also fails for gradients
# of all_to_all in a lane. Those lines are made with devices, pmap and shard_map, which have the
# same meaning.
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=6"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

from golden_lines import show, x

row, square, tall, deep = x((4, 3), 3, 13), x((4, 4, 2), 7, 23), x((4, 2, 8), 5, 19), x((2, 3, 6, 2), 7, 31)
halves, thirds, odd = [[2, 0], [1, 3]], [[0, 4, 2], [1, 3, 5]], [[3, 0, 2], [1]]
ring, part = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (3, 2)]


def mapped(f):
    return jax.vmap(f, axis_name="i")


def devices(f):
    return jax.pmap(f, axis_name="i", devices=jax.devices()[:4])


def mesh(f):
    over = Mesh(np.array(jax.devices()).reshape(2, 3), ("i", "j"))
    run = lambda v: f(v[0, 0])[None, None]
    return jax.jit(jax.shard_map(run, mesh=over, in_specs=P("i", "j"), out_specs=P("i", "j"), check_vma=False))


def nested(f):
    return jax.vmap(jax.vmap(f, axis_name="j"), axis_name="i")


# JAX has no working derivative of all_to_all with two axes: this function expresses it by a form
# that has one.
def crossed(v, *args, **groups):
    axis_name, split, concat = args
    direct = lax.all_to_all(v, *args, **groups)
    by_one = jnp.moveaxis(lax.all_to_all(v, axis_name, split, split, **groups), split, concat)
    return lax.stop_gradient(direct) + (by_one - lax.stop_gradient(by_one))


def broadcast(v, axis_name, source):  # jax.lax.pbroadcast, which JAX does not support on CPUs
    return lax.psum(jnp.where(lax.axis_index(axis_name) == source, v, 0), axis_name)


def halved(v):
    return lax.while_loop(lambda c: c.sum() > 0.5, lambda c: c - jnp.abs(c) / 2 - lax.pmean(c, "i") / 16, v)


# name: (how to run it, the function of a lane, operands, which lines to write besides values)
CALLS = {
    "psum": (mapped, lambda a: lax.psum(a, "i"), row, "slope own"),
    "psum_axis": (mapped, lambda a: lax.psum(a, ("i", 1)), square, "slope own"),
    "psum_axes": (mapped, lambda a: lax.psum(a, (0, "i", 1)), square, "slope own"),
    "pmean": (mapped, lambda a: lax.pmean(a, "i"), row, "slope own"),
    "pmax": (mapped, lambda a: lax.pmax(a, "i"), row, ""),
    "pmin": (mapped, lambda a: lax.pmin(a, "i"), row, ""),
    "pmax_axis": (mapped, lambda a: lax.pmax(a, ("i", 0)), square, ""),
    "psum_groups": (devices, lambda a: lax.psum(a, "i", axis_index_groups=halves), row, "slope own"),
    "psum_odd": (devices, lambda a: lax.psum(a, "i", axis_index_groups=odd), row, "slope own"),
    "pmean_groups": (devices, lambda a: lax.pmean(a, "i", axis_index_groups=halves), row, "slope own"),
    "pmax_groups": (devices, lambda a: lax.pmax(a, "i", axis_index_groups=halves), row, ""),
    "pmin_axis": (mapped, lambda a: lax.pmin(a, (0, "i")), square, ""),
    "pmin_odd": (devices, lambda a: lax.pmin(a, "i", axis_index_groups=odd), row, ""),
    "psum_names": (nested, lambda a: lax.psum(a, ("i", "j")), deep, "slope own"),
    "psum_outer": (nested, lambda a: lax.psum(a, "i"), deep, "slope own"),
    "pmean_names": (nested, lambda a: lax.pmean(a, ("j", "i")), deep, "slope own"),
    "all_gather": (mapped, lambda a: lax.all_gather(a, "i"), row, "slope own"),
    "all_gather_axis": (mapped, lambda a: lax.all_gather(a, "i", axis=1), row, "slope own"),
    "all_gather_tiled": (mapped, lambda a: lax.all_gather(a, "i", axis=1, tiled=True), square, "slope own"),
    "all_gather_groups": (devices, lambda a: lax.all_gather(a, "i", axis_index_groups=halves), row, "slope own"),
    "all_gather_groups_tiled": (devices, lambda a: lax.all_gather(a, "i", axis_index_groups=halves, axis=1, tiled=True), square, "slope own"),
    "all_gather_names": (mesh, lambda a: lax.all_gather(a, ("i", "j"), axis=1), deep, "slope own"),
    "all_gather_names_back": (mesh, lambda a: lax.all_gather(a, ("j", "i"), tiled=True), deep, "slope own"),
    "psum_scatter": (mapped, lambda a: lax.psum_scatter(a, "i"), square, "slope own"),
    "psum_scatter_tiled": (mapped, lambda a: lax.psum_scatter(a, "i", scatter_dimension=1, tiled=True), tall, "slope own"),
    "psum_scatter_groups": (devices, lambda a: lax.psum_scatter(a, "i", axis_index_groups=halves), tall, "slope own"),
    "psum_scatter_groups_tiled": (devices, lambda a: lax.psum_scatter(a, "i", scatter_dimension=1, axis_index_groups=halves, tiled=True), tall, "slope own"),
    "psum_scatter_names": (mesh, lambda a: lax.psum_scatter(a, ("i", "j")), deep, "slope own"),
    "psum_scatter_names_back": (mesh, lambda a: lax.psum_scatter(a, ("j", "i"), tiled=True), deep, "slope own"),
    "all_to_all": (devices, lambda a: lax.all_to_all(a, "i", 0, 0), square, "slope own"),
    "all_to_all_axes": (devices, lambda a: crossed(a, "i", 0, 1), square, "slope own"),
    "all_to_all_axes_back": (devices, lambda a: crossed(jnp.swapaxes(a, 0, 1), "i", 1, 0), square, "slope own"),
    "all_to_all_tiled": (devices, lambda a: lax.all_to_all(a, "i", 1, 0, tiled=True), tall, "slope own"),
    "all_to_all_tiled_same": (devices, lambda a: lax.all_to_all(a, "i", 1, 1, tiled=True), tall, "slope own"),
    "all_to_all_groups": (devices, lambda a: crossed(a, "i", 0, 1, axis_index_groups=halves), tall, "slope own"),
    "all_to_all_groups_tiled": (devices, lambda a: lax.all_to_all(a, "i", 1, 0, axis_index_groups=halves, tiled=True), tall, "slope own"),
    "all_to_all_names": (mesh, lambda a: crossed(a, ("i", "j"), 0, 1), deep, "slope own"),
    "all_to_all_names_tiled": (mesh, lambda a: lax.all_to_all(a, ("j", "i"), 0, 1, tiled=True), deep, "slope own"),
    "pswapaxes": (devices, lambda a: lax.pswapaxes(a, "i", 0), square, "slope own"),
    "pswapaxes_groups": (devices, lambda a: lax.pswapaxes(a, "i", 0, axis_index_groups=halves), tall, "slope own"),
    "ppermute": (mapped, lambda a: lax.ppermute(a, "i", ring), row, "slope own"),
    "ppermute_part": (devices, lambda a: lax.ppermute(a, "i", part), row, "slope own"),
    "ppermute_names": (mesh, lambda a: lax.ppermute(a, ("i", "j"), [(0, 5), (5, 1), (3, 0), (2, 2)]), deep, "slope own"),
    "pshuffle": (mapped, lambda a: lax.pshuffle(a, "i", [2, 0, 3, 1]), row, "slope own"),
    "pshuffle_planes": (mapped, lambda a: lax.pshuffle(a, "i", [3, 2, 1, 0]), square, "slope own"),
    "pbroadcast": (mapped, lambda a: broadcast(a, "i", 2), row, "slope own"),
    "pbroadcast_names": (nested, lambda a: broadcast(a, "i", 1) + broadcast(a, "j", 2), deep, "slope own"),
    "axis_index": (mapped, lambda a: lax.axis_index("i"), row, ""),
    "axis_size": (mapped, lambda a: a * lax.axis_size("i"), row, "slope own"),
    "axis_size_names": (nested, lambda a: a * lax.axis_size(("i", "j")), deep, "slope own"),
    "axis_index_names": (nested, lambda a: lax.axis_index(("i", "j")) * a, deep, ""),
    "axis_index_names_back": (nested, lambda a: lax.axis_index(("j", "i")) * a, deep, ""),
    "ppermute_in_cond": (mapped, lambda a: lax.cond(a[0] > 0, lambda a: lax.ppermute(a, "i", ring) * a, lambda a: a + 1, a), row, "slope own"),
    "pswapaxes_in_scan": (devices, lambda a: lax.scan(lambda c, _: (lax.pswapaxes(c, "i", 0) * c[0] / 2, None), a, None, length=3)[0], square, "slope own"),
    "psum_scatter_in_scan": (mapped, lambda a: lax.scan(lambda c, r: (lax.psum_scatter(lax.all_gather(c, "i") * r, "i") / 4, c), a[0], a)[1], square, "slope own"),
    "pmean_in_while": (mapped, halved, row, ""),
}

print(f"# made by make_collectives.py with jax {jax.__version__}")
for name, (how, f, v, lines) in CALLS.items():
    r = how(f)(v)
    show(name, r)
    if "slope" in lines:
        show(name + "_slope", jax.grad(lambda a: (how(f)(a) * x(r.shape, 5, 13)).sum())(v))
    if "own" in lines:
        own = r.shape[2:] if how in (nested, mesh) else r.shape[1:]
        show(name + "_own", how(jax.grad(lambda a: (f(a) * x(own, 5, 13)).sum()))(v))
