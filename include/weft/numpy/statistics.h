// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/statistics.h: covariances and correlations of samples.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
struct CovOptions {
  detail::Designated by_name{detail::ByName::tag};
  bool rowvar = true;  // each row is a variable and each column a sample; false: the transpose
  bool bias = false;   // divides by the number of samples N rather than N - 1
  std::optional<int64_t> ddof = {};  // divides by N - ddof, regardless of `bias`
  // the number of repetitions of each sample: integers, (samples)
  std::optional<Array> fweights = {};
  std::optional<Array> aweights = {};  // the weight of each sample: (samples)
  std::optional<DType> dtype = {};     // dtype of the result, float or complex
};
}  // namespace typing
// Returns the covariances of the variables in m (variables, samples) or m (samples), followed by
// those in y: (variables, variables), or a scalar for one variable. Integers are converted to
// floats. Raises ShapeError for more axes and for weights that do not match the samples. Raises
// DTypeError for fweights that are not integers and for a dtype that is not a float. Source:
// jax.numpy.cov.
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
  std::optional<DType> dtype = {};  // dtype of the result, float or complex
};
}  // namespace typing
// Returns the correlation coefficients cov(x, y)[i, j] / sqrt(cov(x, y)[i, i] cov(x, y)[j, j]),
// clipped to [-1, 1]. Source: jax.numpy.corrcoef.
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
