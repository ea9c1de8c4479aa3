// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/data/statistics.h: what samples have to do with each other.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
struct CovOptions {
  detail::Designated by_name{detail::ByName::tag};
  bool rowvar = true;  // each row is a variable, each column a sample; else turned round
  bool bias = false;   // divided by the number of samples N rather than N - 1
  std::optional<int64_t> ddof = {};    // divided by N - ddof, whatever `bias` says
  std::optional<Array> fweights = {};  // how often each sample counts: integers, (samples)
  std::optional<Array> aweights = {};  // how much each sample weighs: (samples)
  std::optional<DType> dtype = {};     // of the result; a float or complex one
};
}  // namespace typing
// The covariances of the variables in m (variables, samples) or m (samples) and, behind these, of
// those in y: (variables, variables), or a scalar for one variable. Integers become floats.
// ShapeError for more axes and for weights that do not go with the samples, DTypeError for weights
// fweights that are no integers and a dtype that is no float. Source: jax.numpy.cov.
template <class = void>
Array cov(const typing::Arg& m, const typing::MaybeArray& y = none,
          const typing::CovOptions& o = {});
Array cov(const typing::Arg& m, const typing::CovOptions& o);
template <detail::PlainDType D>
Array cov(const typing::Arg& m, const typing::MaybeArray& y, D dtype) {
  return cov(m, y, typing::CovOptions{.dtype = dtype});
}
template <detail::PlainDType D>
Array cov(const typing::Arg& m, D dtype) {
  return cov(m, typing::CovOptions{.dtype = dtype});
}

namespace typing {
struct CorrCoefOptions {
  detail::Designated by_name{detail::ByName::tag};
  bool rowvar = true;               // as in cov
  std::optional<DType> dtype = {};  // of the result; a float or complex one
};
}  // namespace typing
// cov(x, y)[i, j] / sqrt(cov(x, y)[i, i] cov(x, y)[j, j]), cut to [-1, 1]. Source:
// jax.numpy.corrcoef.
template <class = void>
Array corrcoef(const typing::Arg& x, const typing::MaybeArray& y = none,
               const typing::CorrCoefOptions& o = {});
Array corrcoef(const typing::Arg& x, const typing::CorrCoefOptions& o);
template <detail::PlainDType D>
Array corrcoef(const typing::Arg& x, const typing::MaybeArray& y, D dtype) {
  return corrcoef(x, y, typing::CorrCoefOptions{.dtype = dtype});
}
template <detail::PlainDType D>
Array corrcoef(const typing::Arg& x, D dtype) {
  return corrcoef(x, typing::CorrCoefOptions{.dtype = dtype});
}

}  // namespace weft
