# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_solvers.py: writes solvers.txt, JAX's results for the calls that
# tests/functions/solve makes under the same names. They are calls of jax.lax.custom_root,
# jax.scipy.sparse.linalg, jax.scipy.optimize and jax.experimental.ode.
#
# Run with jax installed: python make_solvers.py > solvers.txt (made with jax 0.10.2).
#
# A line is "name dtype shape values…". Floats are in hexadecimal, and complex numbers have both
# parts.
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
import numpy as np
from golden_lines import show
from jax.experimental.ode import odeint
from jax.scipy.optimize import minimize
from jax.scipy.sparse.linalg import bicgstab, cg, gmres


def x(shape, m=7, k=11):
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray((((i * m) % k - k // 2) / 4).reshape(shape))


print("# made by make_solvers.py with jax", jax.__version__)

# ---- systems
square = x((6, 6), 7, 23) + 8 * jnp.eye(6)
spd = square @ square.T / 8 + jnp.eye(6)
turned = spd + 1j * (x((6, 6), 5, 19) - x((6, 6), 5, 19).T)
b6 = x((6,), 3, 7)
near = jnp.diag(1 / jnp.diag(square))
METHODS = {"cg": (cg, spd), "bicgstab": (bicgstab, square), "gmres": (gmres, square),
           "gmres_incremental": (lambda *a, **k: gmres(*a, solve_method="incremental", **k), square)}
for name, (solve, a) in METHODS.items():
    for steps in (1, 2, 3):
        more = {"restart": 2} if name.startswith("gmres") else {}
        show(f"{name}.steps{steps}", solve(a, b6, maxiter=steps, tol=1e-14, **more)[0])
        show(f"{name}.steps{steps}.M", solve(a, b6, x0=b6 / 3, maxiter=steps, tol=1e-14, M=near, **more)[0])
    f = lambda a, b: jnp.sum(jnp.sin(solve(lambda v: a @ v, b, tol=1e-13)[0]))
    show(f"{name}.slope_a", jax.grad(f, 0)(a, b6))
    show(f"{name}.slope_b", jax.grad(f, 1)(a, b6))
show("cg.complex", cg(turned, b6 + 1j * b6[::-1], tol=1e-13)[0])
show("gmres.complex", gmres(turned + 1j * square, b6 + 1j * b6[::-1], tol=1e-13)[0])


# ---- roots
def newton(f, guess):
    def steps(f, y):
        for _ in range(30):
            y = y - jnp.linalg.solve(jax.jacfwd(f)(y), f(y))
        return y

    return jax.lax.custom_root(f, guess, steps, lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y))


def circle(p):
    return newton(lambda y: jnp.stack([y[0] ** 2 + y[1] ** 2 - p[0], y[0] - p[1] * jnp.sin(y[1])]), jnp.array([1.0, 1.5]))


p2 = jnp.array([3.0, 1.25])
show("root", circle(p2))
show("root.jacobian", jax.jacfwd(circle)(p2))
show("root.hessian", jax.hessian(lambda p: jnp.sum(circle(p) ** 3))(p2))


# ---- minima
def rosenbrock(v):
    return jnp.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)


def himmelblau(v):
    return (v[0] ** 2 + v[1] - 11) ** 2 + (v[0] + v[1] ** 2 - 7) ** 2


def matyas(v):
    return 0.26 * (v[0] ** 2 + v[1] ** 2) - 0.48 * v[0] * v[1]


def eggholder(v):
    return -(v[1] + 47) * jnp.sin(jnp.sqrt(jnp.abs(v[0] / 2 + v[1] + 47))) - v[0] * jnp.sin(jnp.sqrt(jnp.abs(v[0] - (v[1] + 47))))


MINIMA = {"rosenbrock": (rosenbrock, [-1.2, 1.0]), "rosenbrock5": (rosenbrock, [0.5, -1.0, 2.0, 0.0, 1.5]),
          "himmelblau": (himmelblau, [1.0, 1.0]), "matyas": (matyas, [2.0, -3.0]), "eggholder": (eggholder, [100.0, 100.0])}
for name, (f, start) in MINIMA.items():
    r = minimize(f, jnp.array(start), method="BFGS")
    for field in ("x", "success", "status", "fun", "nfev", "njev", "nit"):
        v = getattr(r, field)
        show(f"{name}.{field}", v.astype(jnp.int32) if v.dtype == jnp.int64 else v)
    show(f"{name}.step3", minimize(f, jnp.array(start), method="BFGS", options={"maxiter": 3}).x)
    show(f"{name}.hess_inv", r.hess_inv)
r = minimize(rosenbrock, jnp.array([-1.2, 1.0]), method="BFGS", options={"gtol": 1e-2, "norm": 2})
show("rosenbrock.loose", r.x)


# ---- differential equations
def predators(y, t, p):
    return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def oscillator(y, t, mu):
    return {"v": mu * (1 - y["x"] ** 2) * y["v"] - y["x"], "x": y["v"]}


def driven(y, t, k):
    return -k * (y - jnp.cos(t))


def rotor(y, t, w):
    return 1j * w * y * jnp.exp(-t)


p4, y2 = jnp.array([1.5, 1.0, 1.0, 3.0]), jnp.array([1.0, 1.0])
ODES = {"predators": (predators, y2, jnp.linspace(0.0, 5.0, 6), p4),
        "oscillator": (oscillator, {"v": jnp.array(1.0), "x": jnp.array(0.5)}, jnp.array([0.0, 0.1, 0.15, 2.0, 6.0]), jnp.array(2.0)),
        "driven": (driven, jnp.array([0.0, 1.0, -1.0]), jnp.linspace(1.0, 2.0, 5), jnp.array([1.0, 10.0, 40.0])),
        "rotor": (rotor, jnp.array([1.0 + 0.5j, -1j]), jnp.array([0.0, 1.0, 3.0]), jnp.array([2.0, 5.0]))}
weighed = lambda ys: sum(jnp.sum(jnp.abs(y * jnp.cos(jnp.arange(y.size).reshape(y.shape))) ** 2) for y in jax.tree.leaves(ys))
for name, (f, y0, t, p) in ODES.items():
    for kind, more in {"loose": dict(rtol=1e-5, atol=1e-5), "tight": dict(rtol=1e-11, atol=1e-11), "short": dict(rtol=1e-5, atol=1e-5, hmax=0.01)}.items():
        for k, leaf in enumerate(jax.tree.leaves(odeint(f, y0, t, p, **more))):
            show(f"{name}.{kind}.{k}", leaf)
    solve = lambda y0, t, p: weighed(odeint(f, y0, t, p, rtol=1e-11, atol=1e-11))
    for k, leaf in enumerate(jax.tree.leaves(jax.grad(solve, (0, 1, 2))(y0, t, p))):
        show(f"{name}.slope.{k}", leaf)
show("predators.cut", odeint(predators, y2, jnp.linspace(0.0, 5.0, 3), p4, rtol=1e-5, atol=1e-5, mxstep=4))
