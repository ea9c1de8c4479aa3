// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_check.cpp: rules of the checks in test files of the StableHLO project.
#include <cstdlib>

#include "interop/stablehlo/read/translate.h"

namespace weft::hlo {
namespace {

using Kind = StablehloCheck::Kind;

Arrays noted(Translator& t, const Op& op, const StablehloCheck& c, const Array& actual,
             const Array& expected) {
  if (!t.expect(op, c, actual, expected)) t.missing(op);
  return {};
}
double tolerance_of(const Op& op) {
  const Attr* a = op.attr("tolerance");
  return a ? std::strtod(a->text.c_str(), nullptr) : 1e-4;
}
template <Kind kind, bool constant>
Arrays expect(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != (constant ? 1u : 2u)) t.fail(op, "a check compares two values");
  StablehloCheck c;
  c.kind = kind;
  if (kind == Kind::almost) c.tolerance = tolerance_of(op);
  if (kind == Kind::close) {
    c.ulp = t.integer(op, "max_ulp_difference", 3);
    c.min_ulp = t.integer(op, "min_ulp_difference", 0);
  }
  return noted(t, op, c, x[0], constant ? constant_array(t, op, t.attr(op, "value")) : x[1]);
}

}  // namespace

void add_checks(Rules& r) {
  r.insert({{"check.expect_eq", expect<Kind::equal, false>},
            {"check.expect_eq_const", expect<Kind::equal, true>},
            {"check.expect_almost_eq", expect<Kind::almost, false>},
            {"check.expect_almost_eq_const", expect<Kind::almost, true>},
            {"check.expect_close", expect<Kind::close, false>}});
}

}  // namespace weft::hlo
