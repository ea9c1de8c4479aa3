// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number.h: the number types for arithmetic templates: C++ numbers (computed
// immediately) and `Ir<T>` (emitted into the nest being written). Both have the same functions and
// give the same bits.
//
//   template <class R> R softsign(R x) { return x / (R(1) + num::abs(x)); }
//
// compiles for R = float, double, Ir<float>, Ir<double>. Write constants as R(0.5) and combine
// masks with &, | and !. For plain integers inside such a template, use add, sub, mul, neg, div and
// rem, which wrap and are total. The operators of Ir integers call these functions.
#pragma once
#include "core/scalar/number/any.h"
#include "core/scalar/number/complex.h"
#include "core/scalar/number/ir.h"
#include "core/scalar/number/plain.h"
