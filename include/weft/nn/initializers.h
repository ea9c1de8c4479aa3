// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/nn/initializers.h: initializers of network weights, as in jax.nn.initializers. They
// give the same numbers for the same keys.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft::nn::initializers {

// The dtype of the weights. In every function here the dtype alone may replace the options, as in
// JAX: zeros(key, {3}, F64), normal(1, F64), glorot_uniform(F64).
struct InitOptions {
  std::optional<DType> dtype = {};  // by default the initializer's own dtype, else F32
};
// The axes of the weights that are a layer's input, its output, and a batch of layers. All other
// axes are the receptive field, which counts towards both input and output.
struct FanOptions {
  typing::AxisList in_axis = -2, out_axis = -1, batch_axis = std::vector<int64_t>{};
  // The dtype of the weights; by default F32.
  std::optional<DType> dtype = {};
};

// A function that makes weights: f(key, shape, {.dtype}) or f(key, shape, dtype). Any function of
// that form converts to an Initializer.
class Initializer {
 public:
  using Function = Array (*)(const typing::Arg& key, const Shape& shape, const InitOptions& o);
  // The arguments of the functions below that make initializers. Each uses only some of them.
  struct Parameters {
    Array value = 0., scale = 1., lower = -2., upper = 2.;
    std::string mode = {}, distribution = {};
    FanOptions fans = {};
    int64_t column_axis = -1;
  };
  using Rule = Array (*)(const Array& key, const Shape& shape, DType d, const Parameters& p);

  Initializer(Function f) : function_(f) {}
  Initializer(Rule rule, const Parameters& p) : rule_(rule), parameters_(p) {}
  Array operator()(const typing::Arg& key, const Shape& shape, const InitOptions& o = {}) const;
  template <weft::detail::PlainDType D>
  Array operator()(const typing::Arg& key, const Shape& shape, D dtype) const {
    return (*this)(key, shape, InitOptions{.dtype = dtype});
  }

 private:
  Function function_ = nullptr;
  Rule rule_ = nullptr;
  Parameters parameters_ = {};
};

// Returns zeros. This function itself is an initializer; it ignores the key. Source:
// jax.nn.initializers.zeros.
Array zeros(const typing::Arg& key, const Shape& shape, const InitOptions& o = {});
// Returns ones. This function itself is an initializer; it ignores the key. Source:
// jax.nn.initializers.ones.
Array ones(const typing::Arg& key, const Shape& shape, const InitOptions& o = {});
// Makes an initializer that broadcasts value to the shape and ignores the key. Calling it raises
// ShapeError if value does not broadcast. Source: jax.nn.initializers.constant.
Initializer constant(const Array& value, const InitOptions& o = {});

// Makes an initializer of scale times uniform numbers in [0, 1). scale is broadcast to the shape of
// the weights. Calling it raises ShapeError if scale does not broadcast. Source:
// jax.nn.initializers.uniform.
Initializer uniform(const Array& scale = 1e-2, const InitOptions& o = {});
// Makes an initializer of stddev times standard normal numbers. stddev is broadcast to the shape of
// the weights. Calling it raises ShapeError if stddev does not broadcast. Source:
// jax.nn.initializers.normal.
Initializer normal(const Array& stddev = 1e-2, const InitOptions& o = {});
struct TruncatedOptions {
  // The dtype of the weights; by default F32.
  std::optional<DType> dtype = {};
  // The bounds of the normal numbers before they are multiplied by stddev.
  Array lower = -2., upper = 2.;
};
// Makes an initializer of stddev times standard normal numbers truncated to [.lower, .upper]. All
// three are broadcast to the shape of the weights. Calling it raises ShapeError if one of them does
// not broadcast. Source: jax.nn.initializers.truncated_normal.
Initializer truncated_normal(const Array& stddev = 1e-2, const TruncatedOptions& o = {});

// Makes an initializer of numbers with variance scale / n. n is the size of the input ("fan_in"),
// of the output ("fan_out"), their mean ("fan_avg") or their geometric mean ("fan_geo_avg"). The
// distribution is "truncated_normal" (at two standard deviations), "normal" or "uniform". Complex
// numbers are drawn from a disc. Calling it raises ShapeError for a shape without these axes.
// Source: jax.nn.initializers.variance_scaling.
Initializer variance_scaling(const Array& scale, const std::string& mode,
                             const std::string& distribution, const FanOptions& o = {});
template <weft::detail::PlainDType D>
Initializer variance_scaling(const Array& scale, const std::string& mode,
                             const std::string& distribution, D dtype) {
  return initializers::variance_scaling(scale, mode, distribution, FanOptions{.dtype = dtype});
}
// Returns variance_scaling(1, "fan_avg", "uniform", o): uniform numbers of variance 2 / (inputs +
// outputs) (Glorot and Bengio, 2010). Source: jax.nn.initializers.glorot_uniform.
Initializer glorot_uniform(const FanOptions& o = {});
// Returns variance_scaling(1, "fan_avg", "truncated_normal", o). Source:
// jax.nn.initializers.glorot_normal.
Initializer glorot_normal(const FanOptions& o = {});
// The same as glorot_uniform. Source: jax.nn.initializers.xavier_uniform.
Initializer xavier_uniform(const FanOptions& o = {});
// The same as glorot_normal. Source: jax.nn.initializers.xavier_normal.
Initializer xavier_normal(const FanOptions& o = {});
// Returns variance_scaling(1, "fan_in", "uniform", o): uniform numbers of variance 1 / inputs.
// Source: jax.nn.initializers.lecun_uniform.
Initializer lecun_uniform(const FanOptions& o = {});
// Returns variance_scaling(1, "fan_in", "truncated_normal", o). Source:
// jax.nn.initializers.lecun_normal.
Initializer lecun_normal(const FanOptions& o = {});
// Returns variance_scaling(2, "fan_in", "uniform", o): uniform numbers of variance 2 / inputs (He
// et al., 2015). Source: jax.nn.initializers.he_uniform.
Initializer he_uniform(const FanOptions& o = {});
// Returns variance_scaling(2, "fan_in", "truncated_normal", o). Source:
// jax.nn.initializers.he_normal.
Initializer he_normal(const FanOptions& o = {});
// The same as he_uniform. Source: jax.nn.initializers.kaiming_uniform.
Initializer kaiming_uniform(const FanOptions& o = {});
// The same as he_normal. Source: jax.nn.initializers.kaiming_normal.
Initializer kaiming_normal(const FanOptions& o = {});

// The options of orthogonal and delta_orthogonal.
struct OrthogonalOptions {
  // The axis of the columns; all other axes together are the rows.
  int64_t column_axis = -1;
  // The dtype of the weights; by default F32.
  std::optional<DType> dtype = {};
};
// Makes an initializer of scale times a matrix with orthonormal columns, or orthonormal rows if
// there are fewer rows. The columns are on .column_axis; the other axes together are the rows.
// Calling it raises ShapeError for fewer than two axes and if scale does not broadcast. Source:
// jax.nn.initializers.orthogonal.
Initializer orthogonal(const Array& scale = 1., const OrthogonalOptions& o = {});
// Makes an initializer of weights (spatial…, in, out) with one to three leading spatial axes. It
// puts orthogonal weights (in, out) at the center of the spatial axes and zeros elsewhere. Calling
// it raises ShapeError for another number of axes, and for more inputs than outputs. Source:
// jax.nn.initializers.delta_orthogonal.
Initializer delta_orthogonal(const Array& scale = 1., const OrthogonalOptions& o = {});

// The forms with only the dtype as the last argument.

#define WEFT_OF_KEY(name)                                               \
  template <weft::detail::PlainDType D>                                 \
  Array name(const typing::Arg& key, const Shape& shape, D dtype) {     \
    return initializers::name(key, shape, InitOptions{.dtype = dtype}); \
  }
WEFT_OF_KEY(zeros)
WEFT_OF_KEY(ones)
#undef WEFT_OF_KEY
#define WEFT_OF_NUMBER(name, Options)                      \
  template <weft::detail::PlainDType D>                    \
  Initializer name(const Array& x, D dtype) {              \
    return initializers::name(x, Options{.dtype = dtype}); \
  }
WEFT_OF_NUMBER(constant, InitOptions)
WEFT_OF_NUMBER(uniform, InitOptions)
WEFT_OF_NUMBER(normal, InitOptions)
WEFT_OF_NUMBER(truncated_normal, TruncatedOptions)
WEFT_OF_NUMBER(orthogonal, OrthogonalOptions)
WEFT_OF_NUMBER(delta_orthogonal, OrthogonalOptions)
#undef WEFT_OF_NUMBER
#define WEFT_OF_FANS(name)                                 \
  template <weft::detail::PlainDType D>                    \
  Initializer name(D dtype) {                              \
    return initializers::name(FanOptions{.dtype = dtype}); \
  }
WEFT_OF_FANS(glorot_uniform)
WEFT_OF_FANS(glorot_normal)
WEFT_OF_FANS(xavier_uniform)
WEFT_OF_FANS(xavier_normal)
WEFT_OF_FANS(lecun_uniform)
WEFT_OF_FANS(lecun_normal)
WEFT_OF_FANS(he_uniform)
WEFT_OF_FANS(he_normal)
WEFT_OF_FANS(kaiming_uniform)
WEFT_OF_FANS(kaiming_normal)
#undef WEFT_OF_FANS

}  // namespace weft::nn::initializers
