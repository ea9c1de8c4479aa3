// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/native.cpp: runs native code on concrete arrays.
#include "ops/kit/native.h"

#include "tracer/concrete.h"

namespace weft {

Arrays run_native(const NativeFn& f, const Arrays& x, const Types& out) {
  std::vector<std::span<const std::byte>> in;
  std::vector<std::span<std::byte>> to;
  Arrays results;
  for (const Array& a : x)
    in.emplace_back(static_cast<const std::byte*>(concrete(a).data()),
                    static_cast<size_t>(a.type().bytes()));
  for (const Type& t : out) {
    Fresh r = fresh_array(t);
    results.push_back(r.array);
    to.emplace_back(static_cast<std::byte*>(r.data), static_cast<size_t>(t.bytes()));
  }
  f({in, to});
  return results;
}

}  // namespace weft
