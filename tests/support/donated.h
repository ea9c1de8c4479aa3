// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/donated.h: programs with a donated argument, for tests of the host and of GPUs.
#pragma once
#include "support/check.h"

namespace weft::test {

inline Array some(int64_t n) { return sin(arange(static_cast<int>(n)) * 0.37); }
inline const JitOptions first{.donate_argnums = {0}, .name = "step"};

// Checks which programs of 20000 numbers write their result over their argument. aliases(f) tells
// it for one.
template <class Aliases>
void check_aliasing(const Aliases& aliases) {
  CHECK(aliases([](Array x) { return x + 1; }));
  CHECK(aliases([](Array x) { return exp(x) * x - tanh(x); }));
  CHECK(aliases([](Array x) { return x.at(3).set(7.); }));
  CHECK(aliases([](Array x) { return x.at(slice(5, 9)).add(x[0]); }));
  CHECK(aliases([](Array x) { return fori_loop(0, 9, [](Array, Array c) { return c * 2; }, x); }));
  // The rows are read before they are written.
  CHECK(aliases([](Array x) { return nn::softmax(x.reshape({200, 100})).ravel(); }));
  CHECK_FALSE(aliases([](Array x) { return x + flip(x); }));
}

}  // namespace weft::test
