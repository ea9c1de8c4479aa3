# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_extremes.py: writes extremes.txt, values of distributions and of
# functions of the gamma function at extreme operands. They are large and tiny parameters and
# scales, ends of the support, points just inside and outside, infinities and NaN. mpmath computes
# the values to 80 digits.
#
# Run with mpmath, numpy and jax installed: python make_extremes.py > extremes.txt.
#
# The operands of a family are in the lines NAME.DTYPE.inK. Each function has two lines. One has the
# values. The other, ".size", has the number to which a rounding error is relative. It is the sum of
# three parts: the size of the value, the exponent of an exponential, and the effect of rounding
# each operand.
import functools

import mpmath as mp
import numpy as np

from golden_lines import show

mp.mp.dps = 80
inf, nan, pi = mp.inf, mp.nan, mp.pi
step = mp.mpf(10) ** -25


def lg(x):
    return mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x)))


def xlogy(x, y):
    return mp.mpf(0) if x == 0 else -inf * x if y == 0 else x * mp.log(y)


def log_or(v):
    return nan if mp.isnan(v) else mp.log(v) if v > 0 else -inf


def exp(v):
    """exp(v), or 0 if no dtype has the result, which would take mpmath a long time."""
    if isinstance(v, mp.mpc):
        raise ValueError("no real number")
    return mp.mpf(0) if v < -1e12 else mp.exp(v)


def whole(k):
    return not mp.isinf(k) and mp.floor(k) == k


# ---- continuous distributions of z = (x - loc) / scale: the logarithm of the density without that
# of the scale; cdf; sf
def gamma_log(z, a):
    if z < 0 or z == inf:
        return -inf
    if z == 0:
        return mp.mpf(0) if a == 1 else inf if a < 1 else -inf
    return (a - 1) * mp.log(z) - z - lg(a)


def beta_log(z, a, b):
    if z < 0 or z > 1:
        return -inf
    if (z == 0 and a < 1) or (z == 1 and b < 1):
        return inf
    return xlogy(a - 1, z) + xlogy(b - 1, 1 - z) - lg(a) - lg(b) + lg(a + b)


def normal_tail(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def t_log(z, n):
    if mp.isinf(z):
        return -inf
    return lg((n + 1) / 2) - lg(n / 2) - mp.log(n * pi) / 2 - (n + 1) / 2 * mp.log1p(z * z / n)


def two_sided(f):
    """The cdf and sf of a symmetric distribution, from f(z), the probability beyond z."""
    return lambda z, *p: 1 if z == inf else 0 if z == -inf else f(-z, *p), lambda z, *p: 0 if z == inf else 1 if z == -inf else f(z, *p)


def at_infinity(f):
    return lambda z, *p: -inf if mp.isinf(z) else f(z, *p)


def truncated(z, a, b):
    if not a < b:
        return nan, nan, nan
    mass = lambda lo, hi: normal_tail(lo) - normal_tail(hi) if lo > 0 else normal_tail(-hi) - normal_tail(-lo)
    all_of = mass(a, b)
    low = 0 if z <= a else 1 if z >= b else mass(a, z) / all_of
    high = 1 if z <= a else 0 if z >= b else mass(z, b) / all_of
    density = -inf if z < a or z > b else -z * z / 2 - mp.log(2 * pi) / 2 - mp.log(all_of)
    return density, low, high


def gennorm_tail(z, b):
    upper = mp.gammainc(1 / b, abs(z) ** b, inf, regularized=True) / 2
    return upper if z >= 0 else 1 - upper


def pareto_log(z, b):
    return -inf if z < 1 or z == inf else mp.log(b) - (b + 1) * mp.log(z)


def gumbel_below(z):
    return 1 if z > 40 else 0 if z == -inf else -mp.expm1(-mp.exp(z))


def gumbel_above(z):
    return 0 if z > 40 else 1 if z == -inf else mp.exp(-mp.exp(z))


DENSITY = {
    "norm": (at_infinity(lambda z: -z * z / 2 - mp.log(2 * pi) / 2), *two_sided(normal_tail)),
    "cauchy": (at_infinity(lambda z: -mp.log(pi) - mp.log1p(z * z)), *two_sided(lambda z: mp.atan2(1, z) / pi)),
    "t": (t_log,),
    "gamma": (gamma_log, lambda z, a: 0 if z <= 0 else 1 if z == inf else mp.gammainc(a, 0, z, regularized=True), lambda z, a: 1 if z <= 0 else 0 if z == inf else mp.gammainc(a, z, inf, regularized=True)),
    "chi2": (lambda z, n: gamma_log(z / 2, n / 2) - mp.log(2),),
    "beta": (beta_log,),
    "expon": (lambda z: -inf if z < 0 or z == inf else -z, lambda z: 0 if z < 0 else 1 if z == inf else -mp.expm1(-z), lambda z: 1 if z < 0 else mp.exp(-z)),
    "pareto": (pareto_log, lambda z, b: 0 if z < 1 else 1 if z == inf else -mp.expm1(-b * mp.log(z)), lambda z, b: 1 if z < 1 else 0 if z == inf else mp.exp(-b * mp.log(z))),
    "gennorm": (at_infinity(lambda z, b: mp.log(b / 2) - lg(1 / b) - abs(z) ** b), lambda z, b: 1 if z == inf else 0 if z == -inf else gennorm_tail(-z, b)),
    "gumbel_l": (at_infinity(lambda z: z - mp.exp(z)), lambda z: gumbel_below(z), lambda z: gumbel_above(z)),
    "gumbel_r": (at_infinity(lambda z: -z - mp.exp(-z)), lambda z: gumbel_above(-z), lambda z: gumbel_below(-z)),
    "laplace": (at_infinity(lambda z: -abs(z) - mp.log(2)), lambda z: mp.exp(z) / 2 if z <= 0 else 1 - mp.exp(-z) / 2),
    "logistic": (at_infinity(lambda z: -z - 2 * mp.log1p(mp.exp(-z))), *two_sided(lambda z: 1 / (1 + mp.exp(z)))),
    "truncnorm": tuple((lambda z, a, b, k=k: truncated(z, a, b)[k]) for k in range(3)),
    "uniform": (lambda z: -inf if z < 0 or z > 1 else mp.mpf(0), lambda z: 0 if z < 0 else 1 if z > 1 else z),
}

# Logarithms of tails that mpmath cannot represent.
LOG_TAIL = {
    "gumbel_l.sf": lambda z: -mp.exp(z) if z < 1e6 else -inf, "gumbel_r.cdf": lambda z: -mp.exp(-z) if z > -1e6 else -inf,
}


def vonmises_log(x, k):
    return nan if k <= 0 else k * (mp.cos(x) - 1) - mp.log(2 * pi * mp.besseli(0, k) * mp.exp(-k))


def wrapcauchy_log(x, c):
    return nan if not 0 < c < 1 else -inf if x < 0 or x > 2 * pi else mp.log((1 - c * c) / (2 * pi * (1 + c * c - 2 * c * mp.cos(x))))


# ---- counts
def poisson_log(k, m):
    return -inf if k < 0 or not whole(k) else xlogy(k, m) - m - lg(k + 1)


def binom_log(k, n, p):
    return -inf if k < 0 or k > n or not whole(k) else lg(n + 1) - lg(k + 1) - lg(n - k + 1) + xlogy(k, p) + xlogy(n - k, 1 - p)


def nbinom_log(k, n, p):
    return -inf if k < 0 or not whole(k) else lg(k + n) - lg(n) - lg(k + 1) + xlogy(n, p) + xlogy(k, 1 - p)


def betaln(a, b):
    return lg(a) + lg(b) - lg(a + b)


def betabinom_log(k, n, a, b):
    if k < 0 or k > n or not whole(k):
        return -inf
    return lg(n + 1) - lg(k + 1) - lg(n - k + 1) + betaln(k + a, n - k + b) - betaln(a, b)


MASS = {
    "bernoulli": lambda k, p: mp.log(p) if k == 1 else mp.log(1 - p) if k == 0 else -inf,
    "geom": lambda k, p: -inf if k < 1 or not whole(k) else xlogy(k - 1, 1 - p) + mp.log(p),
    "poisson": poisson_log, "binom": binom_log, "nbinom": nbinom_log, "betabinom": betabinom_log,
}


# ---- quantiles of q in [0, 1]
def quantile(low, high, f):
    return lambda q, *p: nan if q < 0 or q > 1 else low(*p) if q == 0 else high(*p) if q == 1 else f(q, *p)


ends = (lambda *p: -inf), (lambda *p: inf)
zero = lambda *p: mp.mpf(0)  # noqa: E731
QUANTILE = {
    "cauchy": quantile(*ends, lambda q: -1 / mp.tan(pi * q) if q != 0.5 else mp.mpf(0)),
    "expon": quantile(zero, ends[1], lambda q: -mp.log1p(-q)), "gumbel_l": quantile(*ends, lambda q: mp.log(-mp.log1p(-q))),
    "gumbel_r": quantile(*ends, lambda q: -mp.log(-mp.log(q))), "logistic": quantile(*ends, lambda q: mp.log(q / (1 - q))),
    "norm": quantile(*ends, lambda q: mp.sqrt(2) * mp.erfinv(2 * q - 1)), "uniform": quantile(zero, lambda: mp.mpf(1), lambda q: q),
    "pareto": quantile(lambda b: mp.mpf(1), ends[1], lambda q, b: mp.exp(-mp.log1p(-q) / b)),
}
UPPER = ("cauchy", "logistic", "norm")  # those with isf


# ---- functions of the gamma function
def comb(n, k):
    return mp.mpf(0) if not 0 <= k <= n else mp.exp(lg(n + 1) - lg(k + 1) - lg(n - k + 1))


def poch(z, m):
    return mp.rf(z, m)


def beta_of(a, b):
    low, high = min(a, b), max(a, b)
    if low <= 0 and whole(low):
        if whole(high) and high > 0 and low + high <= 0:
            return (-1) ** int(high) * mp.beta(1 - low - high, high)
        return inf
    return mp.mpf(0) if low + high <= 0 and whole(low + high) else mp.gamma(a) * mp.gamma(b) / mp.gamma(a + b)


GAMMA = {"comb": comb, "poch": poch, "beta": beta_of, "betaln": lambda a, b: log_or(abs(beta_of(a, b))), "gamma": mp.gamma, "factorial": lambda n: mp.gamma(n + 1) if n >= 0 else mp.mpf(0)}


# ---- operands
def spread(center, width, more=()):
    return [center + k * width for k in (-5, -1, 0, 0.5, 4)] + list(more)


def points():
    """The operands of each family: (x, parameters…, loc, scale), or fewer for other functions."""
    out = {}
    scales = [1.0, 1e30, 1e-30]
    real = [0.0, 1.5, -1e-20, 7.0, -30.0, 1e10, -1e10, 1e25, float("inf"), -float("inf"), float("nan")]
    both = [(x * s if abs(x) < 1e5 else x, 0.0, s) for s in scales for x in real] + [(1e30, -1e30, 1e29), (5.0, 4.999, 1e-4)]
    for name in ("norm", "cauchy", "laplace", "logistic", "gumbel_l", "gumbel_r"):
        out[name] = both
    positive = [0.0, 1e-30, 1e-6, 0.7, 30.0, 200.0, 1e20, -1e-30, -3.0, float("inf"), float("nan")]
    out["expon"] = [(x * s if x < 1e5 else x, 0.0, s) for s in scales for x in positive]
    out["t"] = [(x, n, 0.0, s) for n in (1e-3, 0.5, 3.0, 19.0, 21.0, 1e4, 1e8, 1e15, 1e30) for x, s in ((0.0, 1.0), (1.0, 1.0), (-20.0, 2.0), (1e10, 1.0), (1e30, 1e3), (float("inf"), 1.0), (1e-10, 1e-12))]
    out["gamma"], out["chi2"] = [], []
    for a in (1e-6, 0.5, 1.0, 3.0, 9.5, 10.5, 1e3, 1e6, 1e12, 1e20):
        for x in spread(a, a**0.5, [0.0, 1e-30, 1e30, -1.0, float("inf"), float("nan")]):
            out["gamma"].append((x, a, 0.0, 1.0))
            out["chi2"].append((2 * x, 2 * a, 0.0, 1.0))
    out["gamma"] += [(3e30, 3.0, 0.0, 1e30), (1e-30, 3.0, 0.0, 1e-30), (2.5, 1.0, 2.5, 1.0), (2.5, 0.5, 2.5, 1.0)]
    out["beta"] = []
    for a, b in ((0.5, 0.5), (1.0, 1.0), (2.0, 1e6), (9.5, 11.0), (50.0, 20.0), (1e3, 1e3), (1e6, 2e6), (1e12, 1e4), (1e-6, 1e-6)):
        m = a / (a + b)
        for x in spread(m, (m * (1 - m) / (a + b + 1)) ** 0.5, [0.0, 1.0, 1e-20, 1 - 2**-20, -1e-6, 1.001, float("nan")]):
            out["beta"].append((x, a, b, 0.0, 1.0))
    out["pareto"] = [(x * s, b, 0.0, s) for b in (1e-3, 0.5, 2.0, 1e4) for s in (1.0, 1e-20, 1e25) for x in (0.5, 1.0, 1.0 + 2**-12, 2.0, 1e5, float("inf"), -1.0, float("nan"))]
    out["gennorm"] = [(x, b) for b in (0.05, 0.5, 1.0, 2.0, 8.0, 100.0) for x in (0.0, 1e-10, 0.9, -1.1, 5.0, -6.0, 20.0, float("inf"), -float("inf"), float("nan"))]
    out["truncnorm"] = [(x, a, b, 0.0, 1.0) for a, b in ((-1.0, 2.0), (8.0, 9.0), (-40.0, -38.0), (-1e-4, 1e-4), (30.0, 1e4), (-1e30, 1e30), (-0.5, 40.0), (2.0, 1.0)) for x in (a, b, (a + b) / 2, a + (b - a) / 16, 0.0, a - 1, b + 1, float("inf"), float("nan"))]
    out["uniform"] = [(x * s, 0.0, s) for s in (1.0, 1e30, 1e-30) for x in (0.0, 1.0, 0.5, -0.1, 1.1, 1e-6)] + [(float("inf"), 0.0, 1.0), (float("nan"), 0.0, 1.0)]
    out["vonmises"] = [(x, k) for k in (1e-6, 1.0, 50.0, 1e4, 1e8) for x in (0.0, 1e-4, -3.0, 1.0, float("nan"))] + [(1.0, -1.0)]
    out["wrapcauchy"] = [(x, c) for c in (1e-6, 0.5, 0.999, 1 - 2**-20) for x in (0.0, 1e-3, 3.0, 6.28, -0.1, 6.4, float("nan"))] + [(1.0, 1.0), (1.0, 0.0)]
    odd = [-1.0, 2.5, 0.5, float("inf"), float("nan")]
    out["bernoulli"] = [(k, p, 0.0) for p in (0.0, 1e-30, 0.3, 1.0) for k in [0.0, 1.0, 2.0] + odd]
    out["geom"] = [(k, p, 0.0) for p in (1e-20, 1e-6, 0.5, 1.0) for k in [1.0, 2.0, 1e6, 0.0] + odd]
    out["poisson"] = [(np.floor(k), m, 0.0) for m in (1e-30, 0.5, 9.5, 1e3, 1e6, 1e12, 1e20) for k in spread(m, m**0.5, [0.0, 1.0, 1e8])] + [(k, 3.0, 0.0) for k in odd]
    out["binom"] = []
    for n, p in ((5.0, 0.3), (1e3, 0.01), (1e6, 0.5), (1e9, 1e-8), (1e12, 0.9), (8.0, 0.0), (8.0, 1.0), (1e20, 0.25)):
        mean = n * p
        out["binom"] += [(np.floor(k), n, p, 0.0) for k in spread(mean, (mean * (1 - p)) ** 0.5, [0.0, 1.0, n, n - 1, n + 1])] + [(k, n, p, 0.0) for k in odd]
    out["nbinom"] = []
    for n, p in ((0.5, 0.3), (3.0, 1e-6), (50.0, 0.9), (1e6, 0.5), (1e12, 0.999)):
        mean = n * (1 - p) / p
        out["nbinom"] += [(np.floor(k), n, p, 0.0) for k in spread(mean, (mean / p) ** 0.5, [0.0, 1.0])] + [(k, n, p, 0.0) for k in odd]
    out["betabinom"] = []
    for n, a, b in ((5.0, 2.0, 3.0), (1e3, 0.5, 0.5), (1e6, 20.0, 30.0), (1e6, 1e6, 1e3), (50.0, 1e8, 3e8), (1e9, 1e-3, 2.0)):
        out["betabinom"] += [(np.floor(n * f), n, a, b, 0.0) for f in (0, 1e-3, 0.3, 0.5, 0.99, 1, 1.5)] + [(k, n, a, b, 0.0) for k in odd]
    q = [0.0, 1e-30, 1e-10, 1e-3, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.8, 0.999, 1 - 2**-20, 1.0, -0.1, 1.5, float("nan")]
    for name in QUANTILE:
        out[f"{name}.ppf"] = [(u, *([b] if b else []), loc, s) for b in ([0.5, 3.0] if name == "pareto" else [None]) for loc, s in ((0.0, 1.0), (2.0, 1e10)) for u in q]
    out["comb"] = [(365.0, 2.0), (1e5, 3.0), (40.0, 20.0), (100.0, 50.0), (1e6, 1e6 - 2), (7.5, 2.5), (1e4, 6.0), (300.0, 40.0), (5.0, 6.0), (5.0, -1.0), (1000.0, 31.0), (67.0, 33.0), (1e9, 1.0)]
    out["poch"] = [(40.0, 1.0), (200.0, 1.0), (1e6, 2.0), (0.5, 30.0), (1e5, 0.5), (-2.5, 3.0), (-3.0, 2.0), (-3.0, 5.0), (-50.5, 30.25), (-200.5, 3.0), (1e8, -2.0), (3.0, -2.0), (1e-10, 1.0), (7.25, 0.0), (50.0, -25.5), (2.5, -6.25)]
    out["beta"] += []
    out["betaln"] = [(-3.0, 2.0), (2.0, -3.0), (-3.0, 3.0), (-3.0, 4.0), (-3.0, 0.5), (-1.5, 0.5), (-1000.5, 3.0), (-20.5, 50.25), (-7.25, -3.5), (1e6, 1e6), (1e-10, 1e10), (1e20, 3.0), (0.0, 2.0), (-2.5, 2.5)]
    out["gamma_of"] = [(x,) for x in (0.5, 5.0, 20.0, 30.5, 34.0, -0.5, -10.5, -33.25, 1e-30, 100.0, 9.99, 10.0, 141.75, 160.5, -150.25)]
    return out


def rounded(v, d):
    if mp.isnan(v):
        return d(np.nan)
    if mp.isinf(v):
        return d(np.inf if v > 0 else -np.inf)
    with np.errstate(over="ignore"):
        return d(np.float64(v)) if d == np.float32 else np.float64(v)


def values_and_sizes(f, rows, exponential, d):
    """Values of f, and the numbers to which rounding errors are relative.

    `exponential` is true if f is computed as an exponential, and "direct" if all digits must be right.
    """
    values, sizes = [], []
    for row in rows:
        x = [mp.mpf(float(e)) for e in row]
        v = nan if any(mp.isnan(e) for e in x) else mp.mpf(f(*x))
        size = mp.mpf(1)
        if mp.isfinite(v):
            size = abs(v) * (1 + abs(mp.log(abs(v)))) if exponential is True and v else abs(v)
            size += 0 if exponential else 1
            for i, e in enumerate(x):
                if e == 0 or not mp.isfinite(e):
                    continue
                near = [[*x[:i], e * (1 + s * step), *x[i + 1:]] for s in (1, -1)]
                try:
                    slope = [mp.mpf(f(*n)) for n in near]
                except (ValueError, TypeError, ZeroDivisionError):
                    continue  # outside of the domain
                # At an end of the support the slope from inside is used.
                ends = [s for s in slope if mp.isfinite(s)]
                if len(ends) == 2:
                    size += abs(ends[0] - ends[1]) / (2 * step)
                elif len(ends) == 1:
                    size += abs(ends[0] - v) / step
        values.append(rounded(v, d))
        sizes.append(min(float(size), 1e300))
    return values, sizes


def scaled(f, log):
    """f as a function of x, with z = (x - loc) / scale. Log densities subtract log(scale)."""
    def g(x, *p):
        *rest, loc, scale = p
        return f((x - loc) / scale, *rest) - (mp.log(scale) if log else 0)
    return g


def log_of_tail(g, other):
    """log g. If g is nearly 1, it is computed from the other tail."""
    return lambda z, *p: mp.log1p(-other(z, *p)) if g(z, *p) > 0.5 else log_or(g(z, *p))


# ---- incomplete functions: (P, Q, density with respect to x) of a and x, and the same of a, b and
# x
@functools.lru_cache(maxsize=None)
def gamma_tails(a, x):
    low = mp.gammainc(a, 0, x, regularized=True)
    return (low, mp.gammainc(a, x, inf, regularized=True)) if low > 0.5 else (low, 1 - low)


@functools.lru_cache(maxsize=None)
def beta_tails(a, b, x):
    """Both tails: by mpmath's series, or for large parameters by an integral of the density."""
    if a + b < 1e6:
        return mp.betainc(a, b, 0, x, regularized=True), mp.betainc(b, a, 0, 1 - x, regularized=True)
    n = a + b
    mean, width, scale = a / n, mp.sqrt(a * b / n**3), lg(n) - lg(a) - lg(b)
    sides = 1 if x > mean else -1
    ends = [x + sides * width * k for k in range(0, 13, 3)]
    ends = [min(max(e, 0), 1) for e in ends]
    tail = abs(mp.quad(lambda t: mp.exp((a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t) + scale), ends))
    return (tail, 1 - tail) if sides < 0 else (1 - tail, tail)


def of_tails(tails, k, log):
    def f(*x):
        pair = tails(*x)
        if not log:
            return pair[k]
        return mp.log(pair[k]) if pair[k] < 0.5 else mp.log1p(-pair[1 - k])
    return f


def incomplete_lines(lines, operands, d, short):
    parameters = (1e-30, 1e-11, 1e-5, 0.1, 0.5, 1.0, 3.0, 9.5, 10.0, 15.5, 50.0, 300.0)
    gammas = [(a, x) for a in parameters for x in (1e-20, 1e-5, 0.5, 0.99, 1.5, 4.0, 10.0, 30.0, 200.0, 700.0)]
    gammas += [(a, x) for a in (3.0, 40.0, 2e4) for x in (1e3, 3e4, 1e-30)]
    betas = [(a, b, x) for a, b in ((0.5, 0.5), (3.0, 7.5), (9.5, 9.9), (9.9, 10.1), (12.0, 15.0), (0.25, 40.0), (200.0, 3.0), (20.0, 2000.0))
             for x in (1e-20, 1e-5, 0.25, 0.5, 0.7, 0.999)]
    for a, b in ((3e7, 4e7), (1e10, 1e10), (1e13, 1e20)):
        m, w = a / (a + b), (a * b / (a + b) ** 3) ** 0.5
        if d == np.float32:  # rounding x changes it by more than the width of the density
            continue
        betas += [(a, b, m + k * w) for k in (-5, 0, 0.5)]
    for family, grid, tails, density in (("incgamma", gammas, gamma_tails, gamma_log_of), ("incbeta", betas, beta_tails, beta_log_of)):
        operands(family, grid)
        for name, f in (("lower", of_tails(tails, 0, False)), ("upper", of_tails(tails, 1, False)), ("loglower", of_tails(tails, 0, True)), ("logupper", of_tails(tails, 1, True)), ("slope", density)):
            lines(f"{family}.{name}", grid, f, True, d, short)


def gamma_log_of(a, x):
    return exp(gamma_log(x, a))


def beta_log_of(a, b, x):
    return exp(beta_log(x, a, b))


def main():
    print(f"# made by make_extremes.py with mpmath {mp.__version__}")
    grids = points()

    def lines(name, grid, f, exponential, d, short):
        with np.errstate(over="ignore"):
            rows = [tuple(d(e) for e in row) for row in grid]
        v, s = values_and_sizes(f, rows, exponential, d)
        show(f"{name}.{short}", np.array(v, d))
        print(f"{name}.{short}.size", "f64", len(s), *(f"{e:.3g}" for e in s))

    for d, short in ((np.float32, "f32"), (np.float64, "f64")):
        def operands(name, grid):
            with np.errstate(over="ignore"):
                for i, column in enumerate(zip(*grid)):
                    show(f"{name}.{short}.in{i}", np.array(column, d))

        for name, (log, *tails) in DENSITY.items():
            grid = grids[name]
            operands(name, grid)
            f = scaled(log, True) if name != "gennorm" else log
            lines(f"{name}.logpdf", grid, f, False, d, short)
            lines(f"{name}.pdf", grid, lambda *x: inf if f(*x) == inf else exp(f(*x)), True, d, short)
            for tail, g in zip(("cdf", "sf"), tails):
                if name == "gamma" and len(grid) > 90:
                    grid_of = [r for r in grid if 0.1 < r[1] < 2e3]
                    operands(f"{name}.{tail}", grid_of)
                else:
                    grid_of = grid
                h = scaled(g, False) if name != "gennorm" else g
                lines(f"{name}.{tail}", grid_of, h, True, d, short)
                if name in ("norm", "cauchy", "expon", "pareto", "gumbel_l", "gumbel_r", "truncnorm"):
                    log_h = LOG_TAIL.get(f"{name}.{tail}")
                    other = dict(zip(("cdf", "sf"), tails[::-1])).get(tail)
                    log_h = scaled(log_h or log_of_tail(g, other), False)
                    lines(f"{name}.log{tail}", grid_of, log_h, True, d, short)
        for name, log in (("vonmises", vonmises_log), ("wrapcauchy", wrapcauchy_log)):
            operands(name, grids[name])
            lines(f"{name}.logpdf", grids[name], log, False, d, short)
            lines(f"{name}.pdf", grids[name], lambda *x: nan if mp.isnan(log(*x)) else exp(log(*x)), True, d, short)
        for name, log in MASS.items():
            operands(name, grids[name])
            f = lambda k, *p, log=log: log(k - p[-1], *p[:-1])  # noqa: E731
            lines(f"{name}.logpmf", grids[name], f, False, d, short)
            lines(f"{name}.pmf", grids[name], lambda *x: exp(f(*x)), True, d, short)
        for name, f in QUANTILE.items():
            grid = grids[f"{name}.ppf"]
            operands(f"{name}.ppf", grid)
            located = lambda q, *p, f=f: f(q, *p[:-2]) * p[-1] + p[-2]  # noqa: E731
            lines(f"{name}.ppf", grid, located, False, d, short)
            if name in UPPER:
                operands(f"{name}.isf", grid)
                lines(f"{name}.isf", grid, lambda q, *p: nan if mp.isnan(q) else located(1 - q, *p), False, d, short)
        for name, f in GAMMA.items():
            grid = grids[{"beta": "betaln", "gamma": "gamma_of", "factorial": "gamma_of"}.get(name, name)]
            operands(f"special.{name}", grid)
            lines(f"special.{name}", grid, f, "direct" if name in ("gamma", "factorial") else name != "betaln", d, short)
        incomplete_lines(lines, operands, d, short)


main()
