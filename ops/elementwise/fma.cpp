// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/fma.cpp: multiply-add with one rounding.
#include "weft/lax/fma.h"

#include "ops/kit/kit.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

Def<None> fma_def() {
  Def<None> d =
      elementwise<DTypes::floats, 3>("fma", "Computes `x * y + z` with one rounding.",
                                     [](auto x, auto y, auto z) { return num::fma(x, y, z); });
  d.jvp = [](const JvpArgs<None>& j) {
    Array t;
    const auto add = [&](const Array& dx, const Array& factor) {
      if (dx.empty_handle()) return;
      const Array more =
          broadcast_like(factor.empty_handle() ? dx : lax::mul(dx, factor), j.out[0].type());
      t = t.empty_handle() ? more : base::add(t, more);
    };
    add(j.dx[0], j.x[1]);
    add(j.dx[1], j.x[0]);
    add(j.dx[2], Array());
    return Arrays{t};
  };
  // The op is linear in z and in one of the factors.
  d.transpose = [](const TransposeArgs<None>& t) {
    Arrays out(3);
    if (t.ct[0].empty_handle()) return out;
    if (t.linear[0]) out[0] = unbroadcast(lax::mul(t.ct[0], t.x[1]), t.in[0]);
    if (t.linear[1]) out[1] = unbroadcast(lax::mul(t.ct[0], t.x[0]), t.in[1]);
    if (t.linear[2]) out[2] = unbroadcast(t.ct[0], t.in[2]);
    return out;
  };
  d.rejects = [] {
    return std::vector<Reject<None>>{
        {{Type(I32, {2}), Type(I32, {2}), Type(I32, {2})}, {}, "takes floating-point"}};
  };
  return d;
}
const Primitive<None>& fma_op = define_elementwise(fma_def());

}  // namespace

namespace lax {
Array fma(const Arg& x, const Arg& y, const Arg& z) { return bind_at(fma_op, x, y, z); }
}  // namespace lax

}  // namespace weft
