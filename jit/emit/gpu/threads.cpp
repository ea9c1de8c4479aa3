// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/threads.cpp: a point that the threads of a warp share. The terms of its outermost
// folds and the turns of its outermost for_eachs are dealt out to them, neighbours to neighbours;
// all else each of them computes, with the same bits. Partial sum k is thread k's, or, of many,
// those of k and k + 32 are; the order is that of a block of core/loops/fold_order.h.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <utility>

#include "weft/jit/emit/emit_fold.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;

using fold_order::few_partials, fold_order::many_partials, fold_order::long_block;

static_assert(many_partials == 2 * warp && 2 * few_partials == warp &&
              fold_order::short_block <= warp);

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

// The threads that share a point wait for each other and see what each has written.
void Emitter::meet() {
  if (s_.threads > warp) return barrier();
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

void Emitter::fold_threads(Id v) {
  if (s_.threads > warp) return fold_of_block(v);
  const V n = scalar(k_.insts[v].args[0]);
  const V few = b_.CreateICmpSLE(n, i64(fold_order::short_block)),
          several = b_.CreateICmpSLT(n, i64(long_block));
  const auto partials = [&] {
    return branch(several, [&] { return fold_half_warp(v, n); }, [&] { return fold_warp(v, n); });
  };
  set_results(v, branch(few, [&] { return fold_few(v, n); }, partials));
}

// A loop over the terms, so many a trip. Where their number is known, trips that all threads make
// alike ask nobody; one whose values are kept is written out.
Vs Emitter::dealt_out(Id v, int64_t terms, const Vs& init, const Trip& trip) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const auto most = known(n);
  const auto rolled = [&](V end, bool whole) {
    return loop("terms", i64(0), end, i64(terms), init,
                [&](V at, const Vs& carry) {
                  poll(terms / sharers_ * weight(k_, i.blocks[0]));
                  return trip(at, carry, whole);
                })
        .carry;
  };
  if (!most) return rolled(n, false);
  if (!from_row_ && std::ranges::count(row_.loops, v) > 0) {
    Vs carry = init;
    for (int64_t at = 0; at < *most; at += terms) {
      turn_ = at / sharers_;
      carry = trip(i64(at), carry, at + terms <= *most);
    }
    turn_.reset();
    return carry;
  }
  const int64_t whole = *most - *most % terms;
  const Vs carry = rolled(i64(whole), true);
  return whole < *most ? trip(i64(whole), carry, false) : carry;
}

// What f gives for the term of this thread of those from `first` on; `otherwise` if there is none.
Vs Emitter::own_term(V n, V first, bool whole, const std::function<Vs(V index)>& f,
                     const Vs& otherwise) {
  const auto begin = known(first), end = known(n);
  if (begin && end && *begin >= *end) return otherwise;
  whole = whole || (begin && end && *begin + sharers_ <= *end);
  if (turn_) turn_ = *begin / sharers_;
  const V index = b_.CreateAdd(first, lane_);
  made_.clear();
  const auto with_kept = [&] {
    Vs x = f(index);
    for (const Id r : made_) x.push_back(kept_.at({r, *turn_}));
    return x;
  };
  Vs none = otherwise;
  const bool before = std::exchange(apart_, true);
  Vs x = branch(whole ? b_.getTrue() : b_.CreateICmpSLT(index, n), with_kept, [&] {
    for (const Id r : made_)
      none.push_back(llvm::Constant::getNullValue(kept_.at({r, *turn_})->getType()));
    return none;
  });
  apart_ = before;
  for (size_t r = 0; r < made_.size(); ++r) kept_[{made_[r], *turn_}] = x[otherwise.size() + r];
  x.resize(otherwise.size());
  return x;
}

// The body of a loop over the row, for one turn of this thread.
void Emitter::emit_turn(nest::BlockId body) {
  const int64_t turn = *turn_;
  for (const Id v : k_.blocks[body].body) {
    if (row_.spared.contains(v)) continue;
    const auto same = row_.kept.find(v);
    if (same == row_.kept.end()) {
      emit_inst(v);
    } else if (same->second != v) {
      set(v, kept_.at({same->second, turn}));
    } else {
      emit_inst(v);
      kept_[{v, turn}] = scalar(v);
      made_.push_back(v);
    }
  }
}

// Each thread has a term; all combine them in order.
Vs Emitter::fold_few(Id v, V n) {
  const Vs none = identity(v, uniform_value);
  const auto mine = [&](V at, const Vs&, bool whole) {
    return own_term(
        n, at, whole, [&](V index) { return row_term(v, index); }, no_term(v, uniform_value));
  };
  const Vs own = dealt_out(v, warp, no_term(v, uniform_value), mine);
  return loop("in order", i64(0), n, i64(1), none,
              [&](V k, const Vs& all) { return with_term(v, all, of_thread(own, k)); })
      .carry;
}

// Partial sums in the first half of the threads: the others' terms come after theirs.
Vs Emitter::fold_half_warp(Id v, V n) {
  const V other = b_.CreateXor(lane_, i64(few_partials));
  const auto trip = [&](V at, const Vs& sum, bool whole) {
    Vs nothing = no_term(v, uniform_value);
    const size_t values = nothing.size();
    nothing.append(sum);
    const auto first = [&](V index) {
      Vs x = row_term(v, index);
      x.append(with_term(v, sum, x));
      return x;
    };
    const Vs x = own_term(n, at, whole, first, nothing);
    const Vs so_far(x.begin() + values, x.end());
    Vs next = with_term(v, so_far, of_thread(nth(x, 0, values), other));
    if (whole) return next;
    const V second = b_.CreateAdd(b_.CreateAdd(at, lane_), i64(few_partials));
    const V there = b_.CreateICmpSLT(second, n);
    for (size_t r = 0; r < next.size(); ++r) next[r] = b_.CreateSelect(there, next[r], so_far[r]);
    return next;
  };
  return fold_pairs(v, dealt_out(v, warp, identity(v, uniform_value), trip), few_partials);
}

Vs Emitter::fold_warp(Id v, V n) {
  const Vs none = identity(v, uniform_value);
  Vs both = none;
  both.append(none);
  const auto trip = [&](V at, const Vs& sums, bool whole) {
    const auto after = [&](V first, const Vs& sum) {
      return own_term(
          n, first, whole, [&](V index) { return with_term(v, sum, row_term(v, index)); }, sum);
    };
    Vs next = after(at, nth(sums, 0, none.size()));
    next.append(after(b_.CreateAdd(at, i64(warp)), nth(sums, 1, none.size())));
    return next;
  };
  const Vs sums = dealt_out(v, many_partials, both, trip);
  return fold_pairs(v, combined(v, nth(sums, 0, none.size()), nth(sums, 1, none.size())), warp);
}

// The tree over the partial sums of so many threads; all of them get what the first one has.
Vs Emitter::fold_pairs(Id v, Vs sum, int64_t threads) {
  for (int64_t half = threads / 2; half >= 1; half /= 2)
    sum = combined(v, sum,
                   of_thread(sum, b_.CreateAnd(b_.CreateAdd(lane_, i64(half)), i64(warp - 1))));
  return of_thread(sum, i64(0));
}

// Where a value of a term lies that a block shares.
V Emitter::term_place(Id v, size_t value, V index) {
  const Inst& i = k_.insts[v];
  const int64_t n = *known(scalar(i.args[0]));
  const std::vector<nest::Kind> kinds = term_kinds(i);
  int64_t first = result_bytes(k_);
  for (size_t k = 0; k < value; ++k) first = (first + n * kind_bytes(kinds[k]) + 15) & -16;
  return b_.CreateGEP(
      memory_type(kinds[value]),
      b_.CreateConstGEP1_64(b_.getInt8Ty(), row_memory_, static_cast<uint64_t>(first)), index);
}

Vs Emitter::row_term(Id v, V index) {
  if (!from_row_) return term(v, uniform_value, index);
  Vs out;
  for (const nest::Kind k : term_kinds(k_.insts[v]))
    out.push_back(
        mask_from_memory(b_.CreateLoad(memory_type(k), term_place(v, out.size(), index)), k));
  return out;
}

// The threads of a block leave their terms in memory that they share; the first warp folds them as
// it would fold its own, and leaves the results there.
void Emitter::fold_of_block(Id v) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const std::vector<nest::Kind> kinds = term_kinds(i);
  dealt_out(v, sharers_, {}, [&](V at, const Vs&, bool whole) {
    const auto leave = [&](V index) {
      const Vs x = term(v, uniform_value, index);
      for (size_t k = 0; k < x.size(); ++k)
        b_.CreateStore(mask_to_memory(x[k], kinds[k]), term_place(v, k, index));
      return Vs();
    };
    return own_term(n, at, whole, leave, {});
  });
  barrier();
  const auto place = [&](size_t r) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), row_memory_, 16 * r);
  };
  when(b_.CreateICmpULT(lane_, i64(warp)), [&] {
    const int64_t before = std::exchange(sharers_, warp);
    from_row_ = true;
    const int64_t terms = *known(n);
    const Vs sums = terms <= fold_order::short_block ? fold_few(v, n)
                    : terms < long_block             ? fold_half_warp(v, n)
                                                     : fold_warp(v, n);
    from_row_ = false;
    sharers_ = before;
    for (size_t r = 0; r < sums.size(); ++r)
      b_.CreateStore(mask_to_memory(sums[r], i.kinds[r]), place(r));
  });
  barrier();
  Vs out;
  for (size_t r = 0; r < i.kinds.size(); ++r)
    out.push_back(mask_from_memory(b_.CreateLoad(memory_type(i.kinds[r]), place(r)), i.kinds[r]));
  set_results(v, out);
}

void Emitter::for_each_threads(Id v) {
  const nest::BlockId body = k_.insts[v].blocks[0];
  const V n = scalar(k_.insts[v].args[0]);
  meet();
  dealt_out(v, sharers_, {}, [&](V at, const Vs&, bool whole) {
    const auto turn = [&](V index) {
      set(k_.blocks[body].params[0], index);
      turn_ ? emit_turn(body) : emit_block(body);
      return Vs();
    };
    return own_term(n, at, whole, turn, {});
  });
  meet();
}

}  // namespace weft::compiler
