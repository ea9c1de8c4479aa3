// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/conv_params.h: the parameters of conv_general_dilated, and its implementations.
#pragma once
#include "core/op.h"
#include "ops/linear/conv.h"

namespace weft {

struct Conv {
  Ints window_strides, low, high, lhs_dilation, rhs_dilation;
  // The axes of (batch, feature, spatial…), (out feature, in feature, spatial…) and (batch,
  // feature, spatial…).
  Ints lhs_spec, rhs_spec, out_spec;
  // For lane k, mapped by a vmap: its axis in the operand, or -1. In the result it is axis k.
  Ints lhs_lanes, rhs_lanes;
  int64_t feature_group_count = 1, batch_group_count = 1;
  DType preferred_element_type = F32;
  lax::Precision precision = lax::Precision::DEFAULT;
  template <class V>
  void fields(V&& v) {
    v("window_strides", window_strides);
    v("low", low);
    v("high", high);
    v("lhs_dilation", lhs_dilation);
    v("rhs_dilation", rhs_dilation);
    v("lhs_spec", lhs_spec);
    v("rhs_spec", rhs_spec);
    v("out_spec", out_spec);
    v("lhs_lanes", lhs_lanes);
    v("rhs_lanes", rhs_lanes);
    v("feature_group_count", feature_group_count);
    v("batch_group_count", batch_group_count);
    v("preferred_element_type", preferred_element_type);
    v("precision", precision);
  }
  size_t spatial() const { return window_strides.size(); }
  size_t lanes() const { return lhs_lanes.size(); }
};

inline int64_t size_of(const Type& t, const Ints& spec, size_t i) { return t.shape()[spec[i]]; }
std::vector<Implementation<Conv>> conv_implementations();
// The expansion of a convolution with lhs dilation: it stores the zeros between the elements.
Arrays conv_with_stored_zeros(const ExpandArgs<Conv>& e);

}  // namespace weft
