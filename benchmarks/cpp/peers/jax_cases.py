# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/cpp/peers/jax_cases.py: the six cases in JAX, jit(vmap(...)), in F64 and F32. The
# functions are those of benchmarks/cpp/weft_cases.cpp. Arguments: the folder that dump_data.cpp
# filled, and cases to run. Environment: DUMP is a folder for results, DTYPE is 64 or 32.
import os
import sys
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import jacfwd, jacrev, lax, value_and_grad, vmap

jax.config.update("jax_enable_x64", True)


# ---- ekf

DT = 0.01
GRAVITY, LEVER = [0, 0, -9.81], [0.3, -0.1, 0.5]
NOISE, MEASURED_NOISE = [1e-6, 1e-4, 1e-6, 1e-8, 1e-7], 0.04


class State(NamedTuple):
    q: jax.Array
    v: jax.Array
    p: jax.Array
    gyro_bias: jax.Array
    accel_bias: jax.Array


class Filter(NamedTuple):
    x: State
    cov: jax.Array


def product(a, b):
    w, u, s, v = a[0], a[1:], b[0], b[1:]
    return jnp.append(w * s - u @ v, w * v + s * u + jnp.cross(u, v))


def rotate(q, v):
    w, u = q[0], q[1:]
    return v + 2 * jnp.cross(u, jnp.cross(u, v) + w * v)


def plus(x, error):
    turn = jnp.append(1.0, 0.5 * error[:3])
    return State(product(x.q, turn / jnp.linalg.norm(turn)), x.v + error[3:6], x.p + error[6:9],
                 x.gyro_bias + error[9:12], x.accel_bias + error[12:15])


def minus(x, y):
    conjugate = jnp.append(y.q[0], -y.q[1:])
    return jnp.concatenate([2 * product(conjugate, x.q)[1:], x.v - y.v, x.p - y.p,
                            x.gyro_bias - y.gyro_bias, x.accel_bias - y.accel_bias])


def propagate(x, gyro, accel):
    w = DT * (gyro - x.gyro_bias)
    angle = jnp.linalg.norm(w)
    turn = jnp.append(jnp.cos(angle / 2), jnp.sin(angle / 2) / angle * w)
    a = rotate(x.q, accel - x.accel_bias) + jnp.array(GRAVITY, accel.dtype)
    return State(product(x.q, turn), x.v + DT * a, x.p + DT * x.v + 0.5 * DT * DT * a,
                 x.gyro_bias, x.accel_bias)


def ekf_step(f, gyro, accel, z):
    d = z.dtype
    zero, lever, noise = jnp.zeros(15, d), jnp.array(LEVER, d), jnp.repeat(jnp.array(NOISE, d), 3)
    after = propagate(f.x, gyro, accel)
    fx = jacfwd(lambda error: minus(propagate(plus(f.x, error), gyro, accel), after))(zero)
    cov = fx @ f.cov @ fx.T + jnp.diag(noise)

    def antenna(error):
        x = plus(after, error)
        return x.p + rotate(x.q, lever)

    h = jacfwd(antenna)(zero)
    s = h @ cov @ h.T + MEASURED_NOISE * jnp.eye(3, dtype=d)
    gain = jnp.linalg.solve(s, h @ cov).T
    return Filter(plus(after, gain @ (z - antenna(zero))), (jnp.eye(15, dtype=d) - gain @ h) @ cov)


# ---- arm

JOINTS = 7
A, D = [0, 0, 0, 0.0825, -0.0825, 0, 0.088], [0.333, 0, 0.316, 0, 0.384, 0, 0]
COS_ALPHA, SIN_ALPHA = [1, 0, 0, 0, 0, 0, 0], [0, -1, 1, 1, -1, 1, 1]
MASS = [4.97, 0.65, 3.23, 3.59, 1.23, 1.67, 0.74]
CENTER = [[0.004, 0.002, -0.048], [-0.003, -0.029, 0.003], [0.028, 0.039, -0.067],
          [-0.053, 0.105, 0.027], [-0.012, 0.041, -0.038], [0.060, -0.014, -0.010],
          [0.011, -0.004, 0.062]]
INERTIA = [[0.703, 0.707, 0.009], [0.008, 0.028, 0.026], [0.037, 0.036, 0.011],
           [0.026, 0.020, 0.028], [0.036, 0.029, 0.009], [0.002, 0.004, 0.005],
           [0.013, 0.010, 0.005]]


def mass_matrix(q):
    d = q.dtype
    rotation, origin = jnp.eye(3, dtype=d), jnp.zeros(3, d)
    rotations, origins, centers = [], [], []
    for i in range(JOINTS):
        c, s, ca, sa = jnp.cos(q[i]), jnp.sin(q[i]), COS_ALPHA[i], SIN_ALPHA[i]
        turn = jnp.array([[c, -s, 0], [s * ca, c * ca, -sa], [s * sa, c * sa, ca]], d)
        origin = origin + rotation @ jnp.array([A[i], -sa * D[i], ca * D[i]], d)
        rotation = rotation @ turn
        rotations.append(rotation)
        origins.append(origin)
        centers.append(origin + rotation @ jnp.array(CENTER[i], d))
    frames = jnp.stack(rotations)
    axes = frames[:, :, 2]
    arms = jnp.stack(centers)[:, None] - jnp.stack(origins)
    moves = jnp.tril(jnp.ones((JOINTS, JOINTS), d))[:, :, None]
    linear, angular = moves * jnp.cross(axes, arms), moves * (axes @ frames)
    return (jnp.einsum("i,ija,ika->jk", jnp.array(MASS, d), linear, linear) +
            jnp.einsum("ia,ija,ika->jk", jnp.array(INERTIA, d), angular, angular))


def mass_and_slope(q):
    return mass_matrix(q), jacfwd(mass_matrix)(q)


# ---- camera


def project(c, point):
    r = c[:3]
    angle = jnp.linalg.norm(r)
    w = r / angle
    p = (point * jnp.cos(angle) + jnp.cross(w, point) * jnp.sin(angle) +
         w * ((w @ point) * (1 - jnp.cos(angle))) + c[3:6])
    x, y = p[0] / p[2], p[1] / p[2]
    r2 = x * x + y * y
    radial = 1 + r2 * (c[10] + r2 * (c[11] + r2 * c[14]))
    u = x * radial + 2 * c[12] * x * y + c[13] * (r2 + 2 * x * x)
    v = y * radial + c[12] * (r2 + 2 * y * y) + 2 * c[13] * x * y
    return c[6:8] * jnp.stack([u, v]) + c[8:10]


def pixel_and_slope(c, point):
    return project(c, point), jacfwd(project)(c, point)


# ---- ilqr

STEPS, H, POLE, LENGTH, G, TOTAL = 50, 0.02, 0.1, 0.5, 9.81, 1.1
STATE_COST, END_COST, EFFORT = [1, 10, 0.1, 0.1], [100, 500, 10, 10], 0.01


def cart_pole(x, force):
    angle, rate = x[1], x[3]
    s, c = jnp.sin(angle), jnp.cos(angle)
    push = (force[0] + POLE * LENGTH * rate**2 * s) / TOTAL
    turn = (G * s - c * push) / (LENGTH * (4 / 3 - POLE * c**2 / TOTAL))
    return jnp.stack([x[2], rate, push - POLE * LENGTH * turn * c / TOTAL, turn])


def cart_pole_step(x, force):
    k1 = cart_pole(x, force)
    k2 = cart_pole(x + H / 2 * k1, force)
    k3 = cart_pole(x + H / 2 * k2, force)
    k4 = cart_pole(x + H * k3, force)
    return x + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def backward(xs, forces):
    d = xs.dtype
    q, r, end = (jnp.diag(jnp.array(x, d)) for x in (STATE_COST, [EFFORT], END_COST))
    a_all, b_all = vmap(jacfwd(cart_pole_step, (0, 1)))(xs[:-1], forces)

    def back(value, at):
        slope, curve = value
        a, b, x, u = at
        quu, qux = r + b.T @ curve @ b, b.T @ curve @ a
        open_loop = -jnp.linalg.solve(quu, r @ u + b.T @ slope)
        feedback = -jnp.linalg.solve(quu, qux)
        return (q @ x + a.T @ slope + qux.T @ open_loop,
                q + a.T @ curve @ a + qux.T @ feedback), (open_loop, feedback)

    return lax.scan(back, (end @ xs[-1], end), (a_all, b_all, xs[:-1], forces), reverse=True)


# ---- net


def network(x, n):
    w1, b1, w2, b2, w3, b3 = n
    return w3 @ jnp.tanh(w2 @ jnp.tanh(w1 @ x + b1) + b2) + b3


def value_and_jacobian(x, n):
    return network(x, n), jacrev(network)(x, n)


# ---- spline


def spline(y, x, t):
    h = jnp.diff(t)
    before, after = h[:-1], h[1:]
    bend = 6 * jnp.diff(jnp.diff(y) / h)
    inner = lax.linalg.tridiagonal_solve(before.at[0].set(0), 2 * (before + after),
                                         after.at[-1].set(0), bend[:, None])[:, 0]
    m = jnp.pad(inner, 1)
    i = jnp.clip(jnp.searchsorted(t, x, side="right") - 1, 0, len(t) - 2)
    a, b = (t[i + 1] - x) / h[i], (x - t[i]) / h[i]
    return (a * y[i] + b * y[i + 1] +
            ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h[i]**2 / 6)


# ---- harness


def bench(case, dtype, f, *args):
    args = jax.tree.map(lambda x: jnp.asarray(x, dtype), args)
    call = jax.jit(f)
    t = time.perf_counter()
    out = jax.block_until_ready(call(*args))
    first = (time.perf_counter() - t) * 1e3
    best, end, calls = 1e30, time.perf_counter() + 0.7, 0
    while calls < 3 or (time.perf_counter() < end and calls < 2000):
        t = time.perf_counter()
        jax.block_until_ready(call(*args))
        best = min(best, time.perf_counter() - t)
        calls += 1
    peer = "jax" if dtype == np.float64 else "jax_f32"
    print(f"RESULT {case} {peer} {best * 1e3:.6f} first {first:.3f}", flush=True)
    if "DUMP" in os.environ:
        rows = [np.asarray(x, np.float64).reshape(x.shape[0], -1) for x in jax.tree.leaves(out)]
        np.concatenate(rows, 1).tofile(f"{os.environ['DUMP']}/{case}.{peer}.f64")


def load(name, *shape):
    return np.fromfile(f"{sys.argv[1]}/{name}.f64").reshape(shape)


def run(dtype, wanted):
    if "ekf" in wanted:
        x = State(*np.split(load("ekf_x", -1, 16), [4, 7, 10, 13], 1))
        bench("ekf", dtype, vmap(ekf_step), Filter(x, load("ekf_cov", -1, 15, 15)),
              load("ekf_gyro", -1, 3), load("ekf_accel", -1, 3), load("ekf_z", -1, 3))
    if "arm" in wanted:
        bench("arm", dtype, vmap(mass_and_slope), load("arm_q", -1, 7))
    if "camera" in wanted:
        bench("camera", dtype, vmap(pixel_and_slope), load("camera_camera", -1, 15),
              load("camera_point", -1, 3))
    if "ilqr" in wanted:
        bench("ilqr", dtype, vmap(backward), load("ilqr_x", -1, STEPS + 1, 4),
              load("ilqr_force", -1, STEPS, 1))
    if "net" in wanted:
        shapes = dict(w1=(32, 12), b1=(32,), w2=(32, 32), b2=(32,), w3=(4, 32), b3=(4,))
        net = [load("net_" + name, *shape) for name, shape in shapes.items()]
        bench("net", dtype, vmap(value_and_jacobian, (0, None)), load("net_x", -1, 12), net)
    if "spline" in wanted:
        bench("spline", dtype, vmap(value_and_grad(spline), (0, 0, None)),
              load("spline_y", -1, 16), load("spline_x", -1), load("spline_knots", -1))


for bits, kind in (("64", np.float64), ("32", np.float32)):
    if os.environ.get("DTYPE", bits) == bits:
        run(kind, sys.argv[2:] or ["ekf", "arm", "camera", "ilqr", "net", "spline"])
