// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/folds.cpp: the bodies of one op that the rules of reductions and windows
// recognize.
#include "interop/stablehlo/rules/folds.h"

#include <limits>

#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft::hlo {

Fold fold_of(const std::string& op, DType d) {
  using namespace lax;
  const Fold any = {reduce_or, bitwise_or}, all = {reduce_and, bitwise_and};
  const bool b = is_bool(d);
  if (op == "stablehlo.add") return b ? any : Fold{reduce_sum, add, cumsum};
  if (op == "stablehlo.multiply") return b ? all : Fold{reduce_prod, mul, cumprod};
  if (op == "stablehlo.maximum") return b ? any : Fold{reduce_max, max, cummax};
  if (op == "stablehlo.minimum") return b ? all : Fold{reduce_min, min, cummin};
  if (op == "stablehlo.and") return all;
  if (op == "stablehlo.or") return any;
  if (op == "stablehlo.xor") return {reduce_xor, bitwise_xor};
  return {};
}

bool is_neutral(const Array& init, const std::string& op) {
  if (!concrete_or_null(init)) return false;
  const DType d = init.dtype();
  const bool greatest = op == "stablehlo.minimum", least = op == "stablehlo.maximum";
  if (op == "stablehlo.add" || op == "stablehlo.or" || op == "stablehlo.xor")
    return is_scalar_value(init, 0);
  if (op == "stablehlo.multiply") return is_scalar_value(init, 1);
  if (is_bool(d)) return is_scalar_value(init, least ? 0 : 1);
  if (op == "stablehlo.and") {
    if (!is_integer(d)) return false;
    return is_signed(d) ? init.item<int64_t>() == -1
                        : init.item<uint64_t>() == ~uint64_t{0} >> (64 - 8 * itemsize(d));
  }
  if (!greatest && !least) return false;
  if (is_floating(d)) {
    const double inf = std::numeric_limits<double>::infinity();
    return is_scalar_value(init, least ? -inf : inf);
  }
  if (is_unsigned(d))
    return init.item<uint64_t>() == (least ? 0 : ~uint64_t{0} >> (64 - 8 * itemsize(d)));
  if (!is_signed(d)) return false;
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - 8 * itemsize(d));
  return init.item<int64_t>() == (least ? -most - 1 : most);
}

}  // namespace weft::hlo
