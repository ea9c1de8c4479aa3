// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/rows.cpp: partitions the terms of a row among the threads that share a point. It
// also keeps values of the row in registers between loops, and folds rows that a whole block of
// threads shares.
#include <algorithm>
#include <utility>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::long_block;

// Emits a loop over the terms, `terms` per trip, one or more of them for each thread. If their
// number is known, trips in which all threads have a term need no test. A loop with kept values is
// unrolled.
Vs GpuEmitter::thread_strided_loop(Id v, int64_t terms, const Vs& init, const Trip& trip) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const auto most = b_.constant_int(n);
  const auto rolled = [&](V end, bool whole) {
    return b_
        .loop("terms", b_.i64(0), end, b_.i64(terms), init,
              [&](V at, const Vs& carry) {
                emit_cancellation_check(terms / term_threads_ * weight(k_, i.blocks[0]));
                return trip(at, carry, whole);
              })
        .carry;
  };
  if (!most) return rolled(n, false);
  if (!terms_in_shared_memory_ && std::ranges::count(row_.loops, v) > 0) {
    Vs carry = init;
    for (int64_t at = 0; at < *most; at += terms) {
      iteration_ = at / term_threads_;
      carry = trip(b_.i64(at), carry, at + terms <= *most);
    }
    iteration_.reset();
    return carry;
  }
  const int64_t whole = *most - *most % terms;
  const Vs carry = rolled(b_.i64(whole), true);
  return whole < *most ? trip(b_.i64(whole), carry, false) : carry;
}

// Returns f for this thread's term among those from `first` on; `otherwise` if it has none.
Vs GpuEmitter::thread_term(V n, V first, bool whole, const std::function<Vs(V index)>& f,
                           const Vs& otherwise) {
  const auto begin = b_.constant_int(first), end = b_.constant_int(n);
  if (begin && end && *begin >= *end) return otherwise;
  whole = whole || (begin && end && *begin + term_threads_ <= *end);
  if (iteration_) iteration_ = *begin / term_threads_;
  const V index = b_.CreateAdd(first, thread_in_point_);
  newly_kept_.clear();
  const auto with_kept = [&] {
    Vs x = f(index);
    for (const Id r : newly_kept_) x.push_back(kept_.at({r, *iteration_}));
    return x;
  };
  Vs none = otherwise;
  const bool before = std::exchange(threads_diverge_, true);
  Vs x = b_.branch(whole ? b_.getTrue() : b_.CreateICmpSLT(index, n), with_kept, [&] {
    for (const Id r : newly_kept_)
      none.push_back(llvm::Constant::getNullValue(kept_.at({r, *iteration_})->getType()));
    return none;
  });
  threads_diverge_ = before;
  for (size_t r = 0; r < newly_kept_.size(); ++r)
    kept_[{newly_kept_[r], *iteration_}] = x[otherwise.size() + r];
  x.resize(otherwise.size());
  return x;
}

// Emits the body of a loop over the row, for one iteration of this thread.
void GpuEmitter::emit_iteration(nest::BlockId body) {
  if (!iteration_) return emit_block(body);
  const int64_t iteration = *iteration_;
  for (const Id v : k_.blocks[body].body) {
    if (row_.spared.contains(v)) continue;
    const auto same = row_.kept.find(v);
    if (same == row_.kept.end()) {
      emit_inst(v);
    } else if (same->second != v) {
      set(v, kept_.at({same->second, iteration}));
    } else {
      emit_inst(v);
      kept_[{v, iteration}] = scalar(v);
      newly_kept_.push_back(v);
    }
  }
}

// Returns the address of a value of a term in the memory that a block shares.
V GpuEmitter::shared_term_address(Id v, size_t value, V index) {
  const Inst& i = k_.insts[v];
  const int64_t n = *b_.constant_int(scalar(i.args[0]));
  const std::vector<nest::Kind> kinds = term_kinds(i);
  int64_t first = result_bytes(k_);
  for (size_t k = 0; k < value; ++k) first = (first + n * kind_bytes(kinds[k]) + 15) & -16;
  return b_.CreateGEP(
      ops_.memory_type(kinds[value]),
      b_.CreateConstGEP1_64(b_.getInt8Ty(), shared_row_, static_cast<uint64_t>(first)), index);
}

Vs GpuEmitter::load_or_emit_term(Id v, V index) {
  if (!terms_in_shared_memory_) return folds_.term(v, uniform_value, index);
  Vs out;
  for (const nest::Kind k : term_kinds(k_.insts[v]))
    out.push_back(ops_.mask_from_memory(
        b_.CreateLoad(ops_.memory_type(k), shared_term_address(v, out.size(), index)), k));
  return out;
}

// The threads of a block store their terms to shared memory. The first warp folds them as it would
// fold its own terms, and stores the results there.
void GpuEmitter::fold_thread_block(Id v) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const std::vector<nest::Kind> kinds = term_kinds(i);
  thread_strided_loop(v, term_threads_, {}, [&](V at, const Vs&, bool whole) {
    const auto store_term = [&](V index) {
      const Vs x = folds_.term(v, uniform_value, index);
      for (size_t k = 0; k < x.size(); ++k)
        b_.CreateStore(ops_.mask_to_memory(x[k], kinds[k]), shared_term_address(v, k, index));
      return Vs();
    };
    return thread_term(n, at, whole, store_term, {});
  });
  gpu_->barrier();
  const auto place = [&](size_t r) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), shared_row_, 16 * r);
  };
  b_.when(b_.CreateICmpULT(thread_in_point_, b_.i64(warp)), [&] {
    const int64_t before = std::exchange(term_threads_, warp);
    terms_in_shared_memory_ = true;
    stop_checks = false;
    const int64_t terms = *b_.constant_int(n);
    const Vs sums = terms <= fold_order::short_block ? fold_short(v, n)
                    : terms < long_block             ? fold_half_warp(v, n)
                                                     : fold_warp(v, n);
    terms_in_shared_memory_ = false;
    stop_checks = true;
    term_threads_ = before;
    for (size_t r = 0; r < sums.size(); ++r)
      b_.CreateStore(ops_.mask_to_memory(sums[r], i.kinds[r]), place(r));
  });
  gpu_->barrier();
  Vs out;
  for (size_t r = 0; r < i.kinds.size(); ++r)
    out.push_back(
        ops_.mask_from_memory(b_.CreateLoad(ops_.memory_type(i.kinds[r]), place(r)), i.kinds[r]));
  set_results(v, out);
}

}  // namespace weft::compiler
