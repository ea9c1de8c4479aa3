// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/threads.cpp: a point that the threads of a warp share. The terms of its outermost
// folds and the turns of its outermost for_eachs are dealt out to them, neighbours to neighbours;
// all else each of them computes, with the same bits. Partial sum k is thread k's, or, of many,
// those of k and k + 32 are; the order is that of a block of core/loops/fold_order.h.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <utility>

#include "weft/jit/emit/emit_fold.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;

using fold_order::few_partials, fold_order::many_partials, fold_order::long_block;

namespace {
constexpr int64_t warp = 32;
static_assert(many_partials == 2 * warp && 2 * few_partials == warp &&
              fold_order::short_block <= warp);
}  // namespace

// What x is in another thread of the warp; all of them ask.
V Emitter::of_thread(V x, V thread) {
  auto* type = x->getType();
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  auto* word = b_.getInt32Ty();
  const V source = b_.CreateTrunc(thread, word);
  const auto exchanged = [&](V w) -> V {
    if (machine_.emulated) return call("weft_emulated_shuffle", word, {w, source});
    return call(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {}, {i32(-1), w, source, i32(warp - 1)});
  };
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
Vs Emitter::of_thread(const Vs& xs, V thread) {
  Vs out;
  for (V x : xs) out.push_back(of_thread(x, thread));
  return out;
}

// The threads of the warp wait for each other and see what each has written.
void Emitter::meet() {
  if (machine_.emulated)
    call("weft_emulated_shuffle", b_.getInt32Ty(),
         {i32(0), b_.CreateTrunc(lane_, b_.getInt32Ty())});
  else
    call(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {i32(-1)});
}

// Of what each thread would do with the same result: one does, when all are there, and they go on
// when it is done.
void Emitter::once(const std::function<void()>& f) {
  if (!lane_ || apart_) return f();
  meet();
  when(b_.CreateICmpEQ(lane_, i64(0)), f);
  meet();
}

// What f gives in the threads for which the condition holds, in the others `otherwise`.
Vs Emitter::apart(V condition, const std::function<Vs()>& f, const Vs& otherwise) {
  const auto alone = [&] {
    const bool before = std::exchange(apart_, true);
    Vs x = f();
    apart_ = before;
    return x;
  };
  return branch(condition, alone, [&] { return otherwise; });
}

void Emitter::fold_threads(Id v) {
  const V n = scalar(k_.insts[v].args[0]);
  const V few = b_.CreateICmpSLE(n, i64(fold_order::short_block)),
          several = b_.CreateICmpSLT(n, i64(long_block));
  const auto partials = [&] {
    return branch(several, [&] { return fold_half_warp(v, n); }, [&] { return fold_warp(v, n); });
  };
  set_results(v, branch(few, [&] { return fold_few(v, n); }, partials));
}

// Each thread has a term; all combine them in order.
Vs Emitter::fold_few(Id v, V n) {
  const Vs none = identity(v, uniform_value);
  const Vs own = apart(
      b_.CreateICmpSLT(lane_, n), [&] { return term(v, uniform_value, lane_); },
      no_term(v, uniform_value));
  return loop("in order", i64(0), n, i64(1), none,
              [&](V k, const Vs& all) { return with_term(v, all, of_thread(own, k)); })
      .carry;
}

// Partial sums in the first half of the threads: the others' terms come after theirs.
Vs Emitter::fold_half_warp(Id v, V n) {
  const Vs none = identity(v, uniform_value);
  const int64_t cost = weight(k_, k_.insts[v].blocks[0]);
  const V other = b_.CreateXor(lane_, i64(few_partials));
  const Loop l = loop("terms", i64(0), n, i64(warp), none, [&](V at, const Vs& sum) {
    poll(cost);
    const V index = b_.CreateAdd(at, lane_);
    Vs nothing = no_term(v, uniform_value);
    const size_t values = nothing.size();
    nothing.append(sum);
    const auto first = [&] {
      Vs x = term(v, uniform_value, index);
      x.append(with_term(v, sum, x));
      return x;
    };
    const Vs x = apart(b_.CreateICmpSLT(index, n), first, nothing);
    const Vs so_far(x.begin() + values, x.end());
    Vs next = with_term(v, so_far, of_thread(nth(x, 0, values), other));
    const V there = b_.CreateICmpSLT(b_.CreateAdd(index, i64(few_partials)), n);
    for (size_t r = 0; r < next.size(); ++r) next[r] = b_.CreateSelect(there, next[r], so_far[r]);
    return next;
  });
  return fold_pairs(v, l.carry, few_partials);
}

Vs Emitter::fold_warp(Id v, V n) {
  const Vs none = identity(v, uniform_value);
  const int64_t cost = weight(k_, k_.insts[v].blocks[0]);
  Vs both = none;
  both.append(none);
  const auto after = [&](V index, const Vs& sum) {
    const auto f = [&] { return with_term(v, sum, term(v, uniform_value, index)); };
    return apart(b_.CreateICmpSLT(index, n), f, sum);
  };
  const Loop l = loop("terms", i64(0), n, i64(many_partials), both, [&](V at, const Vs& sums) {
    poll(2 * cost);
    const V index = b_.CreateAdd(at, lane_);
    Vs next = after(index, nth(sums, 0, none.size()));
    next.append(after(b_.CreateAdd(index, i64(warp)), nth(sums, 1, none.size())));
    return next;
  });
  return fold_pairs(v, combined(v, nth(l.carry, 0, none.size()), nth(l.carry, 1, none.size())),
                    warp);
}

// The tree over the partial sums of so many threads; all of them get what the first one has.
Vs Emitter::fold_pairs(Id v, Vs sum, int64_t threads) {
  for (int64_t half = threads / 2; half >= 1; half /= 2)
    sum = combined(v, sum,
                   of_thread(sum, b_.CreateAnd(b_.CreateAdd(lane_, i64(half)), i64(warp - 1))));
  return of_thread(sum, i64(0));
}

void Emitter::for_each_threads(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const V n = scalar(i.args[0]);
  meet();
  each("each", i64(0), n, warp, [&](V at) {
    poll(weight(k_, i.blocks[0]));
    const V turn = b_.CreateAdd(at, lane_);
    const auto body = [&] {
      set(index, turn);
      emit_block(i.blocks[0]);
      return Vs();
    };
    apart(b_.CreateICmpSLT(turn, n), body, {});
  });
  meet();
}

}  // namespace weft::compiler
