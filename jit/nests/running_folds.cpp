// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/running_folds.cpp: writes running folds as loops over rows.
#include "jit/nests/running_folds.h"

#include "core/loops/fold_order.h"
#include "jit/fuse/region.h"
#include "jit/nests/lane_folds.h"
#include "jit/nests/structured.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using nest::BlockId, nest::Id, nest::Kind;

namespace {

// A running fold of n terms in the order of core/loops/fold_order.h. The loop over the terms
// carries `sum`, the fold of this run, and `before`, the fold of all earlier runs. Results of runs
// are terms of the level above. Its state is in local arrays and changes only where a run ends.
class RowFold {
 public:
  RowFold(nest::Builder& b, const Lowering& l, int64_t n);
  // Writes the results at all indices. `store` receives each result directly after its term.
  void write(const std::function<std::vector<Id>(Id)>& term_at,
             const std::function<void(const Elem&)>& store);

 private:
  std::vector<Id> end_run(int level, Id step, const std::vector<Id>& result);
  Id is_last_of_run(int level, Id step);

  nest::Builder& b_;
  const Lowering& l_;
  const int64_t n_;
  const std::vector<Id> identity_;
  std::vector<Id> arrays_;  // by component: sum and before of each level above
  int levels_ = 0;          // levels above that of the terms
};

RowFold::RowFold(nest::Builder& b, const Lowering& l, int64_t n)
    : b_(b), l_(l), n_(n), identity_(l.identity(b)) {
  bool rounds = false;
  for (size_t k = 0; k < l.combine.size(); ++k)
    rounds = rounds || nest::rounds(l.combine[k], b_.kind(identity_[k]));
  // Without rounding, a single level gives the same bits.
  if (!rounds) return;
  for (int64_t runs = n; runs > fold_order::run_terms; runs /= fold_order::run_terms) ++levels_;
  if (levels_ == 0) return;
  for (Id id : identity_) {
    arrays_.push_back(b_.local(b_.kind(id), 2 * levels_));
    for (int k = 0; k < 2 * levels_; ++k) b_.local_store(arrays_.back(), b_.integer(k), id);
  }
}

// Ends the run of `level` whose last term is number `step` of the fold, with `result`. Returns the
// fold of everything before the next run.
std::vector<Id> RowFold::end_run(int level, Id step, const std::vector<Id>& result) {
  const auto at = [&](int which) {
    std::vector<Id> x;
    for (Id array : arrays_) x.push_back(b_.local_load(array, b_.integer(2 * level + which)));
    return x;
  };
  const auto set = [&](int which, const std::vector<Id>& x) {
    for (size_t k = 0; k < x.size(); ++k)
      b_.local_store(arrays_[k], b_.integer(2 * level + which), x[k]);
  };
  const std::vector<Id> sum = combine_all(b_, l_.combine, at(0), result);
  if (level + 1 == levels_) {
    set(0, sum);
    return sum;
  }
  const std::vector<Id> before = combine_all(b_, l_.combine, at(1), sum);
  const auto run = [&] {
    set(1, end_run(level + 1, step, sum));
    set(0, identity_);
    return std::vector<Id>();
  };
  const auto between = [&] {
    set(0, sum);
    return std::vector<Id>();
  };
  branch(b_, is_last_of_run(level + 1, step), run, between);
  return before;
}

Id RowFold::is_last_of_run(int level, Id step) {
  int64_t terms = fold_order::run_terms;
  for (int k = 0; k < level; ++k) terms *= fold_order::run_terms;
  const Id last = b_.integer(terms - 1);
  return b_.pure(nest::Opcode::Eq, Kind::Mask,
                 {b_.pure(nest::Opcode::And, Kind::I64, {step, last}), last});
}

void RowFold::write(const std::function<std::vector<Id>(Id)>& term_at,
                    const std::function<void(const Elem&)>& store) {
  const size_t m = identity_.size();
  std::vector<Id> init = identity_;  // of sum and before
  if (levels_) init.insert(init.end(), identity_.begin(), identity_.end());
  std::vector<Kind> kinds = kinds_of(b_, init);
  kinds.insert(kinds.begin(), Kind::I64);
  const BlockId body = b_.open(kinds);
  const Id index = b_.param(body, 0);
  std::vector<Id> sum, before;
  for (size_t k = 0; k < init.size(); ++k)
    (k < m ? sum : before).push_back(b_.param(body, static_cast<int>(k) + 1));
  sum = combine_all(b_, l_.combine, sum, term_at(index));
  store(l_.results(levels_ ? combine_all(b_, l_.combine, before, sum) : sum)[0]);
  if (levels_) {
    const Id step = l_.reverse ? (I64v(n_ - 1) - I64v::at(index)).id : index;
    const auto run = [&] {
      std::vector<Id> next = identity_;
      const std::vector<Id> all = end_run(0, step, sum);
      next.insert(next.end(), all.begin(), all.end());
      return next;
    };
    const auto between = [&] {
      std::vector<Id> next = sum;
      next.insert(next.end(), before.begin(), before.end());
      return next;
    };
    sum = branch(b_, is_last_of_run(0, step), run, between);
  }
  b_.yield(sum);
  b_.leave();
  b_.loop(b_.integer(0), b_.integer(n_), l_.reverse ? -1 : 1, init, body);
}

}  // namespace

void RunningFolds::write_out(Frame& f, size_t i, int64_t n, int64_t rows) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  const int axis = static_cast<int>(l.axes[0]);
  const LaneType t = f.lane_type(e.out);
  OperandReader reader(elements_, f, e);
  std::vector<Elem> elems(static_cast<size_t>(n * rows));
  // The elements of a row have this distance.
  int64_t stride = 1;
  for (int a = axis + 1; a < t.shape().ndim(); ++a)
    if (t.grid_axis(a) < 0) stride *= t.shape()[a];
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<Id> sum = l.identity(b_);
    const int64_t first = row / stride * stride * n + row % stride;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = first + (l.reverse ? n - 1 - k : k) * stride;
      sum = combine_all(b_, l.combine, sum, terms_at(l, reader, space_.coords_at(t, at)));
      elems[static_cast<size_t>(at)] = l.results(sum)[0];
    }
  }
  f.location[e.out] = {.kind = ValueLocation::Kind::scalars, .elems = std::move(elems)};
}

void RunningFolds::write(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const Lowering& l = f.lowering(i);
  const int axis = static_cast<int>(l.axes[0]);
  const LaneType t = f.lane_type(e.out);
  const int64_t n = t.shape()[axis], all = t.inner_elements(), rows = n ? all / n : 0;
  if (f.kernel->small > small_elements && all <= f.kernel->small && is_short_running_fold(l) &&
      !f.is_stored_by_step(e.out) && !f.is_stored_in_array(e.out))
    return write_out(f, i, n, rows);
  const Elem array = outputs_.begin_steps(f, e.out);
  OperandReader reader(elements_, f, e);
  // Each row, numbered by the other inner axes, has one running fold.
  const auto write_row = [&](Id row) {
    Coords c = space_.coords_of_flat(t, row, axis);
    const auto term_at = [&](Id index) {
      c[axis] = index;
      return terms_at(l, reader, c);
    };
    RowFold fold(b_, l, n);
    fold.write(term_at, [&](const Elem& y) { outputs_.store_step(f, e.out, array, c, y); });
  };
  if (rows > f.kernel->small)
    sequential_loop(b_, rows, write_row);
  else
    for (int64_t row = 0; row < rows; ++row) write_row(I64v(row).id);
}

}  // namespace weft::compiler
