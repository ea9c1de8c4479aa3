# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/odeint_jax.py: the cases of benchmarks/odeint.cpp in JAX, which computes gradients by
# the adjoint method. Arguments: parts of their names.
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit, vmap
from jax.experimental.ode import odeint

only = sys.argv[1:]


def measure(name, f, *args, budget=2.0):
    if only and not any(o in name for o in only):
        return
    g = jit(f)
    t = time.perf_counter()
    r = jax.block_until_ready(g(*args))
    first = time.perf_counter() - t
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < budget and len(times) < 20000):
        t = time.perf_counter()
        jax.block_until_ready(g(*args))
        times.append(time.perf_counter() - t)
    times.sort()
    total = sum(float(np.sum(np.abs(np.asarray(x, np.float64)))) for x in jax.tree.leaves(r))
    print(f"{name:34s} min {times[0] * 1e3:10.4f} ms  med {times[len(times) // 2] * 1e3:10.4f} ms  first {first * 1e3:8.1f} ms  sum {total:.6g}", flush=True)


def lotka_volterra(y, t, p):
    return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def van_der_pol(y, t, mu):
    return jnp.stack([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])


def neural(y, t, n):
    w1, b1, w2, b2 = n
    return w2 @ jnp.tanh(w1 @ y + b1) + b2


def loss(f, t):
    return lambda p, y0: jnp.sum(jnp.square(odeint(f, y0, t, p, rtol=1e-5, atol=1e-5)))


def numbers(shape, scale, m):
    i = np.arange(1, int(np.prod(shape)) + 1, dtype=np.float64)
    return jnp.asarray((scale * np.sin(m * i)).astype(np.float32).reshape(shape))


lanes = 1000
t = jnp.linspace(0.0, 10.0, 11)
p, y0 = jnp.array([1.5, 1.0, 1.0, 3.0]), jnp.array([1.0, 1.0])
ps, ys = p + numbers((lanes, 4), 0.2, 3), y0 + numbers((lanes, 2), 0.5, 5)
lv = grad(loss(lotka_volterra, t), (0, 1))
measure("lotka_volterra_adjoint", lv, p, y0)
measure("lotka_volterra_1000_adjoint", vmap(lv), ps, ys)
mu, mus = jnp.float32(3), 2 + numbers((lanes,), 1.0, 3)
vdp = grad(loss(van_der_pol, t), (0, 1))
measure("van_der_pol_adjoint", vdp, mu, y0)
measure("van_der_pol_1000_adjoint", vmap(vdp), mus, ys)
net = (numbers((64, 2), 0.7, 7), numbers((64,), 0.3, 11), numbers((2, 64), 0.3, 13), numbers((2,), 0.1, 17))
one = loss(neural, jnp.linspace(0.0, 2.0, 5))
measure("neural_64_adjoint", grad(one), net, y0)
measure("neural_64_1000_adjoint", grad(lambda n, y: jnp.sum(vmap(one, (None, 0))(n, y))), net, ys)
