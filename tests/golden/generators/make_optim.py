# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_optim.py: writes optim.txt. It has the parameters after some of ten
# steps of optax's optimizers, the moments after the last step, and values of its schedules.
# tests/functions/optim/optim_golden_test.cpp computes them under the same names.
#
# Run with optax installed: python make_optim.py > optim.txt (made with jax 0.10.2, optax 0.2.8).
import jax
import jax.numpy as jnp
import numpy as np
import optax
from golden_lines import show, x

F32, F64, C64, BF16 = jnp.float32, jnp.float64, jnp.complex64, jnp.bfloat16


def leaf(shape, dtype, m):
    a = x(shape, m)
    return (a + 1j * x(shape, m + 2)).astype(dtype) if dtype == C64 else a.astype(dtype)


def tree(dtype, m):
    return {"b": leaf((3,), dtype, m), "layer": {"scale": leaf((), dtype, m + 1), "w": leaf((2, 3), dtype, m + 3)}}


def grads_at(params, k, dtype):
    """The gradient of a quadratic function, plus a term that differs in each step."""
    return jax.tree.map(lambda p, c: p * 0.5 + c * 0.125, params, tree(dtype, 5 + 2 * k))


s = optax.schedules
falling = s.exponential_decay(0.1, 3, 0.5)
matrices = lambda p: jax.tree.map(lambda a: a.ndim > 1, p)
named = {"b": False, "layer": {"scale": True, "w": False}}
OPTIMIZERS = {
    "sgd": optax.sgd(0.1), "sgd_momentum": optax.sgd(0.1, 0.9), "sgd_nesterov": optax.sgd(0.1, 0.9, True), "sgd_schedule": optax.sgd(falling, 0.5),
    "adam": optax.adam(0.05), "adam_betas": optax.adam(0.05, 0.8, 0.95, 1e-3, 1e-4), "adam_nesterov": optax.adam(0.05, nesterov=True), "adam_schedule": optax.adam(falling),
    "adamw": optax.adamw(0.05), "adamw_mask": optax.adamw(0.05, weight_decay=0.1, mask=matrices), "adamw_named": optax.adamw(0.05, weight_decay=0.1, mask=named),
    "adamw_schedule": optax.adamw(0.05, weight_decay=falling), "adamw_nesterov": optax.adamw(0.05, 0.8, nesterov=True),
    "lion": optax.lion(0.01), "lion_betas": optax.lion(0.01, 0.8, 0.9, weight_decay=0.1, mask=matrices),
    "rmsprop": optax.rmsprop(0.01), "rmsprop_centered": optax.rmsprop(0.01, 0.8, 1e-4, 0.5, centered=True, momentum=0.9), "rmsprop_outside": optax.rmsprop(0.01, eps_in_sqrt=False),
    "rmsprop_corrected": optax.rmsprop(0.01, bias_correction=True, momentum=0.5, nesterov=True), "rmsprop_centered_corrected": optax.rmsprop(0.01, eps=0.1, centered=True, bias_correction=True),
    "rmsprop_centered_outside": optax.rmsprop(0.01, 0.8, 1e-2, 0.5, False, True),
    "adagrad": optax.adagrad(0.1), "adagrad_zero": optax.adagrad(0.1, 0.0, 1e-3),
    "clip": optax.chain(optax.clip(0.25), optax.sgd(0.1)), "clip_by_global_norm": optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1)),
    "decay": optax.chain(optax.add_decayed_weights(0.1), optax.sgd(0.1, 0.9)), "scale_by_schedule": optax.chain(optax.scale_by_schedule(falling), optax.scale(-1.0)),
    "no_flip": optax.chain(optax.scale_by_learning_rate(-0.1, flip_sign=False), optax.identity()),
}
STEPS = 10


def leaves(name, t):
    for path, a in (("b", t["b"]), ("scale", t["layer"]["scale"]), ("w", t["layer"]["w"])):
        show(f"{name}.{path}", a.astype(F32) if a.dtype == BF16 else a)


def run(name, optimizer, dtype):
    params = tree(dtype, 3)
    state = optimizer.init(params)
    for k in range(1, STEPS + 1):
        updates, state = optimizer.update(grads_at(params, k, dtype), state, params)
        params = optax.apply_updates(params, updates)
        if k in (1, 4, STEPS):
            leaves(f"{name}.{k}", params)
    if name == "adam":
        leaves(name + ".mu", state[0].mu)
        leaves(name + ".nu", state[0].nu)


print(f"# made by make_optim.py with jax {jax.__version__}, optax {optax.__version__}")
for name, optimizer in OPTIMIZERS.items():
    run(name, optimizer, F32)
for name in ("sgd_momentum", "adam", "adamw", "rmsprop_corrected", "lion", "clip_by_global_norm"):
    run(name + "_bf16", OPTIMIZERS[name], BF16)
run("adam_mu", optax.adam(0.05, mu_dtype=BF16), F32)
run("sgd_accumulator", optax.sgd(0.1, 0.9, accumulator_dtype=BF16), F32)
run("lion_mu", optax.lion(0.01, mu_dtype=BF16), F32)
for name in ("adam", "rmsprop_centered_corrected", "clip_by_global_norm"):
    run(name + "_c64", OPTIMIZERS[name], C64)
with jax.enable_x64(True):
    for name in ("sgd_nesterov", "adam", "adam_nesterov", "adamw_mask", "rmsprop_corrected", "adagrad", "lion"):
        run(name + "_f64", OPTIMIZERS[name], F64)
show("global_norm", optax.tree.norm(tree(F32, 3)))
show("global_norm_c64", optax.tree.norm(tree(C64, 3)))

SCHEDULES = {
    "constant": s.constant_schedule(0.3), "polynomial": s.polynomial_schedule(1.0, 0.1, 2, 6, 3), "polynomial_real": s.polynomial_schedule(0.5, 2.0, 0.5, 7), "polynomial_none": s.polynomial_schedule(0.5, 2.0, 3, 0),
    "linear": s.linear_schedule(0.1, 1.0, 5), "linear_late": s.linear_schedule(1.0, 0.1, 5, 4), "linear_negative": s.linear_schedule(1.0, 0.1, 5, -4), "piecewise": s.piecewise_constant_schedule(2.0, {3: 0.5, 7: 0.1}),
    "exponential": s.exponential_decay(1.0, 4, 0.5), "exponential_stairs": s.exponential_decay(1.0, 4, 0.5, 2, True), "exponential_end": s.exponential_decay(1.0, 4, 0.5, 1, end_value=0.3),
    "exponential_rise": s.exponential_decay(1.0, 4, 1.5, 1, end_value=2.0), "exponential_zero": s.exponential_decay(1.0, 4, 0.0), "cosine": s.cosine_decay_schedule(2.0, 8), "cosine_alpha": s.cosine_decay_schedule(2.0, 8, 0.2, 1.5),
    "warmup_constant": s.warmup_constant_schedule(0.1, 1.0, 4), "warmup_cosine": s.warmup_cosine_decay_schedule(0.0, 1.0, 3, 9), "warmup_cosine_end": s.warmup_cosine_decay_schedule(0.1, 2.0, 3, 9, 0.25, 2.0),
    "warmup_cosine_zero": s.warmup_cosine_decay_schedule(0.1, 0.0, 3, 9, 0.25), "warmup_exponential": s.warmup_exponential_decay_schedule(0.1, 1.0, 3, 2, 0.5, 1, True, 0.2),
    "joined": s.join_schedules([s.linear_schedule(0.0, 1.0, 3), s.constant_schedule(0.7), s.exponential_decay(0.5, 2, 0.5)], [3, 6]),
}
for name, f in SCHEDULES.items():
    show("schedule." + name, np.array([f(jnp.int32(t)) for t in range(13)], np.float32))
