# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_special_points.py: writes special_points.txt, values and derivatives
# of functions at special points. For functions with corners, poles or no derivative they are JAX's
# (tests/functions/special/special_points_test.cpp calls them under the same names). For all smooth
# functions they are from mpmath and limits (tests/functions/special/special_references_test.cpp).
#
# Run with jax and mpmath: python make_special_points.py > special_points.txt (made with jax 0.10.2,
# mpmath 1.4.1).
#
# A line is "name point value derivative second-derivative", or for vectors "name x,y,z value
# gradient". A line "truth name operand x,y,z value derivative second-derivative" has derivatives
# with respect to one operand.
import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
from jax import grad, lax, nn

inf, nan = np.inf, np.nan

POINTS = [-inf, -3.0, -1.0, -0.5, -0.0, 0.0, 1e-30, 0.5, 1.0, 2.5, 3.0, 6.0, 20.0, inf, nan]
SCALARS = {
    "sinc": jnp.sinc, "relu": nn.relu, "relu6": nn.relu6, "leaky_relu": nn.leaky_relu, "elu": nn.elu, "selu": nn.selu,
    "celu": nn.celu, "gelu": nn.gelu, "gelu_exact": lambda x: nn.gelu(x, approximate=False), "sigmoid": nn.sigmoid,
    "silu": nn.silu, "softplus": nn.softplus, "mish": nn.mish, "soft_sign": nn.soft_sign, "log_sigmoid": nn.log_sigmoid,
    "hard_tanh": nn.hard_tanh, "hard_sigmoid": nn.hard_sigmoid, "hard_silu": nn.hard_silu, "squareplus": nn.squareplus,
    "abs": jnp.abs, "sqrt": jnp.sqrt, "cbrt": jnp.cbrt, "sign": jnp.sign, "square": jnp.square, "reciprocal": jnp.reciprocal,
    "exp": jnp.exp, "log": jnp.log, "log1p": jnp.log1p, "expm1": jnp.expm1, "exp2": jnp.exp2, "log2": jnp.log2, "log10": jnp.log10,
    "tan": jnp.tan, "asin": jnp.asin, "acos": jnp.acos, "atan": jnp.atan, "tanh": jnp.tanh, "asinh": jnp.asinh,
    "acosh": jnp.acosh, "atanh": jnp.atanh, "floor": jnp.floor, "round": jnp.round, "trunc": jnp.trunc,
    "nan_to_num": jnp.nan_to_num, "pow_0": lambda x: x**0, "pow_1": lambda x: x**1, "pow_2": lambda x: x**2,
    "pow_half": lambda x: jnp.power(x, 0.5), "pow_zero": lambda x: jnp.power(x, 0.0), "of_0": lambda x: jnp.power(0.0, x),
    "of_2": lambda x: jnp.power(2.0, x), "pow_three": lambda x: jnp.power(x, 3.0),
    "pow_u8_0": lambda x: lax.pow(x, jnp.uint8(0)), "pow_u8_1": lambda x: lax.pow(x, jnp.uint8(1)),
    "pow_i32_0": lambda x: lax.pow(x, jnp.int32(0)), "pow_i32_1": lambda x: lax.pow(x, jnp.int32(1)),
    "clip": lambda x: jnp.clip(x, 0.0, 1.0),
    "maximum_0": lambda x: jnp.maximum(x, 0.0), "minimum_0": lambda x: jnp.minimum(x, 0.0), "maximum_self": lambda x: jnp.maximum(x, x),
    "logaddexp_0": lambda x: jnp.logaddexp(x, 0.0), "logaddexp_self": lambda x: jnp.logaddexp(x, x),
    "logaddexp_inf": lambda x: jnp.logaddexp(x, inf), "logaddexp_ninf": lambda x: jnp.logaddexp(x, -inf),
    "logaddexp2_0": lambda x: jnp.logaddexp2(x, 0.0), "logaddexp2_self": lambda x: jnp.logaddexp2(x, x),
    "atan2_x0": lambda x: jnp.arctan2(x, 0.0), "atan2_0x": lambda x: jnp.arctan2(0.0, x), "atan2_self": lambda x: jnp.arctan2(x, x),
    "hypot_0": lambda x: jnp.hypot(x, 0.0), "hypot_self": lambda x: jnp.hypot(x, x), "fmod_1": lambda x: jnp.fmod(x, 1.0),
    "mod_1": lambda x: jnp.mod(x, 1.0), "copysign_neg": lambda x: jnp.copysign(x, -1.0), "copysign_pos": lambda x: jnp.copysign(x, 1.0),
    "heaviside": lambda x: jnp.heaviside(x, 0.5), "fmax_0": lambda x: jnp.fmax(x, 0.0), "fmin_0": lambda x: jnp.fmin(x, 0.0),
}
ROWS = [[1, 2, 3], [inf, 0, inf], [inf, 1, inf], [-inf, 0, 1], [-inf, -inf, 1], [-inf, -inf, -inf], [inf, inf, inf],
        [inf, -inf, 0], [nan, 1, 2], [2, 2, 1], [0, 0, 0], [1, nan, inf]]
VECTORS = {
    "median": jnp.median, "quantile_half": lambda x: jnp.quantile(x, 0.5), "quantile_1": lambda x: jnp.quantile(x, 1.0),
    "quantile_0": lambda x: jnp.quantile(x, 0.0), "quantile_part": lambda x: jnp.quantile(x, 0.3),
    "percentile": lambda x: jnp.percentile(x, 75.0), "midpoint": lambda x: jnp.quantile(x, 0.3, method="midpoint"),
    "lower": lambda x: jnp.quantile(x, 0.3, method="lower"), "higher": lambda x: jnp.quantile(x, 0.3, method="higher"),
    "nearest": lambda x: jnp.quantile(x, 0.3, method="nearest"), "max": jnp.max, "min": jnp.min, "sum": jnp.sum, "prod": jnp.prod,
    "mean": jnp.mean, "var": jnp.var, "std": jnp.std, "ptp": jnp.ptp, "logsumexp": nn.logsumexp, "softmax": lambda x: nn.softmax(x)[0],
    "log_softmax": lambda x: nn.log_softmax(x)[0], "nansum": jnp.nansum, "nanprod": jnp.nanprod, "nanmax": jnp.nanmax,
    "nanmin": jnp.nanmin, "nanmean": jnp.nanmean, "nanvar": jnp.nanvar, "nanstd": jnp.nanstd, "cummax": lambda x: lax.cummax(x)[-1],
    "cumprod": lambda x: jnp.cumprod(x)[-1], "sort": lambda x: jnp.sort(x)[0], "diff": lambda x: jnp.diff(x)[0],
    "trapezoid_x": lambda x: jnp.trapezoid(x, jnp.array([0.0, 1.0, 3.0])),
    "standardize": lambda x: nn.standardize(x, where=jnp.array([True, False, True]))[0],
}


def text(v):
    return f"{float(v):.9g}".replace("-nan", "nan")


def jax_lines():
    for name, f in SCALARS.items():
        for p in POINTS:
            x, g, out = jnp.float32(p), f, [f(jnp.float32(p))]
            for _ in range(2):
                g = grad(g)
                out.append(g(x))
            print(name, text(p), *map(text, out))
    for name, f in VECTORS.items():
        for row in ROWS:
            x = jnp.array(row, jnp.float32)
            print(name, ",".join(map(text, row)), text(f(x)), *map(text, grad(f)(x)))


# ---- references: derivatives by mpmath where JAX's are wrong or lose digits

mp.mp.prec = 900
PI = mp.pi


def tidy(v):
    """The nearest F32 if it is in range, so that both dtypes get the same number."""
    v = float(v)
    return float(np.float32(v)) if v == 0 or 1e-37 < abs(v) < 3e38 else v


def derivatives(f, x, side):
    """f, f' and f'' at x by central or one-sided differences."""
    mp.mp.prec = 900 + 4 * abs(int(mp.mag(x))) if x else 900
    h = (abs(x) if x else mp.mpf(1)) * mp.mpf(2) ** -150
    if side:
        h *= side
        v = [f(x + k * h) for k in range(4)]
        return v[0], (4 * v[1] - v[2] - 3 * v[0]) / (2 * h), (2 * v[0] - 5 * v[1] + 4 * v[2] - v[3]) / h**2
    a, b, c = f(x - h), f(x), f(x + h)
    return b, (c - a) / (2 * h), (a - 2 * b + c) / h**2


def truth_text(v):
    v = mp.mpf(v)
    # the rest is a rounding error of a difference
    v = v if abs(v) > 1e-85 or mp.isnan(v) else mp.mpf(0)
    return "nan" if mp.isnan(v) else "inf" if v == mp.inf else "-inf" if v == -mp.inf else mp.nstr(v, 17)


def show_truth(name, by, point, out):
    print("truth", name, by, ",".join(repr(p) for p in point), *map(truth_text, out))


def truths(name, f, points, by=None, side=0):
    """Prints lines of f at points, which are numbers or tuples, for each operand or those of `by`."""
    for point in points:
        at = [tidy(p) for p in (point if isinstance(point, tuple) else (point,))]
        for k in range(len(at)) if by is None else by:
            x = [mp.mpf(p) for p in at]
            g = lambda t, x=x, k=k: mp.re(f(*x[:k], t, *x[k + 1:]))
            show_truth(name, k, at, derivatives(g, x[k], side))


def known(name, by, point, *out):
    """Prints a line with limits that are known in closed form."""
    show_truth(name, by, [tidy(p) for p in (point if isinstance(point, tuple) else (point,))], out)


MIDDLE = [0.25, 0.75, 1, 1.5, 3]
TINY, HUGE = [1e-300, 1e-30, 1e-10], [20, 80, 1e4, 1e10, 1e30, 1e300]
ABOVE = TINY + MIDDLE + HUGE
REAL = [0] + ABOVE + [-p for p in ABOVE]
UNIT = TINY + [0.25, 0.5, 0.75, 1 - 2**-20]
BOTH_UNIT = [0] + UNIT + [-p for p in UNIT]
MILD = [0] + [s * p for s in (1, -1) for p in TINY + MIDDLE + [20, 80]]


def pairs(a, b):
    return [(p, q) for p in a for q in b]


def guarded(f):
    """exp, or 0 if the result underflows even in mpmath."""
    return lambda x: mp.mpf(0) if x < -1e9 else f(x)


E1 = guarded(mp.exp)


def logistic(x):
    return 1 / (1 + E1(-x)) if x > 0 else E1(x) / (1 + E1(x))


def soft_plus(x):
    return mp.log1p(E1(-abs(x))) + max(x, 0)


def tanh(x):
    e = E1(-2 * abs(x))
    return mp.sign(x) * (-mp.expm1(-2 * abs(x)) if abs(x) < 1e9 else 1) / (1 + e)


def normal_tail(x):
    """The logarithm of the normal distribution function."""
    if x < -5e3:
        u = 1 / x**2
        s, t = mp.mpf(1), mp.mpf(1)
        for k in range(1, 40):
            t *= -(2 * k - 1) * u
            s += t
        return -x * x / 2 - mp.log(-x) - mp.log(2 * PI) / 2 + mp.log(s)
    if x > 5e3:
        return mp.mpf(0)
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) if x < 0 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)


def i0e(x):
    x = abs(x)
    return mp.besseli(0, x) * mp.exp(-x) if x < 1e3 else asymptotic_bessel(0, x)


def asymptotic_bessel(n, x):
    s, t = mp.mpf(1), mp.mpf(1)
    for k in range(1, 30):
        t *= -(4 * n * n - (2 * k - 1) ** 2) / (8 * k * x)
        s += t
    return s / mp.sqrt(2 * PI * x)


def i1e(x):
    a = abs(x)
    v = mp.besseli(1, a) * mp.exp(-a) if a < 1e3 else asymptotic_bessel(1, a)
    return mp.sign(x) * v


def log1mexp(x):
    return mp.log(-mp.expm1(-x)) if x < 1e9 else mp.mpf(0)


def box(log_x, l):
    return mp.expm1(l * log_x) / l if l else log_x


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def x_log(x, y):
    return x * mp.log(y) if x else mp.mpf(0)


def x_log1p(x, y):
    return x * mp.log1p(y) if x else mp.mpf(0)


def math_truths():
    truths("reciprocal", lambda x: 1 / x, ABOVE[1:] + [-2])
    truths("sqrt", mp.sqrt, ABOVE)
    truths("rsqrt", lambda x: 1 / mp.sqrt(x), ABOVE)
    truths("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), ABOVE + [-2])
    truths("hypot", lambda x, y: mp.sqrt(x * x + y * y), pairs([1e-30, 1, -3, 1e30], [0, 1e-30, 1, 1e30]) + [(1e-300, 1e-300), (1e300, 1e300)])
    truths("exp", E1, MILD + [-1e4, -1e30])
    truths("exp2", lambda x: mp.mpf(2) ** x, MILD + [-1e4])
    truths("expm1", lambda x: mp.expm1(x) if x > -1e9 else mp.mpf(-1), MILD + [-1e4, -1e30])
    truths("log", mp.log, ABOVE)
    truths("log2", lambda x: mp.log(x) / mp.log(2), ABOVE)
    truths("log10", lambda x: mp.log(x) / mp.log(10), ABOVE)
    truths("log1p", mp.log1p, [0] + ABOVE + [-1e-30, -1e-10, -0.5, 2**-20 - 1])
    apart = lambda x, y: max(x, y) + mp.log1p(E1(-abs(x - y)))
    truths("logaddexp", apart, [(0, 0), (1, 3), (80, 0), (-80, 0), (1e10, -1e10), (1e-30, 0), (3, 3), (1e30, 1e30), (-1e4, -1e4)])
    truths("logaddexp2", lambda x, y: max(x, y) + mp.log1p(E1(-abs(x - y) * mp.log(2))) / mp.log(2),
           [(0, 0), (1, 3), (80, 0), (-80, 0), (1e10, -1e10), (1e-30, 0), (3, 3)])
    waves = [p for p in MILD if abs(p) < 1e3] + [1e4, -1e4]
    truths("sin", mp.sin, waves)
    truths("cos", mp.cos, waves)
    truths("tan", mp.tan, waves)
    truths("asin", mp.asin, BOTH_UNIT)
    truths("acos", mp.acos, BOTH_UNIT)
    truths("atan", mp.atan, REAL)
    truths("atan2", mp.atan2, pairs([1e-300, 1e-30, 1, -3, 1e30, 1e300], [1e-30, -1e-30, 1, -2, 1e30, -1e30, 1e300]) +
           [(1, 0), (-1e-30, 0), (1e30, 0), (0, 1), (0, 1e-30), (0, 1e30)])
    truths("sinh", mp.sinh, MILD)
    truths("cosh", mp.cosh, MILD)
    truths("tanh", tanh, REAL)
    truths("asinh", lambda x: mp.sign(x) * mp.asinh(abs(x)), REAL[1:])
    known("asinh", 0, 0, 0, 1, 0)
    truths("acosh", mp.acosh, [1 + 2**-20, 1.5, 3, 20, 1e4, 1e10, 1e30, 1e300])
    truths("atanh", mp.atanh, BOTH_UNIT)
    truths("sinc", lambda x: mp.sin(PI * x) / (PI * x) if x else mp.mpf(1), [0, 1e-300, 1e-30, 1e-10, -1e-10, 0.25, 0.75, 1.5, 20.5])
    truths("square", lambda x: x * x, [0, 1e-30, 1, -3, 1e10])
    truths("pow", lambda x, y: x**y, pairs([1e-10, 0.25, 1, 3, 20], [0, 1e-10, 0.5, 1, 2, -2.5, 7]))
    truths("logistic", logistic, REAL)


def activation_truths():
    truths("sigmoid", logistic, REAL)
    truths("silu", lambda x: x * logistic(x), REAL)
    truths("softplus", soft_plus, REAL[1:])
    known("softplus", 0, 0, mp.log(2), 0.5, 0.25)
    truths("log_sigmoid", lambda x: -soft_plus(-x), REAL[1:])
    known("log_sigmoid", 0, 0, -mp.log(2), 0.5, -0.25)
    truths("mish", lambda x: x * tanh(soft_plus(x)), REAL[1:])
    truths("gelu.exact", lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2 if abs(x) < 1e4 else max(x, mp.mpf(0)), REAL)
    c = lambda x: tanh(mp.sqrt(2 / PI) * (x + 0.044715 * x**3))
    at = [p for p in REAL if abs(p) < 15]
    cubic = mp.mpf("0.044715")
    truths("gelu", lambda x: x * logistic(2 * mp.sqrt(2 / PI) * (x + cubic * x**3)), at + [1e4, 1e10, 1e30, -1e4, -1e10, -1e30])
    truths("soft_sign", lambda x: x / (1 + abs(x)), REAL[1:])
    truths("squareplus", lambda x: (x + mp.sqrt(x * x + 4)) / 2, [p for p in REAL if -1e15 < p])
    truths("elu", lambda x: mp.expm1(x) if x > -1e9 else mp.mpf(-1), [p for p in REAL if p < 0])
    truths("celu.2", lambda x: 2 * mp.expm1(x / 2) if x > -1e9 else mp.mpf(-2), [p for p in REAL if p < 0])
    truths("log1mexp", log1mexp, ABOVE)
    truths("sparse_plus", lambda x: (x + 1) ** 2 / 4, [0, 0.5, -0.5])


def special_truths():
    truths("erf", mp.erf, MILD)
    truths("erfc", mp.erfc, MILD)
    truths("erfinv", mp.erfinv, [0, 1e-30, -1e-10, 0.25, 0.75, -0.75, 1 - 2**-20])
    truths("ndtr", lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, MILD)
    quantile = lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1)
    truths("ndtri", quantile, [1e-10, 0.01, 0.25, 0.5, 0.75, 1 - 2**-20])
    truths("log_ndtr", normal_tail, [p for p in REAL if abs(p) < 1e15] + [-100, -1000, -1e5, -9.99, -10, -10.01, -20, -5, 5, 8, 10, 30])
    truths("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x) if x < 1e3 else (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * mp.sqrt(PI)),
           [0, 1e-30, 1e-10, 0.25, 1, 3, 20, 1e4, 1e10, -1, -3])
    dawson = lambda x: mp.sqrt(PI) / 2 * mp.exp(-x * x) * mp.erfi(x) if abs(x) < 1e3 else (1 + 1 / (2 * x * x) + 3 / (4 * x**4)) / (2 * x)
    truths("dawsn", dawson, [0, 1e-30, 1e-10, 0.25, 1, 3, 20, 1e4, 1e10, -1])
    truths("gammaln", lambda x: mp.log(abs(mp.gamma(x))) if x < 1e3 else mp.loggamma(x),
           [1e-30, 1e-10, 0.25, 1, 1.5, 2, 3, 20, 1e4, 1e10, 1e30, -0.5, -1.5])
    truths("loggamma", mp.loggamma, [1e-30, 1e-10, 0.25, 1, 1.5, 2, 3, 20, 1e4, 1e10])
    truths("gamma", mp.gamma, [1e-10, 0.25, 1, 1.5, 2, 3, 20, -0.5, -1.5])
    truths("factorial", lambda x: mp.gamma(x + 1), [0, 1e-10, 0.5, 1, 3, 20])
    truths("poch", lambda z, m: mp.gamma(z + m) / mp.gamma(z), [(1, 1), (2, 3), (0.5, 2.5), (3, -1)])
    truths("multigammaln.2", lambda a: mp.log(PI) / 2 + mp.loggamma(a) + mp.loggamma(a - 0.5), [0.75, 1, 3, 1e4])
    truths("digamma", mp.digamma, [1e-30, 1e-10, 0.25, 1, 3, 20, 1e4, 1e10, 1e30, -0.5, -1.5])
    truths("polygamma.1", lambda x: mp.psi(1, x), [1e-10, 0.25, 1, 3, 20, 1e4, 1e10, -0.5])
    truths("zeta", lambda s, q: mp.zeta(s, q), [(1.5, 0.5), (2, 1), (3, 20), (7, 3), (2, 1e4)], by=[1])
    lower = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
    upper = lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)
    truths("gammainc", lower, [(0.5, 1e-10), (1, 1e-10), (1, 1e-30), (1, 1), (2, 1e-10), (3, 2), (2, 20), (5, 5), (0.5, 20), (1, 80)], by=[1])
    truths("gammaincc", upper, [(0.5, 1e-10), (1, 1e-10), (1, 1e-30), (1, 1), (2, 1e-10), (3, 2), (2, 20), (5, 5), (0.5, 20), (1, 80)], by=[1])
    known("gammainc", 1, (1, 0), 0, 1, -1)
    known("gammainc", 1, (2, 0), 0, 0, 1)
    known("gammainc", 1, (3, 0), 0, 0, 0)
    known("gammainc", 1, (0.5, 0), 0, mp.inf, -mp.inf)
    known("gammaincc", 1, (1, 0), 1, -1, 1)
    known("gammaincc", 1, (2, 0), 1, 0, -1)
    truths("betaln", log_beta, [(1, 1), (2, 3), (0.5, 0.5), (1e-10, 1e-10), (3, 1e4), (1e4, 1e4), (3, 20), (20, 20), (10, 10), (1e10, 2), (10, 3)])
    for name, f in (("betaln", log_beta), ("beta", mp.beta)):
        truths(name, f, [(1e-10, 1)], by=[0])
    truths("beta", lambda a, b: mp.beta(a, b), [(1, 1), (2, 3), (0.5, 0.5), (3, 20)])
    inside = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)
    truths("betainc", inside, [(2, 3, 0.25), (1, 1, 0.5), (0.5, 0.5, 1e-10), (1, 2, 1e-10), (2, 1, 0.75), (20, 3, 0.75)], by=[2])
    known("betainc", 2, (1, 1, 0), 0, 1, 0)
    known("betainc", 2, (1, 2, 0), 0, 2, -2)
    known("betainc", 2, (2, 1, 1), 1, 2, 2)
    known("betainc", 2, (2, 2, 0), 0, 0, 6)
    known("betainc", 2, (2, 2, 1), 1, 0, -6)
    known("betainc", 2, (3, 3, 0), 0, 0, 0)
    truths("expit", logistic, REAL)
    truths("logit", lambda p: mp.log(p) - mp.log1p(-p), UNIT)
    ends = [(1, 1), (2, 3), (1e-30, 0.5), (-1, 2), (0, 1), (0, 3), (0, 1e-30), (0, 1e30), (1e30, 2), (3, 1e-30), (3, 1e30)]
    truths("xlogy", x_log, ends)
    known("xlogy", 1, (0, 0), 0, 0, 0)
    known("xlogy", 1, (2, 0), -mp.inf, mp.inf, -mp.inf)
    known("xlogy", 0, (0, 0), 0, -mp.inf, 0)
    truths("xlog1py", x_log1p, [(1, 1), (2, -0.5), (1e-30, 0.5), (-1, 2), (0, 0), (0, 3), (0, -0.5), (2, 0), (2, 1e-30), (3, 1e30), (0, 1e30)])
    known("xlog1py", 1, (0, -1), 0, 0, 0)
    known("xlog1py", 0, (0, -1), 0, -mp.inf, 0)
    known("xlog1py", 1, (2, -1), -mp.inf, mp.inf, -mp.inf)
    truths("entr", lambda x: -x_log(x, x), ABOVE)
    known("entr", 0, 0, 0, mp.inf, -mp.inf)
    divergence = lambda p, q: x_log(p, p / q) if p else mp.mpf(0)
    at = [(1, 1), (2, 3), (0.25, 0.25), (1e-30, 1), (1e-30, 1e-30), (1, 1e-30), (1e30, 1), (1, 1e30), (1e10, 1e10)]
    truths("rel_entr", divergence, at)
    truths("kl_div", lambda p, q: divergence(p, q) - p + q, at)
    known("rel_entr", 1, (0, 1), 0, 0, 0)
    known("rel_entr", 1, (0, 0), 0, 0, 0)
    known("kl_div", 1, (0, 1), 1, 1, 0)
    known("kl_div", 1, (0, 2), 2, 1, 0)
    known("kl_div", 1, (0, 0), 0, 1, 0)
    powers = [0, 1e-30, -1e-30, 1e-10, -1e-10, 1e-3, 0.5, 1, 2, -1.5]
    truths("boxcox", lambda x, l: box(mp.log(x), l), pairs([1e-10, 0.25, 1, 3, 20], powers))
    truths("boxcox1p", lambda x, l: box(mp.log1p(x), l), pairs([0, 1e-30, 1e-10, -0.5, 3, 20], powers))
    truths("exp1", mp.e1, [1e-30, 1e-10, 0.25, 1, 3, 20])
    truths("expi", lambda x: mp.ei(x), [1e-30, 1e-10, 0.25, 1, 3, 20, -1e-10, -1, -20])
    for n in range(4):
        truths(f"expn.{n}", lambda x, n=n: mp.expint(n, x), [1e-10, 0.25, 1, 3, 20])
    known("expn.2", 0, 0, 1, -mp.inf, mp.inf)
    known("expn.3", 0, 0, 0.5, -1, mp.inf)
    truths("spence", lambda x: mp.polylog(2, 1 - x), [1e-30, 1e-10, 0.25, 0.75, 1 - 2**-10, 1 - 2**-20, 1 + 2**-20, 1.5, 3, 20, 1e4, 1e10])
    known("spence", 0, 1, 0, -1, 0.5)
    truths("sici.si", mp.si, [0, 1e-30, -1e-30, 1e-10, -1e-10, 0.01, 0.25, 1, 3, -3, 20, 1e4])
    truths("sici.ci", mp.ci, [1e-30, 1e-10, 0.01, 0.25, 1, 3, 20, 1e4])
    truths("fresnel.s", mp.fresnels, [0, 1e-10, 0.25, 1, -1, 3, 20])
    truths("fresnel.c", mp.fresnelc, [0, 1e-10, 0.25, 1, -1, 3, 20])
    at = [0, 1e-30, -1e-30, 1e-10, -1e-10, 1e-3, 0.25, -0.25, 1, -1, 3, -3, 20, -20]
    truths("i0", lambda x: mp.besseli(0, x), at)
    truths("i1", lambda x: mp.besseli(1, x), at)
    truths("i0e", i0e, at[1:] + [1e4, -1e4, 1e10])
    truths("i1e", i1e, at[1:] + [1e4, -1e4, 1e10])
    known("i1e", 0, 0, 0, 0.5, 0)
    truths("hyp1f1", mp.hyp1f1, [(1, 2, 0), (1, 2, 1), (0.5, 1.5, -1), (0, 1, 1), (2, 2, 1), (1, 3, 1e-10)], by=[2])
    truths("hyp2f1", lambda a, b, c, x: mp.hyp2f1(a, b, c, x), [(1, 2, 3, 0), (1, 2, 3, 0.25), (0.5, 1.5, 2.5, -1), (0, 1, 2, 0.25)], by=[3])
    truths("bessel_jn.0", lambda x: mp.besselj(0, x), [0, 1e-10, 0.25, 1, -1, 3, 10])
    truths("bessel_jn.1", lambda x: mp.besselj(1, x), [0, 1e-10, 0.25, 1, -1, 3, 10])
    owen = lambda h, a: mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * PI)
    truths("owens_t", owen, [(0, 0), (0, 1), (1, 0), (1e-10, 0.5), (1, 1), (0.5, 3), (3, 0.25)])


def normal(z):
    return -z * z / 2 - mp.log(2 * PI) / 2


def density_truths():
    scales = [(0, 0, 1), (1, 0, 1), (-3, 0, 2), (1e4, 0, 1), (1, 1, 1e-10), (2e10, 0, 1e10), (2e-6, 0, 1e-6), (3, 1, 1e4)]
    truths("norm.logpdf", lambda x, m, s: normal((x - m) / s) - mp.log(s), scales)
    tail = [(0, 0, 1), (1, 0, 1), (-1e4, 0, 1), (-1e5, 0, 1), (-30, 0, 1), (30, 0, 1), (1e4, 0, 1), (-3, 1, 0.5), (1, 1, 2)]
    truths("norm.logcdf", lambda x, m, s: normal_tail((x - m) / s), tail)
    truths("norm.logsf", lambda x, m, s: normal_tail((m - x) / s), [(-x, m, s) for x, m, s in tail])
    truths("cauchy.logpdf", lambda x, m, s: -mp.log(PI * s) - mp.log1p(((x - m) / s) ** 2), scales + [(1e10, 0, 1), (1, 0, 1e-10)])
    truths("laplace.logpdf", lambda x, m, s: -abs(x - m) / s - mp.log(2 * s), [p for p in scales if p[0] != p[1]])
    truths("logistic.logpdf", lambda x, m, s: -(x - m) / s - 2 * soft_plus(-(x - m) / s) - mp.log(s), scales + [(80, 0, 1), (-80, 0, 1)])
    truths("gumbel_l.logpdf", lambda x, m, s: (x - m) / s - E1((x - m) / s) - mp.log(s), [(0, 0, 1), (1, 0, 1), (-80, 0, 1), (-1e4, 0, 1), (3, 1, 2)])
    truths("gumbel_r.logpdf", lambda x, m, s: -(x - m) / s - E1(-(x - m) / s) - mp.log(s), [(0, 0, 1), (1, 0, 1), (80, 0, 1), (1e4, 0, 1), (3, 1, 2)])
    truths("gumbel_l.logcdf", lambda x, m, s: log1mexp(E1((x - m) / s)), [(0, 0, 1), (1, 0, 1), (-20, 0, 1), (-80, 0, 1), (-1e4, 0, 1), (3, 1, 2)])
    truths("gumbel_r.logsf", lambda x, m, s: log1mexp(E1(-(x - m) / s)), [(0, 0, 1), (1, 0, 1), (20, 0, 1), (80, 0, 1), (1e4, 0, 1), (3, 1, 2)])
    student = lambda x, n, m, s: (mp.loggamma((n + 1) / 2) - mp.loggamma(n / 2) - mp.log(PI * n) / 2 - mp.log(s) -
                                  (n + 1) / 2 * mp.log1p(((x - m) / s) ** 2 / n))
    truths("t.logpdf", student, [(0, 1, 0, 1), (1, 3, 0, 1), (1e-10, 2, 0, 1), (1e4, 2, 0, 1), (1e10, 2, 0, 1), (1, 1e-3, 0, 1)])
    gen = lambda x, b: mp.log(b / 2) - mp.loggamma(1 / b) - (abs(x) ** b if x else 0)
    truths("gennorm.logpdf", gen, [(1, 2), (-1, 2), (0.5, 1), (3, 0.5), (1, 1)])
    truths("gennorm.logpdf", gen, [(0, 2), (0, 1), (0, 3)], by=[1])
    known("gennorm.logpdf", 0, (0, 2), gen(mp.mpf(0), mp.mpf(2)), 0, -2)
    known("gennorm.logpdf", 0, (0, 3), gen(mp.mpf(0), mp.mpf(3)), 0, 0)
    mises = lambda x, k: k * (mp.cos(x) - 1) - mp.log(2 * PI * i0e(k))
    mises0 = lambda x, k: k * mp.cos(x) - mp.log(2 * PI * mp.besseli(0, k))
    truths("vonmises.logpdf", mises0, pairs([0, 1, -3], [0, 1e-30, 1e-10, 0.25, 1, 20]))
    truths("vonmises.logpdf", mises, [(0.5, 1e4), (1e-10, 1e4)])
    wrapped = lambda x, c: mp.log1p(-c * c) - mp.log(2 * PI) - mp.log(1 + c * c - 2 * c * mp.cos(x))
    truths("wrapcauchy.logpdf", wrapped, [(1, 0.5), (0.5, 1e-10), (3, 1e-30), (1e-10, 0.5), (1, 1 - 2**-10)])
    betapdf = lambda x, a, b: x_log(a - 1, x) + x_log1p(b - 1, -x) - log_beta(a, b)
    truths("beta.logpdf", betapdf, [(0.25, 2, 3), (0.5, 1, 1), (1e-10, 2, 2), (0.5, 0.5, 0.5), (0.75, 1, 2), (0.25, 1e4, 3), (1e-30, 1, 1), (0.5, 1e-10, 1)])
    known("beta.logpdf", 0, (0, 1, 2), mp.log(2), -1, -1)
    known("beta.logpdf", 0, (0, 1, 1), 0, 0, 0)
    known("beta.logpdf", 0, (1, 2, 1), mp.log(2), 1, -1)
    known("beta.logpdf", 0, (1, 1, 1), 0, 0, 0)
    known("beta.logpdf", 2, (0, 1, 2), mp.log(2), 0.5, -0.25)
    known("beta.logpdf", 1, (1, 2, 1), mp.log(2), 0.5, -0.25)
    gammapdf = lambda x, a: x_log(a - 1, x) - x - mp.loggamma(a)
    truths("gamma.logpdf", gammapdf, [(0.25, 2), (1, 1), (1e-10, 2), (1e-30, 1), (20, 0.5), (1e4, 3), (3, 1e4), (1, 1e-10)])
    known("gamma.logpdf", 0, (0, 1), 0, -1, 0)
    chi = lambda x, n: gammapdf(x / 2, n / 2) - mp.log(2)
    truths("chi2.logpdf", chi, [(0.25, 2), (1, 1), (1e-10, 3), (1e-30, 2), (20, 1), (1e4, 3), (3, 1e4)])
    known("chi2.logpdf", 0, (0, 2), -mp.log(2), -0.5, 0)
    truths("expon.logpdf", lambda x, m, s: -(x - m) / s - mp.log(s), [(1, 0, 1), (1e-30, 0, 1), (1e4, 0, 2), (1, 0, 1e-10)])
    truths("expon.logcdf", lambda x, m, s: log1mexp((x - m) / s), [(1, 0, 1), (1e-10, 0, 1), (80, 0, 1), (1e4, 0, 1), (1, 0, 2)])
    par = lambda x, b: mp.log(b) - (b + 1) * mp.log(x)
    truths("pareto.logpdf", par, [(1.5, 1), (3, 2), (1e10, 0.5), (1e30, 1), (1.5, 1e-10)])
    known("pareto.logpdf", 0, (1, 2), mp.log(2), -3, 3)
    trunc = lambda x, a, b: normal(x) - mp.log((mp.erf(b / mp.sqrt(2)) - mp.erf(a / mp.sqrt(2))) / 2)
    truths("truncnorm.logpdf", trunc, [(0, -1, 1), (1, 0, 2), (0.5, -3, 20), (20.5, 20, 21), (-20.5, -21, -20)])
    wrap = [(0, 1, 0.25), (0, 5, 0.25), (5, 5, 0.25), (3, 5, 0.5), (3, 5, 1e-10), (0, 5, 1e-30), (5, 5, 1 - 2**-20), (0, 1, 1e-10)]
    choose = lambda k, n: mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
    binom = lambda k, n, p: choose(k, n) + x_log(k, p) + x_log1p(n - k, -p)
    truths("binom.logpmf", binom, wrap, by=[2])
    truths("binom.logpmf", binom, [(3, 5, 0.5), (0, 5, 0.25), (5, 5.5, 0.25)], by=[1])
    known("binom.logpmf", 2, (0, 5, 0), 0, -5, -5)
    known("binom.logpmf", 2, (5, 5, 1), 0, 5, -5)
    known("binom.logpmf", 2, (0, 5, 1), -mp.inf, -mp.inf, -mp.inf)
    known("binom.logpmf", 2, (5, 5, 0), -mp.inf, mp.inf, -mp.inf)
    bern = lambda k, p: x_log(k, p) + x_log1p(1 - k, -p)
    truths("bernoulli.logpmf", bern, [(0, 0.25), (1, 0.25), (0, 1e-30), (1, 1e-30), (1, 1 - 2**-20)], by=[1])
    known("bernoulli.logpmf", 1, (0, 0), 0, -1, -1)
    known("bernoulli.logpmf", 1, (1, 1), 0, 1, -1)
    geom = lambda k, p: x_log1p(k - 1, -p) + mp.log(p)
    truths("geom.logpmf", geom, [(1, 0.25), (3, 0.25), (1, 1e-10), (3, 1 - 2**-20)], by=[1])
    known("geom.logpmf", 1, (1, 1), 0, 1, -1)
    negative = lambda k, n, p: mp.loggamma(k + n) - mp.loggamma(n) - mp.loggamma(k + 1) + x_log(n, p) + x_log1p(k, -p)
    truths("nbinom.logpmf", negative, [(0, 1, 0.25), (3, 2, 0.5), (0, 0.5, 1e-10), (3, 1e4, 0.75)], by=[1, 2])
    known("nbinom.logpmf", 2, (0, 2, 1), 0, 2, -2)
    poisson = lambda k, m: x_log(k, m) - m - mp.loggamma(k + 1)
    truths("poisson.logpmf", poisson, [(0, 1), (3, 2), (0, 1e-30), (3, 1e-10), (3, 1e4)], by=[1])
    known("poisson.logpmf", 1, (0, 0), 0, -1, 0)
    bb = lambda k, n, a, b: -mp.log1p(n) - log_beta(n - k + 1, k + 1) + log_beta(k + a, n - k + b) - log_beta(a, b)
    truths("betabinom.logpmf", bb, [(0, 5, 1, 1), (3, 5, 2, 0.5), (5, 5, 1, 3), (0, 0, 1, 1)], by=[2, 3])


print(f"# made by make_special_points.py with jax {jax.__version__}")
jax_lines()
for part in (math_truths, activation_truths, special_truths, density_truths):
    part()
