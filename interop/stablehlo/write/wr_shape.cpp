// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_shape.cpp: writes ops that only move elements.
#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

Vals broadcast(Writer& w, const Equation& e, const Vals& x) {
  return {w.broadcast(x[0], e.result().shape(), e.ints("broadcast_dimensions"))};
}
Vals reshape(Writer& w, const Equation& e, const Vals& x) {
  return {w.reshape(x[0], e.result().shape())};
}
Vals transpose(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.transpose", x, e.result(),
                {{"permutation", ints_attr(e.ints("permutation"))}})};
}
Vals reverse(Writer& w, const Equation& e, const Vals& x) {
  return {
      w.one("stablehlo.reverse", x, e.result(), {{"dimensions", ints_attr(e.ints("dimensions"))}})};
}
Vals slice(Writer& w, const Equation& e, const Vals& x) {
  return {w.slice(x[0], e.ints("start_indices"), e.ints("limit_indices"), e.ints("strides"))};
}
Vals concatenate(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.concatenate", x, e.result(),
                {{"dimension", integer_attr(e.field<int64_t>("dimension"))}})};
}
Vals pad(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.pad", x, e.result(),
                {{"edge_padding_high", ints_attr(e.ints("high"))},
                 {"edge_padding_low", ints_attr(e.ints("low"))},
                 {"interior_padding", ints_attr(e.ints("interior"))}})};
}
Vals iota(Writer& w, const Equation& e, const Vals&) {
  return {w.iota(e.result(), e.field<int64_t>("dimension"))};
}

}  // namespace

void write_shapes(WriteRules& r) {
  const WriteRules mine = {
      {"broadcast_in_dim", broadcast}, {"reshape", reshape}, {"squeeze", reshape},
      {"transpose", transpose},        {"rev", reverse},     {"slice", slice},
      {"concatenate", concatenate},    {"pad", pad},         {"iota", iota}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
