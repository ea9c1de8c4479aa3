// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/data/polynomial.h: polynomials as vectors of coefficients, that of the highest
// power first: p[0] x^(n-1) + … + p[n-1].
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

// p at each x, by Horner's rule; further axes of p are broadcast with x. The promoted dtype.
// ShapeError for a p without axes. Source: jax.numpy.polyval.
Array polyval(const typing::Arg& p, const typing::Arg& x);
// The sum of two polynomials, vectors of coefficients, of the longer one's length. Source:
// jax.numpy.polyadd.
Array polyadd(const typing::Arg& a, const typing::Arg& b);
// The difference of two polynomials, of the longer one's length. Source: jax.numpy.polysub.
Array polysub(const typing::Arg& a, const typing::Arg& b);

namespace typing {
struct PolyTrimOptions {
  bool trim_leading_zeros = false;  // as NumPy does; then the arrays must be known
};
}  // namespace typing
// The product, of lengths n + m - 1; floats. Source: jax.numpy.polymul.
Array polymul(const typing::Arg& a, const typing::Arg& b, const typing::PolyTrimOptions& o = {});
// Quotient (n - m + 1, 1 at least) and remainder, with u = q v + r; r has u's length (trimmed:
// without the leading numbers below the root of the dtype's epsilon). Source: jax.numpy.polydiv.
std::pair<Array, Array> polydiv(const typing::Arg& u, const typing::Arg& v,
                                const typing::PolyTrimOptions& o = {});

// The m-th derivative (n - m, 0 at least) and integral (n + m), floats; k: the constants of
// integration, one for all or one a time. ShapeError for m < 0. Source: jax.numpy.polyder, polyint.
Array polyder(const typing::Arg& p, int64_t m = 1);
// The m-th integral (n + m), floats; k: the constants of integration, one for all or one a time.
// ShapeError for m < 0. Source: jax.numpy.polyint.
Array polyint(const typing::Arg& p, int64_t m = 1, const typing::MaybeArray& k = none);

// The monic polynomial with these roots (n + 1), or with the eigenvalues of a square matrix.
// Source: jax.numpy.poly.
Array poly(const typing::Arg& roots);
namespace typing {
struct RootsOptions {
  // Leading zeros are left out, for which p must be known; else they make so many NaNs behind.
  bool strip_zeros = true;
};
}  // namespace typing
// The n - 1 roots, as eigenvalues of the companion matrix, complex, in their order. ShapeError
// unless p is a vector; on CPUs alone. Source: jax.numpy.roots.
Array roots(const typing::Arg& p, const typing::RootsOptions& o = {});

namespace typing {
struct PolyfitOptions {
  std::optional<double> rcond = {};  // singular values below rcond times the largest are 0;
                                     // default: the number of points times the dtype's epsilon
  std::optional<Array> w = {};       // weights of the points (not of their squares): (n)
};
}  // namespace typing
// The polynomial p of degree deg with the least sum of |w (polyval(p, x) - y)|^2: (deg + 1), or
// (deg + 1, k) for y (n, k). ShapeError for what does not fit. Source: jax.numpy.polyfit.
Array polyfit(const typing::Arg& x, const typing::Arg& y, int64_t deg,
              const typing::PolyfitOptions& o = {});
namespace typing {
// What polyfit_full gives.
struct PolyfitFull {
  Array coefficients, residuals, rank, singular_values, rcond;
};
}  // namespace typing
// polyfit, with what lstsq says of the scaled problem, and rcond. Source: jax.numpy.polyfit with
// full=True.
typing::PolyfitFull polyfit_full(const typing::Arg& x, const typing::Arg& y, int64_t deg,
                                 const typing::PolyfitOptions& o = {});
namespace typing {
// What polyfit_cov gives.
struct PolyfitCov {
  Array coefficients, covariance;
};
}  // namespace typing
// polyfit, with the covariances of the coefficients (deg + 1, deg + 1), or (…, k) for y (n, k):
// multiplied with chi^2 over the degrees of freedom, unless `unscaled`. ShapeError where there are
// no degrees of freedom. Source: jax.numpy.polyfit with cov.
typing::PolyfitCov polyfit_cov(const typing::Arg& x, const typing::Arg& y, int64_t deg,
                               const typing::PolyfitOptions& o = {}, bool unscaled = false);

// The matrix x[i]^j (n, N), the highest power first, or last if `increasing`; N = n by default.
// ShapeError unless x is a vector. Source: jax.numpy.vander.
Array vander(const typing::Arg& x, std::optional<int64_t> n = {}, bool increasing = false);

}  // namespace weft
