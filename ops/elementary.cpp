// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementary.cpp: roots, exponentials, logarithms, powers.
#include "weft/ops/elementary.h"

#include <cmath>

#include "weft/ops/arith.h"
#include "weft/ops/compare.h"
#include "weft/ops/convert.h"
#include "weft/ops/elementwise.h"
#include "weft/ops/smooth.h"

namespace weft {
namespace {

using namespace lax;

const auto& sqrt_op = smooth(
    "sqrt", "The square root.", [](auto x) { return num::sqrt(x); },
    [](Array dx, Array, Array y) { return mul(dx, div(like(y, 0.5), y)); }, 0.2, 3);
const auto& rsqrt_op = smooth(
    "rsqrt", "1 / sqrt(x).", [](auto x) { return math::rsqrt(x); },
    [](Array dx, Array x, Array y) { return mul(dx, mul(like(x, -0.5), div(y, x))); }, 0.2, 3);
const auto& cbrt_op = smooth(
    "cbrt", "The cube root.", [](auto x) { return math::cbrt(x); },
    [](Array dx, Array x, Array y) { return mul(dx, mul(like(x, 1.0 / 3), integer_pow(y, -2))); }, 0.2, 3);
const auto& exp_op = smooth(
    "exp", "e to the power x.", [](auto x) { return math::exp(x); }, [](Array dx, Array, Array y) { return mul(dx, y); });
const auto& exp2_op = smooth(
    "exp2", "2 to the power x.", [](auto x) { return math::exp2(x); },
    [](Array dx, Array x, Array y) { return mul(like(x, std::log(2.0)), mul(dx, y)); });
const auto& expm1_op = smooth(
    "expm1", "exp(x) - 1, also where that is small.", [](auto x) { return math::expm1(x); },
    [](Array dx, Array, Array y) { return mul(dx, add(y, like(y, 1))); });
const auto& log_op = smooth(
    "log", "The natural logarithm.", [](auto x) { return math::log(x); }, [](Array dx, Array x, Array) { return div(dx, x); }, 0.2, 3);
const auto& log1p_op = smooth(
    "log1p", "log(1 + x), also where x is small.", [](auto x) { return math::log1p(x); },
    [](Array dx, Array x, Array) { return div(dx, add(x, like(x, 1))); }, -0.5, 2);
const auto& logistic_op = smooth(
    "logistic", "1 / (1 + exp(-x)).", [](auto x) { return math::logistic(x); },
    [](Array dx, Array, Array y) { return mul(dx, mul(y, sub(like(y, 1), y))); });

}  // namespace

namespace lax {
Array sqrt(const Arg& x) { const Source s(x.at()); return sqrt_op({x}); }
Array rsqrt(const Arg& x) { const Source s(x.at()); return rsqrt_op({x}); }
Array cbrt(const Arg& x) { const Source s(x.at()); return cbrt_op({x}); }
Array exp(const Arg& x) { const Source s(x.at()); return exp_op({x}); }
Array exp2(const Arg& x) { const Source s(x.at()); return exp2_op({x}); }
Array expm1(const Arg& x) { const Source s(x.at()); return expm1_op({x}); }
Array log(const Arg& x) { const Source s(x.at()); return log_op({x}); }
Array log1p(const Arg& x) { const Source s(x.at()); return log1p_op({x}); }
Array logistic(const Arg& x) { const Source s(x.at()); return logistic_op({x}); }
}  // namespace lax

}  // namespace weft
