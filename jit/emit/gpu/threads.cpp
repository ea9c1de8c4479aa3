// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/threads.cpp: a point that the threads of a warp share. The terms of its outermost
// folds and the iterations of its outermost for_eachs are partitioned among them, so that
// neighbours have neighbouring terms. Each thread computes everything else, with the same bits.
// Thread k has partial result k. If there are 64 partial results, it also has k + 32. The order is
// that of a block of core/loops/fold_order.h. rows.cpp partitions the terms.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials, fold_order::long_block;

static_assert(many_partials == 2 * warp && 2 * few_partials == warp &&
              fold_order::short_block <= warp);

// Returns the value of x in another thread of the warp; all threads must call it.
V GpuEmitter::warp_shuffle(V x, V thread) {
  auto* type = x->getType();
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  auto* word = b_.getInt32Ty();
  const V source = b_.CreateTrunc(thread, word);
  const auto exchanged = [&](V w) -> V { return gpu_->shuffle(w, source); };
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
Vs GpuEmitter::warp_shuffle(const Vs& xs, V thread) {
  Vs out;
  for (V x : xs) out.push_back(warp_shuffle(x, thread));
  return out;
}

// The threads that share a point wait for each other. Each then sees what the others have written.
void GpuEmitter::point_barrier() {
  if (s_.threads > warp) return gpu_->barrier();
  gpu_->warp_barrier(thread_in_point_);
}

// Emits code that all threads that share a point would run with the same result. Only thread 0 runs
// it, between two barriers. Code that is not shared is emitted without a test.
void GpuEmitter::if_thread_zero(const std::function<void()>& f) {
  if (!thread_in_point_ || threads_diverge_) return f();
  point_barrier();
  b_.when(b_.CreateICmpEQ(thread_in_point_, b_.i64(0)), f);
  point_barrier();
}

void GpuEmitter::fold_threads(Id v) {
  if (s_.threads > warp) return fold_thread_block(v);
  const V n = scalar(k_.insts[v].args[0]);
  const V few = b_.CreateICmpSLE(n, b_.i64(fold_order::short_block)),
          several = b_.CreateICmpSLT(n, b_.i64(long_block));
  const auto partials = [&] {
    return b_.branch(
        several, [&] { return fold_half_warp(v, n); }, [&] { return fold_warp(v, n); });
  };
  set_results(v, b_.branch(few, [&] { return fold_short(v, n); }, partials));
}

// Each thread has one term; all threads combine the terms in order.
Vs GpuEmitter::fold_short(Id v, V n) {
  const Vs none = folds_.identity(v, uniform_value);
  const auto mine = [&](V at, const Vs&, bool whole) {
    return thread_term(
        n, at, whole, [&](V index) { return load_or_emit_term(v, index); },
        folds_.identity_term(v, uniform_value));
  };
  const Vs own = thread_strided_loop(v, warp, folds_.identity_term(v, uniform_value), mine);
  return b_
      .loop("in order", b_.i64(0), n, b_.i64(1), none,
            [&](V k, const Vs& all) { return folds_.combine_term(v, all, warp_shuffle(own, k)); })
      .carry;
}

// The first half of the threads has the partial results, and adds the other half's terms after its
// own.
Vs GpuEmitter::fold_half_warp(Id v, V n) {
  const V other = b_.CreateXor(thread_in_point_, b_.i64(few_partials));
  const auto trip = [&](V at, const Vs& sum, bool whole) {
    Vs nothing = folds_.identity_term(v, uniform_value);
    const size_t values = nothing.size();
    nothing.append(sum);
    const auto first = [&](V index) {
      Vs x = load_or_emit_term(v, index);
      x.append(folds_.combine_term(v, sum, x));
      return x;
    };
    const Vs x = thread_term(n, at, whole, first, nothing);
    const Vs so_far(x.begin() + values, x.end());
    Vs next = folds_.combine_term(v, so_far, warp_shuffle(nth_group(x, 0, values), other));
    if (whole) return next;
    const V second = b_.CreateAdd(b_.CreateAdd(at, thread_in_point_), b_.i64(few_partials));
    const V there = b_.CreateICmpSLT(second, n);
    for (size_t r = 0; r < next.size(); ++r) next[r] = b_.CreateSelect(there, next[r], so_far[r]);
    return next;
  };
  return fold_tree_of_threads(
      v, thread_strided_loop(v, warp, folds_.identity(v, uniform_value), trip), few_partials);
}

Vs GpuEmitter::fold_warp(Id v, V n) {
  const Vs none = folds_.identity(v, uniform_value);
  Vs both = none;
  both.append(none);
  const auto trip = [&](V at, const Vs& sums, bool whole) {
    const auto after = [&](V first, const Vs& sum) {
      return thread_term(
          n, first, whole,
          [&](V index) { return folds_.combine_term(v, sum, load_or_emit_term(v, index)); }, sum);
    };
    Vs next = after(at, nth_group(sums, 0, none.size()));
    next.append(after(b_.CreateAdd(at, b_.i64(warp)), nth_group(sums, 1, none.size())));
    return next;
  };
  const Vs sums = thread_strided_loop(v, many_partials, both, trip);
  return fold_tree_of_threads(
      v,
      folds_.combine_partials(v, nth_group(sums, 0, none.size()), nth_group(sums, 1, none.size())),
      warp);
}

// Folds the partial results of `threads` threads as a tree. All threads get the first one's result.
Vs GpuEmitter::fold_tree_of_threads(Id v, Vs sum, int64_t threads) {
  for (int64_t half = threads / 2; half >= 1; half /= 2)
    sum = folds_.combine_partials(
        v, sum,
        warp_shuffle(sum,
                     b_.CreateAnd(b_.CreateAdd(thread_in_point_, b_.i64(half)), b_.i64(warp - 1))));
  return warp_shuffle(sum, b_.i64(0));
}

void GpuEmitter::for_each_threads(Id v) {
  const nest::BlockId body = k_.insts[v].blocks[0];
  const V n = scalar(k_.insts[v].args[0]);
  point_barrier();
  thread_strided_loop(v, term_threads_, {}, [&](V at, const Vs&, bool whole) {
    const auto iteration = [&](V index) {
      set(k_.blocks[body].params[0], index);
      emit_iteration(body);
      return Vs();
    };
    return thread_term(n, at, whole, iteration, {});
  });
  point_barrier();
}

}  // namespace weft::compiler
