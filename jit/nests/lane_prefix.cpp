// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_prefix.cpp: running folds (prefix results) inside the lane, in the order of
// core/loops/fold_order.h.
#include "core/loops/fold_order.h"
#include "jit/nests/lane_writer.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using nest::BlockId, nest::Id, nest::Kind;

// The state of a running fold in the order of core/loops/fold_order.h. The loop over the terms
// carries `sum`, the fold of this run, and `before`, the fold of all earlier runs. Results of runs
// are terms of the level above. Its state is in local arrays and changes only where a run ends.
struct LaneWriter::PrefixState {
  const std::vector<nest::Combine>& combine;
  std::vector<Id> identity;
  std::vector<Id> arrays = {};  // by component: sum and before of each level above
  int levels = 0;               // levels above that of the terms
};

LaneWriter::PrefixState LaneWriter::begin_prefix(const Lowering& l, int64_t n) {
  PrefixState r{l.combine, l.identity(b_)};
  bool rounds = false;
  for (size_t k = 0; k < l.combine.size(); ++k) {
    const Kind kind = b_.kind(r.identity[k]);
    rounds = rounds || ((kind == Kind::F32 || kind == Kind::F64) &&
                        (l.combine[k] == nest::Combine::Add || l.combine[k] == nest::Combine::Mul));
  }
  // Without rounding, a single level gives the same bits.
  if (!rounds) return r;
  for (int64_t runs = n; runs > fold_order::run_terms; runs /= fold_order::run_terms) ++r.levels;
  if (r.levels == 0) return r;
  for (Id id : r.identity) {
    r.arrays.push_back(b_.local(b_.kind(id), 2 * r.levels));
    for (int k = 0; k < 2 * r.levels; ++k) b_.local_store(r.arrays.back(), b_.integer(k), id);
  }
  return r;
}

// Ends the run of `level` whose last term is number `step` of the fold, with `result`. Returns the
// fold of everything before the next run.
std::vector<Id> LaneWriter::end_run(const PrefixState& r, int level, Id step,
                                    const std::vector<Id>& result) {
  const auto at = [&](int which) {
    std::vector<Id> x;
    for (Id array : r.arrays) x.push_back(b_.local_load(array, b_.integer(2 * level + which)));
    return x;
  };
  const auto set = [&](int which, const std::vector<Id>& x) {
    for (size_t k = 0; k < x.size(); ++k)
      b_.local_store(r.arrays[k], b_.integer(2 * level + which), x[k]);
  };
  const std::vector<Id> sum = combine_all(b_, r.combine, at(0), result);
  if (level + 1 == r.levels) {
    set(0, sum);
    return sum;
  }
  const std::vector<Id> before = combine_all(b_, r.combine, at(1), sum);
  const auto run = [&] {
    set(1, end_run(r, level + 1, step, sum));
    set(0, r.identity);
    return std::vector<Id>();
  };
  const auto between = [&] {
    set(0, sum);
    return std::vector<Id>();
  };
  branch(is_last_of_run(level + 1, step), run, between);
  return before;
}

Id LaneWriter::is_last_of_run(int level, Id step) {
  int64_t terms = fold_order::run_terms;
  for (int k = 0; k < level; ++k) terms *= fold_order::run_terms;
  const Id last = b_.integer(terms - 1);
  return b_.pure(nest::Opcode::Eq, Kind::Mask,
                 {b_.pure(nest::Opcode::And, Kind::I64, {step, last}), last});
}

// Writes the running fold of the terms at all indices. `store` receives each result directly after
// its term.
void LaneWriter::write_prefix(const Lowering& l, int64_t n,
                              const std::function<std::vector<Id>(Id)>& term_at,
                              const std::function<void(const Elem&)>& store) {
  const PrefixState r = begin_prefix(l, n);
  const size_t m = r.identity.size();
  std::vector<Id> init = r.identity;  // of sum and before
  if (r.levels) init.insert(init.end(), r.identity.begin(), r.identity.end());
  std::vector<Kind> kinds = kinds_of(b_, init);
  kinds.insert(kinds.begin(), Kind::I64);
  const BlockId body = b_.open(kinds);
  const Id index = b_.param(body, 0);
  std::vector<Id> sum, before;
  for (size_t k = 0; k < init.size(); ++k)
    (k < m ? sum : before).push_back(b_.param(body, static_cast<int>(k) + 1));
  sum = combine_all(b_, l.combine, sum, term_at(index));
  store(l.results(r.levels ? combine_all(b_, l.combine, before, sum) : sum)[0]);
  if (r.levels) {
    const Id step = l.reverse ? (I64v(n - 1) - I64v::at(index)).id : index;
    const auto run = [&] {
      std::vector<Id> next = r.identity;
      const std::vector<Id> all = end_run(r, 0, step, sum);
      next.insert(next.end(), all.begin(), all.end());
      return next;
    };
    const auto between = [&] {
      std::vector<Id> next = sum;
      next.insert(next.end(), before.begin(), before.end());
      return next;
    };
    sum = branch(is_last_of_run(0, step), run, between);
  }
  b_.yield(sum);
  b_.leave();
  b_.loop(b_.integer(0), b_.integer(n), l.reverse ? -1 : 1, init, body);
}

void LaneWriter::emit_prefix(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  const int axis = static_cast<int>(l.axes[0]);
  const Type& t = f.type(e.out);
  const int64_t n = t.shape()[axis], all = inner_elements(f, e.out), rows = n ? all / n : 0;
  const Elem array = is_stored_by_step(f, e.out) ? Elem{} : new_local(f, e.out);
  EqnReader reader(*this, f, e);
  // Each row, numbered by the other inner axes, has one running fold.
  const auto write_row = [&](Id row) {
    Coords c = coords_of_flat(f, e.out, row, axis);
    const auto term_at = [&](Id index) {
      c[axis] = index;
      return terms_at(l, reader, c);
    };
    write_prefix(l, n, term_at, [&](const Elem& y) { store_inner(f, e.out, array, c, y); });
  };
  if (rows > small_)
    sequential_loop(rows, write_row);
  else
    for (int64_t row = 0; row < rows; ++row) write_row(I64v(row).id);
  const auto kind =
      is_stored_by_step(f, e.out) ? ValueLocation::Kind::unset : ValueLocation::Kind::local;
  f.location[e.out] = {.kind = kind, .local = array};
}

}  // namespace weft::compiler
