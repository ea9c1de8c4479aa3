// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number.h: numbers that templates of arithmetic are written over: C++ numbers
// (computed now) and `Ir<T>` (emitted into the nest being written), with one vocabulary and the
// same bits.
//
//   template <class R> R softsign(R x) { return x / (R(1) + num::abs(x)); }
//
// holds for R = float, double, Ir<float>, Ir<double>. Constants are written R(0.5); masks combine
// with &, | and !. Arithmetic of plain integers inside such a template is add, sub, mul, neg, div,
// rem, which wrap and are total; the operators of Ir integers are those.
#pragma once
#include "weft/core/scalar/number/any.h"
#include "weft/core/scalar/number/complex.h"
#include "weft/core/scalar/number/ir.h"
#include "weft/core/scalar/number/plain.h"
