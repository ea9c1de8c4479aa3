// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/library.h: ops that only LAPACK implements. LAPACK returns one of many
// correct results, and no other program would return the same one, so the reference calls it, too.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "ops/kit/kit.h"
#include "ops/linear/implementations.h"
#include "ops/linear/matrix.h"
#include "runtime/native/linalg.h"

namespace weft {

inline native::Squares squares_of(const Type& x) {
  const matrix::Sizes s(x);
  return {x.dtype(), s.batch, s.rows};
}

// Runs `run` on the bytes of x and returns its results.
inline Arrays by_library(const Array& x, const Types& out,
                         const std::function<void(const NativeArgs&)>& run) {
  const std::vector<std::span<const std::byte>> in = {
      {static_cast<const std::byte*>(concrete(x).data()), static_cast<size_t>(x.type().bytes())}};
  std::vector<std::span<std::byte>> to;
  Arrays results;
  for (const Type& t : out) {
    const Fresh f = fresh_array(t);
    to.push_back({static_cast<std::byte*>(f.data), static_cast<size_t>(t.bytes())});
    results.push_back(f.array);
  }
  run({in, to});
  return results;
}

// The only implementation of such an op on square matrices. `call(u)` runs it, and `workspace` is
// the number of bytes that it needs. `multiplications`: the number for one matrix, divided by the
// cube of its rows.
template <class P>
std::vector<Implementation<P>> library_alone(
    double multiplications, const std::function<NativeFn(const Use<P>&)>& call,
    const std::function<int64_t(const native::Squares&)>& workspace) {
  Implementation<P> library;
  library.name = "library";
  // The library uses int for its arguments and for the size of its workspace.
  library.applies = [](const Use<P>& u) {
    return longer_side<P>(u) <= std::numeric_limits<int>::max() / 128;
  };
  library.cost = [=](const Use<P>& u) { return 2000 + multiplications * work(u); };
  library.make = [=](const Use<P>& u) {
    NativeCall c;
    c.run = call(u);
    c.workspace = [a = squares_of(u.in[0]), workspace] { return workspace(a); };
    const int n = u.in[0].ndim();
    c.axis_map = axis_map_without(1, n, {n - 2, n - 1}, false);
    return c;
  };
  return {library};
}

}  // namespace weft
