// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/function_steps.cpp: functions that are composed of ops, called as users
// call them.
#include <weft/weft.h>

#include "programs/program.h"

namespace weft::programs {

const std::vector<Composed>& composed() {
  using enum Composed::Slopes;
#define COMPOSED(slopes, ...) \
  {slopes, #__VA_ARGS__, [](const Arrays& x) -> Array { return __VA_ARGS__; }}
  static const std::vector<Composed> all = {
      COMPOSED(everywhere, nn::softmax(x[0])),
      COMPOSED(everywhere, nn::log_softmax(x[0], 0)),
      COMPOSED(everywhere, logsumexp(x[0], -1)),
      COMPOSED(everywhere, mean(x[0], 0)),
      COMPOSED(everywhere, var(x[0])),
      COMPOSED(everywhere, average(x[0], -1)),
      COMPOSED(everywhere, nn::gelu(x[0])),
      COMPOSED(everywhere, nn::silu(x[0])),
      COMPOSED(everywhere, logaddexp(x[0], x[1])),
      COMPOSED(everywhere, outer(x[0], x[1])),
      COMPOSED(everywhere, inner(x[0], x[1])),
      COMPOSED(everywhere, tensordot(x[0], x[1], 1)),
      COMPOSED(everywhere, kron(x[0], x[1])),
      COMPOSED(everywhere, trace(x[0])),
      COMPOSED(everywhere, diagonal(x[0], 1)),
      COMPOSED(everywhere, tril(x[0], -1)),
      COMPOSED(everywhere, cumsum(x[0], 0)),
      COMPOSED(everywhere, diff(x[0])),
      COMPOSED(everywhere, roll(x[0], 2, 0)),
      COMPOSED(everywhere, roll(x[0], -1)),
      COMPOSED(everywhere, flip(x[0], -1)),
      COMPOSED(everywhere, rot90(x[0])),
      COMPOSED(everywhere, stack({x[0], x[1]}, -1)),
      COMPOSED(everywhere, swapaxes(x[0], 0, -1)),
      COMPOSED(everywhere, tile(x[0], 2)),
      COMPOSED(everywhere, repeat(x[0], 3, 0)),
      COMPOSED(everywhere, x[0].at(0).set(x[1][-1])),
      COMPOSED(everywhere, x[0].at(slice(1, none)).add(x[1][slice(none, -1)])),
      COMPOSED(everywhere, take(x[0], array({2, 0, -1}), 0)),
      COMPOSED(everywhere, x[0][slice(none, none, -2)]),
      COMPOSED(almost, ptp(x[0], 0)),
      COMPOSED(almost, median(x[0], -1)),
      COMPOSED(almost, quantile(x[0], 0.3, 0)),
      COMPOSED(almost, sort(x[0], 0)),
      COMPOSED(almost, maximum(x[0], x[1])),
      COMPOSED(almost, clip(x[0], -0.5, x[1])),
      COMPOSED(almost, where(x[0] > x[1], x[1], 0.25)),
      COMPOSED(almost, nan_to_num(x[0] / x[1])),
      COMPOSED(almost, take_along_axis(x[0], argsort(x[1], 0), 0)),
      COMPOSED(nowhere, std(x[0], 0)),
      COMPOSED(nowhere, hypot(x[0], x[1])),
      COMPOSED(nowhere, sinc(x[0])),
      COMPOSED(nowhere, argsort(x[0])),
      COMPOSED(nowhere, searchsorted(sort(x[0]), x[1])),
      COMPOSED(nowhere, nn::one_hot(x[0].astype(I32), 3))};
#undef COMPOSED
  return all;
}

}  // namespace weft::programs
