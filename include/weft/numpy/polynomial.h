// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/polynomial.h: polynomials as vectors of coefficients, with the coefficient
// of the highest power first: p[0] x^(n-1) + … + p[n-1].
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

// Evaluates p at each x by Horner's rule. Further axes of p are broadcast with x. The result has
// the promoted dtype. Raises ShapeError for a p without axes. Source: jax.numpy.polyval.
Array polyval(const typing::Arg& p, const typing::Arg& x);
// Returns the sum of two polynomials, with the length of the longer one. Source: jax.numpy.polyadd.
Array polyadd(const typing::Arg& a, const typing::Arg& b);
// Returns the difference of two polynomials, with the length of the longer one. Source:
// jax.numpy.polysub.
Array polysub(const typing::Arg& a, const typing::Arg& b);

namespace typing {
struct PolyTrimOptions {
  bool trim_leading_zeros = false;  // trims as NumPy does; the arrays must then be known
};
}  // namespace typing
// Returns the product, of length n + m - 1; floats. Source: jax.numpy.polymul.
Array polymul(const typing::Arg& a, const typing::Arg& b, const typing::PolyTrimOptions& o = {});
// Divides u by v: quotient q (n - m + 1, at least 1) and remainder r with u = q v + r. r has the
// length of u. With trimming, leading coefficients of r below the root of the dtype's epsilon are
// removed. Source: jax.numpy.polydiv.
std::pair<Array, Array> polydiv(const typing::Arg& u, const typing::Arg& v,
                                const typing::PolyTrimOptions& o = {});

// Returns the m-th derivative of p (n - m, at least 0), floats. Raises ShapeError for m < 0.
// Source: jax.numpy.polyder, polyint.
Array polyder(const typing::Arg& p, int64_t m = 1);
// Returns the m-th integral of p (n + m), floats. k has the constants of integration: one for all
// integrations, or one for each. Raises ShapeError for m < 0. Source: jax.numpy.polyint.
Array polyint(const typing::Arg& p, int64_t m = 1, const typing::MaybeArray& k = none);

// Returns the monic polynomial with these roots (n + 1), or with the eigenvalues of a square matrix
// as its roots. Source: jax.numpy.poly.
Array poly(const typing::Arg& roots);
namespace typing {
struct RootsOptions {
  // Leading zeros are removed, which requires a known p. Otherwise each gives a NaN at the end.
  bool strip_zeros = true;
};
}  // namespace typing
// Returns the n - 1 complex roots, computed as eigenvalues of the companion matrix and in their
// order. Works only on CPUs. Raises ShapeError unless p is a vector. Source: jax.numpy.roots.
Array roots(const typing::Arg& p, const typing::RootsOptions& o = {});

namespace typing {
struct PolyfitOptions {
  // Singular values below rcond times the largest are treated as 0; default: the number of points
  // times the dtype's epsilon.
  std::optional<double> rcond = {};
  std::optional<Array> w = {};  // weights of the points (not of their squares): (n)
};
}  // namespace typing
// Fits the polynomial p of degree deg that minimizes the sum of |w (polyval(p, x) - y)|^2: (deg +
// 1), or (deg + 1, k) for y (n, k). Raises ShapeError for shapes that do not match. Source:
// jax.numpy.polyfit.
Array polyfit(const typing::Arg& x, const typing::Arg& y, int64_t deg,
              const typing::PolyfitOptions& o = {});
namespace typing {
// The results of polyfit_full.
struct PolyfitFull {
  Array coefficients, residuals, rank, singular_values, rcond;
};
}  // namespace typing
// Computes polyfit and also returns the results of lstsq for the scaled problem, and rcond. Source:
// jax.numpy.polyfit with full=True.
typing::PolyfitFull polyfit_full(const typing::Arg& x, const typing::Arg& y, int64_t deg,
                                 const typing::PolyfitOptions& o = {});
namespace typing {
// The results of polyfit_cov.
struct PolyfitCov {
  Array coefficients, covariance;
};
}  // namespace typing
// Computes polyfit and also returns the covariances of the coefficients (deg + 1, deg + 1), or (…,
// k) for y (n, k). Unless `unscaled`, they are multiplied by chi^2 divided by the degrees of
// freedom. Raises ShapeError if there are no degrees of freedom. Source: jax.numpy.polyfit with
// cov.
typing::PolyfitCov polyfit_cov(const typing::Arg& x, const typing::Arg& y, int64_t deg,
                               const typing::PolyfitOptions& o = {}, bool unscaled = false);

// Returns the Vandermonde matrix x[i]^j (n, N), with the highest power first, or last if
// `increasing`. N is n by default. Raises ShapeError unless x is a vector. Source:
// jax.numpy.vander.
Array vander(const typing::Arg& x, std::optional<int64_t> n = {}, bool increasing = false);

}  // namespace weft
