// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/threads.cpp: shuffles and barriers.
#include "jit/emit/gpu/threads.h"

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/rows.h"

namespace weft::compiler {

V Threads::warp_shuffle(V x, V thread) {
  auto* type = x->getType();
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  auto* word = b_.getInt32Ty();
  const V source = b_.CreateTrunc(thread, word);
  const auto exchanged = [&](V w) -> V { return gpu_.shuffle(w, source); };
  const V all = b_.CreateBitCast(x, b_.getIntNTy(bits));
  if (bits <= 32)
    return b_.CreateBitCast(b_.CreateTrunc(exchanged(b_.CreateZExt(all, word)), b_.getIntNTy(bits)),
                            type);
  const V low = exchanged(b_.CreateTrunc(all, word)),
          high = exchanged(b_.CreateTrunc(b_.CreateLShr(all, 32), word));
  auto* both = b_.getInt64Ty();
  return b_.CreateBitCast(
      b_.CreateOr(b_.CreateZExt(low, both), b_.CreateShl(b_.CreateZExt(high, both), 32)), type);
}
Vs Threads::warp_shuffle(const Vs& xs, V thread) {
  Vs out;
  for (V x : xs) out.push_back(warp_shuffle(x, thread));
  return out;
}

void Threads::point_barrier() {
  if (s_.threads > warp) return gpu_.barrier();
  gpu_.warp_barrier(in_point);
}

void Threads::if_thread_zero(const std::function<void()>& f) {
  if (!in_point || diverge) return f();
  point_barrier();
  b_.when(b_.CreateICmpEQ(in_point, b_.i64(0)), f);
  point_barrier();
}

}  // namespace weft::compiler
