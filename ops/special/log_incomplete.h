// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/log_incomplete.h: logarithms of incomplete gamma and beta functions, which have
// digits where the functions underflow. Not public: the distributions of scipy::stats are made of
// them.
#pragma once
#include "weft/tracer/array.h"

namespace weft::ir {

// log P(a, x) and log Q(a, x). Their derivatives by x have derivatives, those by a have none.
Array log_igamma(const Array& a, const Array& x);
Array log_igammac(const Array& a, const Array& x);
// 1 - I_x(a, b), also where x is so small that 1 - x is 1. Its derivative is by x alone.
Array betaincc(const Array& a, const Array& b, const Array& x);
// log I_x(a, b) and log(1 - I_x(a, b)), with derivatives by x alone, as betainc.
Array log_betainc(const Array& a, const Array& b, const Array& x);
Array log_betaincc(const Array& a, const Array& b, const Array& x);

}  // namespace weft::ir
