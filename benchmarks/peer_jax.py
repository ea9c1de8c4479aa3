# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/peer_jax.py: the cases of benchmarks/spine.cpp in JAX. Arguments: parts of their names.
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit, lax, vmap

only = sys.argv[1:]
rng = np.random.default_rng(0)


def normal(*shape):
    return jnp.asarray(rng.standard_normal(shape, dtype=np.float32))


def measure(name, f, *args, budget=2.0):
    if only and not any(o in name for o in only):
        return
    g = jit(f)
    t = time.perf_counter()
    jax.block_until_ready(g(*args))
    first = time.perf_counter() - t
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < budget and len(times) < 20000):
        t = time.perf_counter()
        jax.block_until_ready(g(*args))
        times.append(time.perf_counter() - t)
    times.sort()
    print(f"{name:34s} min {times[0] * 1e3:10.4f} ms  med {times[len(times) // 2] * 1e3:10.4f} ms  first {first * 1e3:8.1f} ms", flush=True)


def mandelbrot(cr, ci):
    def test(s):
        a, b, i = s
        return (a * a + b * b < 4) & (i < 1000)

    def body(s):
        a, b, i = s
        return a * a - b * b + cr, 2 * a * b + ci, i + 1

    return lax.while_loop(test, body, (jnp.float32(0), jnp.float32(0), 0))[2]


def van_der_pol(mu, y0):
    def f(y):
        return jnp.stack([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])

    def test(s):
        return (s[0] < 10.0) & (s[3] < 20000)

    def body(s):
        t, y, h, n = s
        h = jnp.minimum(h, 10.0 - t)
        k1 = f(y)
        k2 = f(y + h * (0.2 * k1))
        k3 = f(y + h * (3 / 40 * k1 + 9 / 40 * k2))
        k4 = f(y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3))
        k5 = f(y + h * (19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4))
        k6 = f(y + h * (9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5))
        yn = y + h * (35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6)
        k7 = f(yn)
        e = h * (71 / 57600 * k1 - 71 / 16695 * k3 + 71 / 1920 * k4 - 17253 / 339200 * k5 + 22 / 525 * k6 - 1 / 40 * k7)
        err = jnp.sqrt(jnp.mean((e / (1e-5 + 1e-5 * jnp.maximum(jnp.abs(y), jnp.abs(yn)))) ** 2))
        ok, hn = err <= 1, h * jnp.clip(0.9 * (err + 1e-10) ** -0.2, 0.2, 5.0)
        return jnp.where(ok, t + h, t), jnp.where(ok, yn, y), hn, n + 1

    return lax.while_loop(test, body, (jnp.float32(0), y0, jnp.float32(0.01), 0))[1]


def logits(net, x):
    for w, b in net[:-1]:
        x = jnp.tanh(x @ w + b)
    return x @ net[-1][0] + net[-1][1]


def step(net, x, y):
    def loss(net):
        return jnp.mean(vmap(lambda xi, yi: -jax.nn.log_softmax(logits(net, xi))[yi])(x, y))

    return jax.tree.map(lambda p, g: p - 0.1 * g, net, grad(loss)(net))


def kalman(zs):
    f, h = jnp.eye(4) + 0.1 * jnp.eye(4, k=2), jnp.eye(4)[:2]
    q, r = 0.01 * jnp.eye(4), 0.1 * jnp.eye(2)

    def step(c, z):
        m, p = c
        m, p = f @ m, f @ p @ f.T + q
        s = h @ p @ h.T + r
        gain = jnp.linalg.solve(s, h @ p).T
        m, p = m + gain @ (z - h @ m), (jnp.eye(4) - gain @ h) @ p
        return (m, p), m

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), zs)[1]


measure("dispatch_scalar", lambda x: x + 1.0, jnp.float32(1))
for n in (16 << 20, (16 << 20) + 3, 2 << 20):
    measure(f"eltwise_exp_sin_sqrt_{n}", lambda x: jnp.exp(-x * x) * jnp.sin(x) + jnp.sqrt(jnp.abs(x)), normal(n))
for n in (512, 515, 181):
    cr, ci = jnp.meshgrid(jnp.linspace(-2, 0.6, n, dtype=jnp.float32), jnp.linspace(-1.2, 1.2, n, dtype=jnp.float32))
    measure(f"vmap_while_mandelbrot_{n}", vmap(vmap(mandelbrot)), cr, ci)
for n in (16384, 16387, 2048):
    measure(f"vmap_while_rk45_vdp_{n}", vmap(van_der_pol), jnp.asarray(rng.uniform(0.1, 20, n).astype(np.float32)), normal(n, 2))
for n in (256, 259, 32):
    sizes = (784, 512, 512, 10)
    net = [(normal(a, b) * 0.1, normal(b)) for a, b in zip(sizes[:-1], sizes[1:])]
    measure(f"mlp_train_{n}", step, net, normal(n, 784), jnp.arange(n) % 10)
for n in (3, 4, 8):
    b = 400000 // n
    measure(f"vmap_solve_{n}", vmap(jnp.linalg.solve), normal(b, n, n) + 2 * n * jnp.eye(n), normal(b, n))
for n in (2048, 2051, 128):
    measure(f"vmap_kalman_{n}", vmap(kalman), normal(n, 100, 2))
