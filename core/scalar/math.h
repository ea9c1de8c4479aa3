// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math.h: the elementary functions. Each is one template over the number types of
// core/scalar/number.h: R is float, double, Ir<float> or Ir<double>; complex functions have Cx<R>
// arguments. With plain numbers they are the reference arithmetic; with Ir they emit instructions.
// Both give the same bits.
//
// The error is at most 2 ULP, and subnormals are preserved; docs/accuracy.md has the figures.
#pragma once
#include "core/scalar/math/basic.h"
#include "core/scalar/math/bessel.h"
#include "core/scalar/math/complex.h"
#include "core/scalar/math/complex_inverse.h"
#include "core/scalar/math/erf_inv.h"
#include "core/scalar/math/exp_log.h"
#include "core/scalar/math/hyperbolic.h"
#include "core/scalar/math/integrals.h"
#include "core/scalar/math/philox.h"
#include "core/scalar/math/pow.h"
#include "core/scalar/math/special.h"
#include "core/scalar/math/threefry.h"
#include "core/scalar/math/trig.h"
