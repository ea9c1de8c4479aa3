// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product.cpp: the dtypes of products.
#include "weft/ops/linear/product.h"

#include <fmt/format.h>

namespace weft {

void require_product(const char* op, const Types& in, DType out) {
  require_operands(op, in, 2);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype(op, "requires arguments to have the same dtypes", in);
  if (!is_number(in[0].dtype())) reject_dtype(op, "takes numbers", in);
  if (!is_number(out) || is_complex(out) != is_complex(in[0].dtype()) ||
      (is_inexact(in[0].dtype()) && !is_inexact(out)))
    reject_dtype(
        op, fmt::format("preferred_element_type {} does not hold the product", short_name(out)),
        in);
}

}  // namespace weft
