// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/thread_loops.cpp: the folds of a warp and of a block of threads.
#include "jit/emit/gpu/thread_loops.h"

#include <utility>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials, fold_order::long_block;

static_assert(many_partials == 2 * warp && 2 * few_partials == warp &&
              fold_order::short_block <= warp);

ThreadLoops::ThreadLoops(GpuEmitter& e) : GpuPart(e), folds_(e) {}

void ThreadLoops::fold(Id v) {
  if (s_.threads > warp) return fold_thread_block(v);
  const V n = e_.scalar(k_.insts[v].args[0]);
  const V few = b_.CreateICmpSLE(n, b_.i64(fold_order::short_block)),
          several = b_.CreateICmpSLT(n, b_.i64(long_block));
  const auto partials = [&] {
    return b_.branch(
        several, [&] { return fold_half_warp(v, n); }, [&] { return fold_warp(v, n); });
  };
  e_.set_results(v, b_.branch(few, [&] { return fold_short(v, n); }, partials));
}

// Each thread has one term; all threads combine the terms in order.
Vs ThreadLoops::fold_short(Id v, V n) {
  const Vs none = folds_.identity(v, uniform_value);
  const auto mine = [&](V at, const Vs&, bool whole) {
    return e_.row().term(
        n, at, whole, [&](V index) { return load_or_emit_term(v, index); },
        folds_.identity_term(v, uniform_value));
  };
  const Vs own = e_.row().strided_loop(v, warp, folds_.identity_term(v, uniform_value), mine);
  return b_
      .loop("in order", b_.i64(0), n, b_.i64(1), none,
            [&](V k, const Vs& all) {
              return folds_.combine_term(v, all, e_.threads().warp_shuffle(own, k));
            })
      .carry;
}

// The first half of the threads has the partial results, and adds the other half's terms after its
// own.
Vs ThreadLoops::fold_half_warp(Id v, V n) {
  const V other = b_.CreateXor(e_.threads().in_point, b_.i64(few_partials));
  const auto trip = [&](V at, const Vs& sum, bool whole) {
    Vs nothing = folds_.identity_term(v, uniform_value);
    const size_t values = nothing.size();
    nothing.append(sum);
    const auto first = [&](V index) {
      Vs x = load_or_emit_term(v, index);
      x.append(folds_.combine_term(v, sum, x));
      return x;
    };
    const Vs x = e_.row().term(n, at, whole, first, nothing);
    const Vs so_far(x.begin() + values, x.end());
    Vs next =
        folds_.combine_term(v, so_far, e_.threads().warp_shuffle(nth_group(x, 0, values), other));
    if (whole) return next;
    const V second = b_.CreateAdd(b_.CreateAdd(at, e_.threads().in_point), b_.i64(few_partials));
    const V there = b_.CreateICmpSLT(second, n);
    for (size_t r = 0; r < next.size(); ++r) next[r] = b_.CreateSelect(there, next[r], so_far[r]);
    return next;
  };
  return fold_tree_of_threads(
      v, e_.row().strided_loop(v, warp, folds_.identity(v, uniform_value), trip), few_partials);
}

Vs ThreadLoops::fold_warp(Id v, V n) {
  const Vs none = folds_.identity(v, uniform_value);
  Vs both = none;
  both.append(none);
  const auto trip = [&](V at, const Vs& sums, bool whole) {
    const auto after = [&](V first, const Vs& sum) {
      return e_.row().term(
          n, first, whole,
          [&](V index) { return folds_.combine_term(v, sum, load_or_emit_term(v, index)); }, sum);
    };
    Vs next = after(at, nth_group(sums, 0, none.size()));
    next.append(after(b_.CreateAdd(at, b_.i64(warp)), nth_group(sums, 1, none.size())));
    return next;
  };
  const Vs sums = e_.row().strided_loop(v, many_partials, both, trip);
  return fold_tree_of_threads(
      v,
      folds_.combine_partials(v, nth_group(sums, 0, none.size()), nth_group(sums, 1, none.size())),
      warp);
}

// Folds the partial results of `threads` threads as a tree. All threads get the first one's result.
Vs ThreadLoops::fold_tree_of_threads(Id v, Vs sum, int64_t threads) {
  for (int64_t half = threads / 2; half >= 1; half /= 2)
    sum = folds_.combine_partials(
        v, sum,
        e_.threads().warp_shuffle(
            sum,
            b_.CreateAnd(b_.CreateAdd(e_.threads().in_point, b_.i64(half)), b_.i64(warp - 1))));
  return e_.threads().warp_shuffle(sum, b_.i64(0));
}

void ThreadLoops::for_each(Id v) {
  const nest::BlockId body = k_.insts[v].blocks[0];
  const V n = e_.scalar(k_.insts[v].args[0]);
  e_.threads().point_barrier();
  e_.row().strided_loop(v, e_.row().threads, {}, [&](V at, const Vs&, bool whole) {
    const auto iteration = [&](V index) {
      e_.set(k_.blocks[body].params[0], index);
      e_.emit_iteration(body);
      return Vs();
    };
    return e_.row().term(n, at, whole, iteration, {});
  });
  e_.threads().point_barrier();
}

// Returns the address of a value of a term in the memory that a block shares.
V ThreadLoops::shared_term_address(Id v, size_t value, V index) {
  const Inst& i = k_.insts[v];
  const int64_t n = *b_.constant_int(e_.scalar(i.args[0]));
  const std::vector<nest::Kind> kinds = term_kinds(i);
  int64_t first = result_bytes(k_);
  for (size_t k = 0; k < value; ++k) first = (first + n * kind_bytes(kinds[k]) + 15) & -16;
  return b_.CreateGEP(
      ops_.memory_type(kinds[value]),
      b_.CreateConstGEP1_64(b_.getInt8Ty(), shared_row, static_cast<uint64_t>(first)), index);
}

Vs ThreadLoops::load_or_emit_term(Id v, V index) {
  if (!terms_in_shared_memory_) return folds_.term(v, uniform_value, index);
  Vs out;
  for (const nest::Kind k : term_kinds(k_.insts[v]))
    out.push_back(ops_.mask_from_memory(
        b_.CreateLoad(ops_.memory_type(k), shared_term_address(v, out.size(), index)), k));
  return out;
}

// The threads of a block store their terms to shared memory. The first warp folds them as it would
// fold its own terms, and stores the results there.
void ThreadLoops::fold_thread_block(Id v) {
  const Inst& i = k_.insts[v];
  const V n = e_.scalar(i.args[0]);
  const std::vector<nest::Kind> kinds = term_kinds(i);
  e_.row().strided_loop(v, e_.row().threads, {}, [&](V at, const Vs&, bool whole) {
    const auto store_term = [&](V index) {
      const Vs x = folds_.term(v, uniform_value, index);
      for (size_t k = 0; k < x.size(); ++k)
        b_.CreateStore(ops_.mask_to_memory(x[k], kinds[k]), shared_term_address(v, k, index));
      return Vs();
    };
    return e_.row().term(n, at, whole, store_term, {});
  });
  gpu_.barrier();
  const auto place = [&](size_t r) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), shared_row, 16 * r);
  };
  b_.when(b_.CreateICmpULT(e_.threads().in_point, b_.i64(warp)), [&] {
    const int64_t before = std::exchange(e_.row().threads, warp);
    terms_in_shared_memory_ = true;
    e_.row().may_unroll = e_.stop_checks().enabled = false;
    const int64_t terms = *b_.constant_int(n);
    const Vs sums = terms <= fold_order::short_block ? fold_short(v, n)
                    : terms < long_block             ? fold_half_warp(v, n)
                                                     : fold_warp(v, n);
    terms_in_shared_memory_ = false;
    e_.row().may_unroll = e_.stop_checks().enabled = true;
    e_.row().threads = before;
    for (size_t r = 0; r < sums.size(); ++r)
      b_.CreateStore(ops_.mask_to_memory(sums[r], i.kinds[r]), place(r));
  });
  gpu_.barrier();
  Vs out;
  for (size_t r = 0; r < i.kinds.size(); ++r)
    out.push_back(
        ops_.mask_from_memory(b_.CreateLoad(ops_.memory_type(i.kinds[r]), place(r)), i.kinds[r]));
  e_.set_results(v, out);
}

}  // namespace weft::compiler
