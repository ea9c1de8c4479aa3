// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/scan_rows.cpp: finds the rows of a counted loop. An array is read by rows
// if each of its uses is a slice of row i in trip i (or of row n-1-i). A carry is a stack of
// results if it is written at that row and not read otherwise.
#include "interop/stablehlo/read/scan_rows.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/op.h"
#include "core/param.h"
#include "ops/control/control_flow.h"
#include "ops/structure/structure.h"
#include "tracer/replay.h"
#include "tracer/types_of.h"

namespace weft::hlo {
namespace {

size_t slot(int32_t i) { return static_cast<size_t>(i); }

// Programs compute the row in private functions of two or three ops. Calls of such short functions
// are inlined.
constexpr int64_t max_inlined = 8;

Jaxpr with_short_calls_inlined(const Jaxpr& j) {
  return rewrite(j, [](const Eqn& e, const Arrays& in) -> Arrays {
    if (e.op->name() == "jit")
      if (const auto body = param_field<Jaxpr>(e.params, "jaxpr");
          body && count_equations(*body) <= max_inlined)
        return eval_jaxpr(*body, in);
    return bind_op(*e.op, in, e.params);
  });
}

// ---- integers as functions of the trip number s

// factor * s + offset
struct Line {
  int64_t factor = 0, offset = 0;
  int64_t at(int64_t s) const { return factor * s + offset; }
  friend bool operator==(const Line&, const Line&) = default;
};

class Lines {
 public:
  Lines(const JaxprData& j, int32_t counter, const Counter& c)
      : j_(j), last_(c.trips - 1), line_(j.types.size()), truth_(j.types.size()) {
    const Line l{c.step, c.first};
    if (last_ >= most || !small(l)) return;
    line_[slot(counter)] = l;
    for (const Eqn& e : j.eqns)
      if (e.n_out == 1) note(e);
  }
  std::optional<Line> of(Atom a) const {
    if (!a.is_literal()) return line_[slot(a.index)];
    const Literal& l = j_.literals[slot(a.literal())];
    if (!is_integer(l.dtype)) return {};
    const int unused = 64 - 8 * itemsize(l.dtype);
    const auto up = static_cast<int64_t>(l.bits[0] << unused);
    if (!is_signed(l.dtype) && unused == 0 && up < 0) return {};
    const Line number{0, is_signed(l.dtype)
                             ? up >> unused
                             : static_cast<int64_t>(static_cast<uint64_t>(up) >> unused)};
    return small(number) ? std::optional(number) : std::nullopt;
  }

 private:
  // Indices of arrays are small. Larger numbers are not analyzed, so that nothing overflows.
  static constexpr int64_t most = int64_t{1} << 30;
  bool small(const Line& l) const {
    const auto within = [](int64_t n) { return n > -most && n < most; };
    return within(l.factor) && within(l.offset) && within(l.at(last_));
  }
  void note(const Eqn& e) {
    const auto out = slot(e.out);
    const std::string& op = e.op->name();
    if (j_.types[out].ndim() != 0) return;
    if (op == "lt") return note_truth(e);
    const auto a = e.in.empty() ? std::nullopt : of(e.in[0]);
    if (op == "select_n") {
      const auto pick = e.in[0].is_literal() ? std::nullopt : truth_[slot(e.in[0].index)];
      if (pick && e.in.size() == 3) line_[out] = of(e.in[*pick ? 2 : 1]);
      return;
    }
    if (!a) return;
    std::optional<Line> r;
    if (op == "convert_element_type") r = a;
    if (op == "add" || op == "sub") {
      const auto b = of(e.in[1]);
      if (!b) return;
      const int64_t sign = op == "add" ? 1 : -1;
      r = Line{a->factor + sign * b->factor, a->offset + sign * b->offset};
    }
    if (r && small(*r) && fits(*r, j_.types[out].dtype())) line_[out] = r;
  }
  // Returns true if the dtype can represent the numbers of all trips.
  bool fits(const Line& l, DType d) const {
    if (!is_integer(d)) return false;
    const int bits = 8 * itemsize(d);
    const int64_t least = std::min(l.at(0), l.at(last_)), largest = std::max(l.at(0), l.at(last_));
    if (!is_signed(d)) return least >= 0 && (bits >= 41 || largest < int64_t{1} << bits);
    return bits >= 42 ||
           (least >= -(int64_t{1} << (bits - 1)) && largest < int64_t{1} << (bits - 1));
  }
  void note_truth(const Eqn& e) {
    const auto a = of(e.in[0]), b = of(e.in[1]);
    if (!a || !b) return;
    const bool at_first = a->at(0) < b->at(0), at_last = a->at(last_) < b->at(last_);
    if (at_first == at_last) truth_[slot(e.out)] = at_first;
  }
  const JaxprData& j_;
  const int64_t last_;
  std::vector<std::optional<Line>> line_;
  std::vector<std::optional<bool>> truth_;
};

// ---- rows

class Rows {
 public:
  // The inputs of j are `consts` constants, followed by the carry.
  Rows(const Jaxpr& j, size_t consts, const Counter& c)
      : j_(*j),
        consts_(consts),
        trips_(c.trips),
        lines_(j_, static_cast<int32_t>(consts + c.carry), c),
        uses_(j_.types.size(), 0) {
    for (const Eqn& e : j_.eqns)
      for (Atom a : e.in)
        if (!a.is_literal()) ++uses_[slot(a.index)];
    for (Atom a : j_.out)
      if (!a.is_literal()) ++uses_[slot(a.index)];
    find(Line{1, 0});
    if (slices_.empty() && writes_.empty()) {
      reverse_ = true;
      find(Line{-1, trips_ - 1});
    }
  }
  bool reverse() const { return reverse_; }
  bool passes(size_t carry) const {
    const Atom a = j_.out[carry];
    return !a.is_literal() && slot(a.index) == consts_ + carry;
  }
  bool is_read(size_t input) const { return read_[input]; }
  bool is_written(size_t carry) const { return written_[carry]; }
  bool is_slice(const Eqn& e) const { return slices_.contains(&e); }
  bool is_write(const Eqn& e) const { return writes_.contains(&e); }

 private:
  using Eqns = std::set<const Eqn*>;

  void find(const Line& row) {
    read_.assign(slot(j_.n_in), false);
    written_.assign(j_.out.size(), false);
    // An input is read by rows if all its uses are slices. Passing a carry on unchanged is allowed
    // as one additional use.
    std::vector<int> sliced(slot(j_.n_in), 0);
    for (const Eqn& e : j_.eqns) {
      if (e.in.empty() || e.in[0].is_literal() || e.in[0].index >= j_.n_in) continue;
      if (e.op->name() == "dynamic_slice" && one_row(e, 1, row)) {
        ++sliced[slot(e.in[0].index)];
        slices_.insert(&e);
      }
      if (e.op->name() == "dynamic_update_slice" && one_row(e, 2, row)) note_write(e);
    }
    for (size_t i = 0; i < read_.size(); ++i) {
      const bool carry = i >= consts_, kept = carry && passes(i - consts_);
      read_[i] = sliced[i] > 0 && (!carry || kept) && uses_[i] == sliced[i] + (kept ? 1 : 0);
    }
    std::erase_if(slices_, [&](const Eqn* e) { return !read_[slot(e->in[0].index)]; });
  }
  void note_write(const Eqn& e) {
    const size_t in = slot(e.in[0].index);
    if (in < consts_ || uses_[in] != 1 || uses_[slot(e.out)] != 1) return;
    const Atom out = j_.out[in - consts_];
    if (out.is_literal() || out.index != e.out) return;
    written_[in - consts_] = true;
    writes_.insert(&e);
  }
  // Returns true if the window is one entire row of an array that has as many rows as the loop has
  // trips. The starts are the operands from `first` on.
  bool one_row(const Eqn& e, size_t first, const Line& row) const {
    const Shape& s = j_.type(e.in[0]).shape();
    if (param_field<int64_t>(e.params, "batch_dims") != 0 || s.ndim() == 0 || s[0] != trips_)
      return false;
    // Along an axis that the window covers completely, the start is clamped to 0, so its value does
    // not matter.
    const Shape window = first == 1 ? j_.types[slot(e.out)].shape() : j_.type(e.in[1]).shape();
    return window == s.with(0, 1) && lines_.of(e.in[first]) == row;
  }

  const JaxprData& j_;
  const size_t consts_;
  const int64_t trips_;
  const Lines lines_;
  std::vector<int> uses_;
  bool reverse_ = false;
  std::vector<bool> read_, written_;
  Eqns slices_, writes_;
};

}  // namespace

Arrays counted_scan(const ClosedJaxpr& body, const Arrays& init, const Counter& counter) {
  if (counter.trips == 0) return scan_flat(body, init, {}, 0);
  const Jaxpr j = with_short_calls_inlined(open_constants(body.jaxpr));
  const size_t nc = body.consts.size(), n = init.size();
  const Rows rows(j, nc, counter);
  // The source of each input of the body in the scan: constants, carry or rows.
  Arrays consts, carry, xs;
  std::vector<size_t> const_inputs, carry_inputs, row_inputs;
  for (size_t i = 0; i < nc + n; ++i) {
    const Array& from = i < nc ? body.consts[i] : init[i - nc];
    const bool fixed = i < nc || rows.passes(i - nc);
    if (i >= nc && rows.is_written(i - nc)) continue;
    (rows.is_read(i) ? xs : fixed ? consts : carry).push_back(from);
    (rows.is_read(i) ? row_inputs : fixed ? const_inputs : carry_inputs).push_back(i);
  }
  std::vector<size_t> inputs = const_inputs;
  inputs.insert(inputs.end(), carry_inputs.begin(), carry_inputs.end());
  inputs.insert(inputs.end(), row_inputs.begin(), row_inputs.end());
  Types types = types_of(consts);
  for (const Array& a : carry) types.push_back(a.type());
  for (const Array& a : xs) types.push_back(a.type().with_shape(a.shape().erased(0)));

  const ClosedJaxpr step = record(types, [&](const Arrays& x) {
    Arrays in(nc + n);
    for (size_t k = 0; k < inputs.size(); ++k) in[inputs[k]] = x[k];
    const Arrays all = replay(j, in, [&](const Eqn& e, const Arrays& v) -> Arrays {
      // In the scan, the operand of a slice is the row itself, and the result of a write is the row
      // that is written.
      if (rows.is_slice(e)) return {reshape_to(v[0], v[0].shape().inserted(0, 1))};
      if (rows.is_write(e)) return {reshape_to(v[1], v[1].shape().erased(0))};
      return bind_op(*e.op, v, e.params);
    });
    Arrays out;
    for (size_t i : carry_inputs) out.push_back(all[i - nc]);
    for (size_t t = 0; t < n; ++t)
      if (rows.is_written(t)) out.push_back(all[t]);
    return out;
  });
  const Arrays done = scan_flat({step.jaxpr, consts}, carry, xs, counter.trips, rows.reverse());
  Arrays out = init;
  size_t next = 0;
  for (size_t i : carry_inputs) out[i - nc] = done[next++];
  for (size_t t = 0; t < n; ++t)
    if (rows.is_written(t)) out[t] = done[next++];
  return out;
}

}  // namespace weft::hlo
