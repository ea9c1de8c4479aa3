# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_stats.py: writes stats.txt, the results of jax.scipy.stats. They are
# values and slopes of the distributions at operands that the file contains, too, and summaries.
# Their names are those of tests/functions/scipy/stats_golden_test.cpp.
#
# Run with jax installed: python make_stats.py > stats.txt (made with jax 0.10.2).

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import stats

from golden_lines import show, x as steps

inf, nan = np.inf, np.nan
real = [-3.0, -1.2, -0.5, 0.1, 0.4, 1.3, 2.5, 6.0]
positive = [0.1, 0.3, 0.7, 1.1, 1.6, 2.5, 4.0, 9.0]
unit = [0.02, 0.1, 0.25, 0.4, 0.5, 0.7, 0.9, 0.98]
angle = [0.1, 0.8, 1.5, 2.2, 3.1, 4.0, 5.0, 6.1]
count = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0]
trials = [4.0, 3.0, 9.0, 5.0, 4.0, 11.0, 8.0, 20.0]
loc, scale = [0.3, -0.2, 0.1, 0.5, -1.0, 0.2, 0.7, 2.0], [1.0, 0.5, 2.0, 1.5, 0.7, 3.0, 1.2, 2.5]
below, wide = [-0.01, -0.02, -0.1, 0.0, -0.3, -0.2, -0.5, -1.0], [1.1, 1.3, 2.0, 1.5, 2.7, 3.0, 1.9, 2.5]
shape, other = [0.5, 1.5, 2.0, 3.0, 0.8, 5.0, 7.5, 2.2], [1.2, 2.5, 0.6, 1.0, 4.0, 2.0, 3.3, 0.9]
odd = [nan, inf, -inf, 0.0, -1.0, 1.0, 0.5, 3.0]
ones, nulls = [1.0] * 8, [0.0] * 8
valid = [0.5, 0.5, 0.5, 0.0, -1.0, 1.0, 2.0, nan]

# family: (functions of x, operands, odd operands)
LOC = "logpdf pdf cdf logcdf sf logsf"
FAMILIES = {
    "beta": (LOC, [unit, shape, other, below, wide], [odd, [2.0] * 8, [3.0] * 8, nulls, ones]),
    "cauchy": (LOC, [real, loc, scale], [odd, nulls, ones]), "chi2": (LOC, [positive, shape, below, scale], [odd, [3.0] * 8, nulls, ones]),
    "expon": (LOC, [positive, below, scale], [odd, nulls, ones]), "gamma": (LOC, [positive, shape, below, scale], [odd, [3.0] * 8, nulls, ones]),
    "gennorm": ("logpdf pdf cdf", [real, shape], [odd, [1.5] * 8]), "gumbel_l": (LOC, [real, loc, scale], [odd, nulls, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -1.0]]),
    "gumbel_r": (LOC, [real, loc, scale], [odd, nulls, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -1.0]]), "laplace": ("logpdf pdf cdf", [real, loc, scale], [odd, nulls, ones]),
    "logistic": ("logpdf pdf cdf sf", [real, loc, scale], [odd, nulls, ones]), "norm": (LOC, [real, loc, scale], [odd, nulls, ones]),
    "pareto": (LOC, [[1.5, 2.0, 3.0, 4.0, 3.5, 8.0, 7.0, 9.0], shape, below, [1.0, 0.5, 2.0, 1.5, 0.7, 3.0, 1.2, 2.5]], [odd, [2.0] * 8, nulls, [0.7] * 8]),
    "t": ("logpdf pdf", [real, shape, loc, scale], [odd, [3.0] * 8, nulls, ones]),
    "truncnorm": (LOC, [[0.1, 0.9, -0.5, 4.0, -2.2, 9.0, 0.3, -7.0], [-1.0, 0.5, -3.0, 2.0, -4.0, 3.0, -9.0, -8.0], [2.0, 3.0, -0.5, 6.0, -1.0, 30.0, 9.0, -2.0], [0.0, 0.1, 0.5, -0.2, 0.3, 0.0, 0.1, 0.0], [1.0, 0.9, 0.8, 1.3, 1.0, 2.0, 1.0, 1.0]], [odd, [-0.5] * 8, [0.75] * 8, nulls, ones]),
    "uniform": ("logpdf pdf cdf", [unit, below, wide], [odd, nulls, ones]), "vonmises": ("logpdf pdf", [angle, shape], [real, valid]), "wrapcauchy": ("logpdf pdf", [angle, unit], [[0.0, 6.3, -0.1, 1.0, 1.0, 1.0, 1.0, 1.0], valid]),
    "bernoulli": ("logpmf pmf", [[0.0, 1.0] * 4, unit, nulls], [[2.0, -1.0, 1.0, 0.0, 3.0, 0.0, nan, 1.0], unit, [0.0, 0.0, 1.0, -1.0, 2.0, 0.0, 0.0, 0.5]]),
    "betabinom": ("logpmf pmf", [count, trials, shape, other, nulls], [[0.0, -1.0, 5.0, 1.5, 2.0, 2.0, 2.0, 6.0], [0.0, 3.0, 4.0, 4.0, -1.0, 4.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 1.5], [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, -1.0, 2.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]),
    "binom": ("logpmf pmf", [count, trials, unit, nulls], [[0.0, -1.0, 5.0, 0.0, 4.0, 2.0, 2.0, 3.0], [0.0, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0, 5.0], [0.3, 0.3, 0.3, 0.0, 1.0, 0.0, 1.0, 0.4], [0.0] * 7 + [1.0]]),
    "geom": ("logpmf pmf", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0], unit, nulls], [[0.0, -1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 0.5], [0.3, 0.3, 1.0, 0.0, 1.0, 0.0, 0.4, 0.4], [0.0] * 6 + [1.0, 0.0]]),
    "nbinom": ("logpmf pmf", [count, trials, unit, nulls], [[0.0, -1.0, 1.0, 2.0, 0.0, 3.0, 2.0, 4.0], [3.0, 3.0, 2.5, 0.5, 2.0, 2.0, 2.0, 2.0], [0.3, 0.3, 1.0, 0.2, 1.0, 0.5, 0.4, 0.4], [0.0] * 7 + [1.0]]),
    "poisson": ("logpmf pmf cdf", [count, shape, nulls], [[0.0, -1.0, 1.5, 2.0, 0.0, 3.0, 2.0, 4.0], [0.0, 3.0, 2.5, 0.5, 2.0, 0.0, 2.0, 50.0], [0.0] * 7 + [1.0]]),
}
quantile = [nan, 1.0, 0.0, 1.5, -0.5, 0.999, 0.001, 0.5]
INVERSES = {
    "cauchy": ("ppf isf", [loc, scale]), "expon": ("ppf", [loc, scale]), "gumbel_l": ("ppf", [loc, scale]), "gumbel_r": ("ppf", [loc, scale]), "logistic": ("ppf isf", [loc, scale]),
    "norm": ("ppf isf", [loc, scale]), "pareto": ("ppf", [shape, loc, scale]), "uniform": ("ppf", [loc, scale]),
}
CALLS = [(f"{n}.{f}", getattr(getattr(stats, n), f), a, o) for n, (fs, a, o) in FAMILIES.items() for f in fs.split()]
CALLS += [(f"{n}.{f}", getattr(getattr(stats, n), f), [unit, *a], [quantile if n != "cauchy" else unit, *a]) for n, (fs, a) in INVERSES.items() for f in fs.split()]
CALLS += [("bernoulli.cdf", stats.bernoulli.cdf, [[0.0, 1.0] * 4, unit], [[-1.0, 0.5, 1.5, nan, 0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5, nan, 1.5, -0.5, 0.0]]),
          ("bernoulli.ppf", stats.bernoulli.ppf, [unit, [0.5] * 8], [quantile, [0.5] * 6 + [nan, 2.0]])]
# With respect to these operands JAX has no derivative, or no useful one.
FIXED = {"beta.cdf": (1, 2), "beta.logcdf": (1, 2), "beta.sf": (1, 2), "beta.logsf": (1, 2), "betabinom": (0, 4), "binom": (0, 3), "geom": (0, 2), "nbinom": (0, 3), "poisson": (0, 2), "bernoulli": (0, 2), "poisson.cdf": (0, 2), "bernoulli.ppf": (0, 1)}

print(f"# made by make_stats.py with jax {jax.__version__}")
for dtype, d in ((jnp.float32, "f32"), (jnp.float64, "f64")):
    jax.config.update("jax_enable_x64", d == "f64")
    for name, f, operands, strange in CALLS:
        a, o = [jnp.array(v, dtype) for v in operands], [jnp.array(v, dtype) for v in strange]
        for i, v in enumerate(a):
            show(f"{name}.{d}.in{i}", v)
        for i, v in enumerate(o):
            show(f"{name}.{d}.odd_in{i}", v)
        show(f"{name}.{d}", f(*a))
        show(f"{name}.{d}.odd", f(*o))
        fixed = FIXED.get(name, FIXED.get(name.split(".")[0], ()))
        for i in range(len(a)):
            # JAX multiplies by the slope of an integer there
            if i not in fixed and not (name.startswith("gumbel") and (i == 2 or "ppf" in name)):
                show(f"{name}.{d}.slope{i}", jax.grad(lambda *v: jnp.sum(f(*v)), i)(*a))

    def other_lines(name, f, *operands):
        """Prints a value and, if it is a float, the slopes of the sum of its squares."""
        v = [jnp.array(e) for e in operands]
        show(f"{name}.{d}", f(*v))
        for i, e in enumerate(v):
            if jnp.issubdtype(e.dtype, jnp.floating):
                show(f"{name}.{d}.slope{i}", jax.grad(lambda *w: jnp.sum(f(*w) ** 2), i)(*v))

    three = jnp.array([[0.2, 0.1, 0.6], [0.3, 0.4, 0.1], [0.5, 0.5, 0.3]], dtype)
    alpha = jnp.array([1.5, 0.7, 3.0], dtype)
    other_lines("dirichlet.logpdf", stats.dirichlet.logpdf, three, alpha)
    other_lines("dirichlet.pdf", stats.dirichlet.pdf, three, alpha)
    other_lines("dirichlet.short", stats.dirichlet.logpdf, three[:2], alpha)
    show(f"dirichlet.outside.{d}", stats.dirichlet.logpdf(jnp.array([[0.5, 0.0], [0.5, 0.5], [0.5, 0.5]], dtype), alpha))
    points, mean = steps((4, 3)).astype(dtype), steps((3,), 5, 7).astype(dtype)
    cov = jnp.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.4], [-0.2, 0.4, 1.0]], dtype)
    other_lines("mvn.logpdf", stats.multivariate_normal.logpdf, points, mean, cov)
    other_lines("mvn.pdf", stats.multivariate_normal.pdf, points, mean, cov)
    other_lines("mvn.many", stats.multivariate_normal.logpdf, points, mean, jnp.stack([cov, 2 * cov, cov + 1, 3 * cov]))
    other_lines("mvn.one", stats.multivariate_normal.logpdf, points[0], mean, cov)
    other_lines("mvn.number", stats.multivariate_normal.logpdf, points, mean, dtype(2.5))
    other_lines("mvn.scalar", stats.multivariate_normal.logpdf, points, dtype(0.5), dtype(2.5))
    show(f"mvn.indefinite.{d}", stats.multivariate_normal.logpdf(points, mean, -cov))
    outcomes = jnp.array([[1, 2, 3], [0, 4, 2], [6, 0, 0]])
    p = jnp.array([0.2, 0.3, 0.5], dtype)
    show(f"multinomial.logpmf.{d}", jax.vmap(lambda k: stats.multinomial.logpmf(k, jnp.array(6), p))(outcomes))
    show(f"multinomial.pmf.{d}", jax.vmap(lambda k: stats.multinomial.pmf(k, jnp.array(6), p))(outcomes))
    show(f"multinomial.other.{d}", jax.vmap(lambda k: stats.multinomial.logpmf(k, jnp.array(5), p))(outcomes))
    show(f"multinomial.slope.{d}", jax.grad(lambda q: stats.multinomial.logpmf(outcomes[0], jnp.array(6), q))(p))
    show(f"poisson.entropy.{d}", stats.poisson.entropy(jnp.array([0.0, 0.1, 3.0, 9.9, 10.5, 50.0, 99.0], dtype)))
    show(f"poisson.entropy_slope.{d}", jax.grad(lambda m: jnp.sum(stats.poisson.entropy(m)))(jnp.array([0.1, 3.0, 9.9, 10.5, 50.0], dtype)))

    # ---- summaries
    few = jnp.array([[1.0, 3.0, 1.0, 2.0, 3.0], [2.0, 2.0, nan, nan, nan], [0.0, 4.0, -1.0, 4.0, 0.5], [5.0, 5.0, 5.0, 5.0, 5.0]], dtype)
    for a, axis in (("0", 0), ("1", 1), ("none", None)):
        for keep in (False, True):
            r = stats.mode(few, axis=axis, keepdims=keep)
            show(f"mode.{a}{'.keep' if keep else ''}.{d}", r.mode)
            show(f"mode.{a}{'.keep' if keep else ''}.count.{d}", r.count.astype(jnp.int32))
        show(f"sem.{a}.{d}", stats.sem(few, axis=axis))
        show(f"sem.{a}.keep.{d}", stats.sem(few, axis=axis, ddof=0, keepdims=True))
        show(f"sem.{a}.omit.{d}", stats.sem(few, axis=axis, nan_policy="omit"))
        for method in ("average", "min", "max", "dense", "ordinal"):
            show(f"rankdata.{method}.{a}.{d}", stats.rankdata(few, method, axis=axis))
            show(f"rankdata.{method}.whole.{a}.{d}", stats.rankdata(few[jnp.array([0, 2, 3])], method, axis=axis))
    show(f"mode.int.{d}", stats.mode(jnp.array([3, 1, 3, 1, 2], jnp.int32)).mode)
    show(f"mode.empty.{d}", stats.mode(jnp.zeros((0, 2), dtype)).mode)
    show(f"sem.slope.{d}", jax.grad(lambda v: jnp.sum(stats.sem(v, axis=1)))(steps((3, 4)).astype(dtype)))

    # ---- gaussian_kde
    data, weights = steps((2, 7), 5, 13).astype(dtype), jnp.arange(1.0, 8.0, dtype=dtype)
    at = steps((2, 5), 3, 7).astype(dtype)
    KDES = {"plain": lambda v: stats.gaussian_kde(v), "silverman": lambda v: stats.gaussian_kde(v, "silverman"), "factor": lambda v: stats.gaussian_kde(v, 0.4), "weights": lambda v: stats.gaussian_kde(v, weights=weights)}
    for name, make in KDES.items():
        kde = make(data)
        show(f"kde.{name}.evaluate.{d}", kde(at))
        show(f"kde.{name}.logpdf.{d}", kde.logpdf(at))
        show(f"kde.{name}.covariance.{d}", kde.covariance)
        show(f"kde.{name}.inv_cov.{d}", kde.inv_cov)
        show(f"kde.{name}.neff.{d}", kde.neff)
        show(f"kde.{name}.gaussian.{d}", kde.integrate_gaussian(jnp.array([0.2, -0.3], dtype), jnp.array([[1.0, 0.2], [0.2, 0.5]], dtype)))
        show(f"kde.{name}.kde.{d}", kde.integrate_kde(stats.gaussian_kde(at, 0.5)))
        show(f"kde.{name}.resample.{d}", kde.resample(jax.random.key(3), (4,)))
        show(f"kde.{name}.slope.{d}", jax.grad(lambda v: jnp.sum(make(v).logpdf(at)))(data))
        show(f"kde.{name}.one.{d}", kde.evaluate(jnp.array([0.1, 0.3], dtype)))
        line = make(data[0])
        show(f"kde.{name}.box.{d}", line.integrate_box_1d(-0.5, 1.25))
        show(f"kde.{name}.line.{d}", line(at[1]))
