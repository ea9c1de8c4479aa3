// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/log_incomplete.h: logarithms of incomplete gamma and beta functions, which remain
// accurate where the functions underflow. Not public: the distributions of scipy::stats use them.
#pragma once
#include "weft/array.h"

namespace weft::ir {

// log P(a, x) and log Q(a, x). Their derivatives with respect to x are differentiable; those with
// respect to a are not.
Array log_igamma(const Array& a, const Array& x);
Array log_igammac(const Array& a, const Array& x);
// 1 - I_x(a, b), accurate also where x is so small that 1 - x rounds to 1. It has a derivative only
// with respect to x.
Array betaincc(const Array& a, const Array& b, const Array& x);
// log I_x(a, b) and log(1 - I_x(a, b)), with derivatives only with respect to x, like betainc.
Array log_betainc(const Array& a, const Array& b, const Array& x);
Array log_betaincc(const Array& a, const Array& b, const Array& x);

}  // namespace weft::ir
