// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/loop_sums.cpp: finds the carries that are sums of products or of updates of
// zeros, and moves the sums after the loop.
#include "ops/control/rewrites/loop_sums.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "core/defining_eqns.h"
#include "ops/index/index.h"
#include "ops/kit/axes.h"
#include "ops/linear/product.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/replay.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

// The smallest sum (in elements) and the fewest steps for which the rewrite pays.
constexpr int64_t smallest_sum = 1024, fewest_steps = 8;
// The rows may take at most this many times the memory of the sum, or no more than the rows that
// the loop has.
constexpr int64_t max_rows = 8;

// A factor of a product: a variable of the body. For each of its axes, `axes` holds the axis of the
// product. The kth summed axis is `contracted - k`, and an axis of size 1 is `single`.
constexpr int64_t single = std::numeric_limits<int64_t>::max(), contracted = -1;
struct Factor {
  int32_t var;
  Ints axes;
};
// An equation that makes a product or an update of zeros, and the linear equations from it to the
// sum. Those equations are applied to the sum over all steps instead.
struct Term {
  size_t equation = no_equation;
  std::array<Factor, 2> factors = {};  // of a product
  std::vector<size_t> handed_on = {};
};
struct Sum {
  size_t carry;
  std::vector<Term> terms = {};
};

class Finder {
 public:
  Finder(const Arrays& x, const Scan& p)
      : p_(p),
        j_(*p.jaxpr),
        x_(body_op(p).operands(x)),
        defining_eqn_(defining_eqns(j_)),
        uses_(j_, 0),
        reader_(j_, no_equation),
        varies_(j_, false) {
    note_uses();
    for (size_t k = 0; k < x_.carry.size(); ++k)
      if (std::optional<Sum> s = sum_of(k); s && keep_rows(*s)) sums_.push_back(std::move(*s));
  }
  std::optional<LoopSums> moved() const;

 private:
  size_t first_carry() const { return x_.body_consts.size(); }
  size_t first_row() const { return first_carry() + x_.carry.size(); }
  const Type& type(int32_t v) const { return j_.types[v]; }
  Type type(Atom a) const { return j_.type(a); }
  void note_uses();
  std::optional<Sum> sum_of(size_t carry) const;
  std::optional<Term> term_of(Atom a) const;
  bool is_product(const Eqn& e) const;
  bool is_update(const Eqn& e) const;
  bool with_factors(Term& t) const;
  std::vector<int32_t> kept_of(const Term& t) const;
  bool is_zero(Atom a) const;
  std::array<Ints, 2> axes_of_factors(const Eqn& e) const;  // of a dot_general
  Factor source_of(Factor f) const;
  bool keep_rows(const Sum& s);
  std::vector<bool> leaving() const;
  Jaxpr body_left(const LoopValues<Array>& left) const;
  Array rows_of(int32_t v, const Arrays& left) const;
  Array product_of(const Term& t, const Arrays& left, const Ints& all) const;
  Array updated(const Term& t, const Arrays& left) const;
  Array over_steps(const Term& t, const Arrays& left) const;
  Arrays finished(const Arrays& left) const;

  const Scan p_;
  const JaxprData& j_;
  const LoopValues<Array> x_;
  const VarMap<size_t> defining_eqn_;
  VarMap<int> uses_;       // the number of equations and results that read the variable
  VarMap<size_t> reader_;  // an equation that reads it
  VarMap<bool> varies_;    // true if it differs between steps
  std::vector<Sum> sums_;
  std::vector<int32_t> stored_;  // factors that become rows, in the order of the new results
};

void Finder::note_uses() {
  std::fill(varies_.begin() + static_cast<std::ptrdiff_t>(first_carry()), varies_.begin() + j_.n_in,
            true);
  for (size_t i = 0; i < j_.eqns.size(); ++i) {
    const Eqn& e = j_.eqns[i];
    bool varies = false;
    for (Atom a : e.in) {
      if (a.is_literal()) continue;
      ++uses_[a];
      reader_[a] = i;
      varies = varies || varies_[a];
    }
    varies_.set_results(e, varies);
  }
  for (Atom a : j_.out)
    if (!a.is_literal()) ++uses_[a];
}

// Follows the carry through additions that nothing else reads, to the result that becomes its next
// value.
std::optional<Sum> Finder::sum_of(size_t carry) const {
  static const Op& add = *find_op("add");
  auto v = static_cast<int32_t>(first_carry() + carry);
  if (const Type& t = type(v);
      (t.dtype() != F32 && t.dtype() != F64) || t.weak() || t.elements() < smallest_sum)
    return {};
  Sum s{carry};
  for (;;) {
    if (uses_[v] != 1) return {};
    if (j_.out[carry] == Atom{v}) break;
    const size_t i = reader_[v];
    if (i == no_equation || j_.eqns[i].op != &add) return {};
    const Eqn& e = j_.eqns[i];
    std::optional<Term> t = term_of(e.in[e.in[0] == Atom{v} ? 1 : 0]);
    if (!t) return {};
    s.terms.push_back(std::move(*t));
    v = e.out;
  }
  if (s.terms.empty()) return {};
  return s;
}

std::optional<Term> Finder::term_of(Atom a) const {
  static const Op &add = *find_op("add"), &transpose = *find_op("transpose"),
                  &pad = *find_op("pad");
  Term t;
  for (;;) {
    const size_t i = defining_eqn_.get(a, no_equation);
    if (i == no_equation) return {};
    const Eqn& e = j_.eqns[i];
    t.equation = i;
    if (is_update(e)) return t;
    if (is_product(e)) return with_factors(t) ? std::optional(t) : std::nullopt;
    if (e.op == &add && (is_zero(e.in[0]) || is_zero(e.in[1]))) {
      a = e.in[is_zero(e.in[0]) ? 1 : 0];
      continue;
    }
    if (!e.op->forwards_operand() && e.op != &transpose && !(e.op == &pad && is_zero(e.in[1])))
      return {};
    t.handed_on.insert(t.handed_on.begin(), i);
    a = e.in[0];
  }
}

bool Finder::is_product(const Eqn& e) const {
  static const Op &dot = *find_op("dot_general"), &mul = *find_op("mul"), &fma = *find_op("fma");
  return e.op == &dot || e.op == &mul || (e.op == &fma && is_zero(e.in[2]));
}
// Returns true if the equation adds values to some elements of zeros.
bool Finder::is_update(const Eqn& e) const {
  if (e.in.size() < 2 || e.in[1].is_literal()) return false;
  static const Op &window = *find_op("dynamic_update_slice"), &scatter = *find_op("scatter");
  if (e.op == &window) return is_zero(e.in[0]);
  return e.op == &scatter && is_zero(e.in[0]) && !e.in[2].is_literal() &&
         param_field<int64_t>(e.params, "update").value() == static_cast<int64_t>(Update::add);
}

// Finds the factors of a product. Returns false if one product over all steps does not give the
// sum.
bool Finder::with_factors(Term& t) const {
  static const Op& dot = *find_op("dot_general");
  const Eqn& e = j_.eqns[t.equation];
  std::array<Ints, 2> axes;
  const int64_t rank = type(e.out).ndim();
  if (e.op == &dot) {
    axes = axes_of_factors(e);
  } else {
    // A scalar applies to all elements of the array.
    for (size_t k = 0; k < 2; ++k)
      if (type(e.in[k]).ndim() == rank) axes[k] = axis_range(rank);
  }
  for (size_t k = 0; k < 2; ++k) {
    if (e.in[k].is_literal()) return false;
    t.factors[k] = source_of({e.in[k].index, axes[k]});
    // A factor that is the same in all steps should multiply the sum of the other factor; this is
    // not done here.
    if (!varies_[t.factors[k].var]) return false;
  }
  return true;
}

// The values of each step that the sum needs.
std::vector<int32_t> Finder::kept_of(const Term& t) const {
  const Eqn& e = j_.eqns[t.equation];
  if (is_product(e)) return {t.factors[0].var, t.factors[1].var};
  std::vector<int32_t> r;
  for (size_t i = 1; i < e.in.size(); ++i)
    if (!e.in[i].is_literal()) r.push_back(e.in[i].index);
  return r;
}

bool Finder::is_zero(Atom a) const {
  static const Op& repeat = *find_op("broadcast_in_dim");
  while (!a.is_literal()) {
    const size_t i = defining_eqn_[a];
    if (i == no_equation || j_.eqns[i].op != &repeat) return false;
    a = j_.eqns[i].in[0];
  }
  return is_scalar_value(literal_array(j_.literals[a.literal()]), 0);
}

std::array<Ints, 2> Finder::axes_of_factors(const Eqn& e) const {
  const auto field = [&](const char* name) { return param_field<Ints>(e.params, name).value(); };
  return axes_in_product(
      {type(e.in[0]).ndim(), type(e.in[1]).ndim()},
      {field("lhs_contract"), field("rhs_contract"), field("lhs_batch"), field("rhs_batch")});
}

// Follows transposes, broadcasts and reshapes that only add or drop axes of size 1, back to the
// variable from which the factor is made.
Factor Finder::source_of(Factor f) const {
  static const Op &repeat = *find_op("broadcast_in_dim"), &transpose = *find_op("transpose"),
                  &reshape = *find_op("reshape"), &squeeze = *find_op("squeeze");
  for (;;) {
    const Shape& shape = type(f.var).shape();
    for (size_t i = 0; i < f.axes.size(); ++i)
      if (shape[static_cast<int64_t>(i)] == 1 && f.axes[i] > contracted) f.axes[i] = single;
    const size_t made = defining_eqn_[f.var];
    if (made == no_equation || j_.eqns[made].in[0].is_literal()) return f;
    const Eqn& e = j_.eqns[made];
    const Shape& before = type(e.in[0]).shape();
    Ints axes(before.size(), single);
    if (e.op == &transpose) {
      const Ints order = param_field<Ints>(e.params, "permutation").value();
      for (size_t i = 0; i < order.size(); ++i) axes[order[i]] = f.axes[i];
    } else if (e.op == &repeat) {
      const Ints at = param_field<Ints>(e.params, "broadcast_dimensions").value();
      for (size_t i = 0; i < at.size(); ++i)
        if (before[static_cast<int64_t>(i)] != 1 || shape[at[i]] == 1) axes[i] = f.axes[at[i]];
      // All terms of a sum must remain.
      for (int64_t a : f.axes)
        if (a <= contracted && !holds(axes, a)) return f;
    } else if (e.op == &reshape || e.op == &squeeze) {
      std::vector<size_t> here, there;
      for (size_t i = 0; i < f.axes.size(); ++i)
        if (shape[static_cast<int64_t>(i)] != 1)
          here.push_back(i);
        else if (f.axes[i] <= contracted)
          return f;
      for (size_t i = 0; i < axes.size(); ++i)
        if (before[static_cast<int64_t>(i)] != 1) there.push_back(i);
      if (here.size() != there.size()) return f;
      for (size_t i = 0; i < here.size(); ++i) {
        if (shape[static_cast<int64_t>(here[i])] != before[static_cast<int64_t>(there[i])])
          return f;
        axes[there[i]] = f.axes[here[i]];
      }
    } else {
      return f;
    }
    f = {e.in[0].index, axes};
  }
}

// Returns true if it pays to keep the factors, and then adds them to `stored_`.
bool Finder::keep_rows(const Sum& s) {
  const int64_t of_sum = type(static_cast<int32_t>(first_carry() + s.carry)).elements();
  int64_t of_rows = 0;
  std::vector<int32_t> more;
  for (const Term& t : s.terms) {
    for (int32_t f : kept_of(t)) {
      const auto has = [f](const std::vector<int32_t>& v) {
        return std::find(v.begin(), v.end(), f) != v.end();
      };
      const bool is_row = defining_eqn_[f] == no_equation && static_cast<size_t>(f) >= first_row();
      if (is_row || has(stored_) || has(more)) continue;
      more.push_back(f);
      of_rows += type(f).elements();
    }
  }
  int64_t of_loop = 0;  // rows that the loop has in any case
  for (size_t i = first_row(); i < static_cast<size_t>(j_.n_in); ++i)
    of_loop += j_.types[i].elements();
  if (2 * of_rows > of_sum) return false;
  if (of_rows > of_loop && p_.length > max_rows * of_sum / std::max<int64_t>(of_rows, 1))
    return false;
  stored_.insert(stored_.end(), more.begin(), more.end());
  return true;
}

// Returns true for each carry that is moved after the loop.
std::vector<bool> Finder::leaving() const {
  std::vector<bool> r(x_.carry.size(), false);
  for (const Sum& s : sums_) r[s.carry] = true;
  return r;
}

// The body of the remaining loop, on these operands, with the factors as additional results.
Jaxpr Finder::body_left(const LoopValues<Array>& left) const {
  const std::vector<bool> gone = leaving();
  const Jaxpr whole = program(body_op(p_).takes(left), [&](const Arrays& a) {
    LoopValues<Array> g = by_role(a, ranges_of(left));
    Arrays zeros;
    for (const Sum& s : sums_) zeros.push_back(base::zeros(x_.carry[s.carry].type()));
    g.carry = merge_lists(gone, zeros, g.carry);
    std::map<int32_t, Array> known;
    const Arrays all = in_order(g);
    for (size_t i = 0; i < all.size(); ++i) known[static_cast<int32_t>(i)] = all[i];
    const Arrays out = replay(p_.jaxpr, all, [&](const Eqn& e, const Arrays& operands) {
      Arrays r = bind_equation(e, operands, e.params);
      for (size_t k = 0; k < r.size(); ++k)
        if (const int32_t v = e.out + static_cast<int32_t>(k);
            std::find(stored_.begin(), stored_.end(), v) != stored_.end())
          known[v] = r[k];
      return r;
    });
    Arrays results = filter_list(sublist(out, 0, gone.size()), gone, false);
    append(results, drop_first(out, gone.size()));
    for (int32_t v : stored_) results.push_back(known.at(v));
    return results;
  });
  return dce(whole);
}

// The values of variable v in all steps, from the results of the remaining loop.
Array Finder::rows_of(int32_t v, const Arrays& left) const {
  const auto at = std::find(stored_.begin(), stored_.end(), v) - stored_.begin();
  return at < std::ssize(stored_) ? left[left.size() - stored_.size() + static_cast<size_t>(at)]
                                  : x_.xs[static_cast<size_t>(v) - first_row()];
}

// The sum of a product over all steps, with the axes of the product in this order.
Array Finder::product_of(const Term& t, const Arrays& left, const Ints& all) const {
  const Eqn& e = j_.eqns[t.equation];
  // sizes: of all axes; order, places: axes that a factor has, and their positions
  Ints sizes, order, places;
  for (int64_t a : all) {
    if (holds(t.factors[0].axes, a) || holds(t.factors[1].axes, a)) {
      order.push_back(a);
      places.push_back(std::ssize(sizes));
    }
    sizes.push_back(type(e.out).shape()[a]);
  }

  std::array<Array, 2> rows;
  std::array<Ints, 2> axes;  // axes of the rows, without the first axis and axes of size 1
  for (size_t k = 0; k < 2; ++k) {
    rows[k] = rows_of(t.factors[k].var, left);
    axes[k] = t.factors[k].axes;
    Ints kept = {rows[k].shape()[0]};
    for (size_t i = 0; i < axes[k].size(); ++i)
      if (axes[k][i] != single) kept.push_back(rows[k].shape()[static_cast<int64_t>(i) + 1]);
    std::erase(axes[k], single);
    rows[k] = reshape_to(rows[k], Shape(kept));
  }
  Ints batch, summed, own[2];
  for (int64_t a : order)
    if (holds(axes[0], a) && holds(axes[1], a)) batch.push_back(a);
  for (size_t k = 0; k < 2; ++k)
    for (int64_t a : axes[k])
      if (!holds(batch, a)) (a <= contracted ? summed : own[k]).push_back(a);
  std::sort(summed.begin(), summed.end());
  summed.erase(std::unique(summed.begin(), summed.end()), summed.end());
  // The lhs is the factor whose own axes come first in the sum.
  const size_t l = concat_lists(concat_lists(batch, own[1]), own[0]) == order ? 1 : 0, r = 1 - l;
  const auto positions = [&](size_t k, const Ints& of, Ints start) {
    for (int64_t a : of)
      start.push_back(std::find(axes[k].begin(), axes[k].end(), a) - axes[k].begin() + 1);
    return start;
  };
  const lax::DotDims dims{positions(l, summed, {0}), positions(r, summed, {0}),
                          positions(l, batch, {}), positions(r, batch, {})};
  const auto precision = param_field<int64_t>(e.params, "precision");
  Array y = lax::dot_general(rows[l], rows[r], dims, type(e.out).dtype(),
                             static_cast<lax::Precision>(precision.value_or(0)));
  const Ints got = concat_lists(concat_lists(batch, own[l]), own[r]);
  Ints permutation;
  for (int64_t a : order) permutation.push_back(std::find(got.begin(), got.end(), a) - got.begin());
  if (!std::is_sorted(permutation.begin(), permutation.end())) y = transpose_axes(y, permutation);
  return broadcast_in_dim(y, Shape(sizes), places);
}

// Zeros, with the updates of all steps added.
Array Finder::updated(const Term& t, const Arrays& left) const {
  static const Op& scatter = *find_op("scatter");
  const Eqn& e = j_.eqns[t.equation];
  const Array zeros = base::zeros(type(e.out)), updates = rows_of(e.in[1].index, left);
  const auto further = [](Ints axes) {  // shifted past the axis of steps
    for (int64_t& a : axes) ++a;
    return axes;
  };
  if (e.op == &scatter) {
    const auto field = [&](const char* name) { return param_field<Ints>(e.params, name).value(); };
    const auto mode = static_cast<OutOfBounds>(param_field<int64_t>(e.params, "mode").value());
    return scatter_windows(zeros, rows_of(e.in[2].index, left), updates,
                           {further(field("update_window_dims")), field("inserted_window_dims"),
                            field("scatter_dims_to_operand_dims"), field("operand_batching_dims"),
                            further(field("scatter_indices_batching_dims"))},
                           Update::add, mode);
  }
  // Each lane is updated on its own, if there are lanes. Indices are needed only along axes that
  // the window does not fill.
  const int64_t lanes = param_field<int64_t>(e.params, "batch_dims").value();
  Ints shape = sublist(updates.shape().sizes(), 0, static_cast<size_t>(lanes) + 1), moved;
  shape.push_back(1);
  for (int64_t a = lanes; a < zeros.ndim(); ++a)
    if (updates.shape()[a + 1] != zeros.shape()[a]) moved.push_back(a);
  if (moved.empty()) return base::reduce_sum(updates, {0});
  const bool narrow =
      std::all_of(e.in.begin() + 2, e.in.end(), [&](Atom i) { return type(i).dtype() == I32; });
  Arrays starts;
  for (int64_t a : moved) {
    const Atom i = e.in[a - lanes + 2];
    const Array start =
        i.is_literal() ? literal_array(j_.literals[i.literal()]) : rows_of(i.index, left);
    starts.push_back(broadcast_in_dim(base::convert(start, narrow ? I32 : I64), Shape(shape),
                                      axis_range(start.ndim())));
  }
  const Ints of_lanes = axis_range(lanes);
  return scatter_windows(
      zeros, concatenate_arrays(starts, lanes + 1), updates,
      {further(axis_range(lanes, zeros.ndim())), {}, moved, of_lanes, further(of_lanes)},
      Update::add, OutOfBounds::clip);
}

Array Finder::over_steps(const Term& t, const Arrays& left) const {
  const Eqn& e = j_.eqns[t.equation];
  size_t next = 0;
  Array y;
  if (is_product(e)) {
    // A transpose only changes the order of the axes.
    Ints order = axis_range(type(e.out).ndim());
    if (!t.handed_on.empty())
      if (const auto p = param_field<Ints>(j_.eqns[t.handed_on[0]].params, "permutation"))
        order = *p, next = 1;
    y = product_of(t, left, order);
  } else {
    y = updated(t, left);
  }
  for (size_t i = next; i < t.handed_on.size(); ++i) {
    const Eqn& after = j_.eqns[t.handed_on[i]];
    Arrays in = {y};
    if (after.in.size() > 1) in.push_back(base::zeros(type(after.in[1])));  // for pad
    y = bind_equation(after, in, after.params)[0];
  }
  return y;
}

// left: remaining carries, results of steps, factors.
Arrays Finder::finished(const Arrays& left) const {
  const size_t n = x_.carry.size() - sums_.size(), factors = left.size() - stored_.size();
  Arrays totals;
  for (const Sum& s : sums_) {
    Array total = x_.carry[s.carry];
    for (const Term& t : s.terms) total = lax::add(total, over_steps(t, left));
    totals.push_back(total);
  }
  return concat_lists(merge_lists(leaving(), totals, sublist(left, 0, n)),
                      sublist(left, n, factors - n));
}

std::optional<LoopSums> Finder::moved() const {
  if (sums_.empty()) return {};
  LoopValues<Array> x = x_;
  x.carry = filter_list(x.carry, leaving(), false);
  Scan p = p_;
  p.jaxpr = body_left(x);
  p.num_carry = std::ssize(x.carry);
  p.lane_axes = {};
  return LoopSums{in_order(x), p,
                  [found = *this](const Arrays& left) { return found.finished(left); }};
}

}  // namespace

std::optional<LoopSums> sums_behind(const Arrays& x, const Scan& p) {
  if (p.trip_counts || p.length < fewest_steps) return {};
  return Finder(x, p).moved();
}

}  // namespace weft
