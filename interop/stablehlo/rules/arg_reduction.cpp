// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/arg_reduction.cpp: reductions of pairs that are argmax or argmin. The
// body is evaluated for each way in which two pairs can be ordered, so that its form does not
// matter.
#include "interop/stablehlo/rules/arg_reduction.h"

#include <algorithm>
#include <limits>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/rules/folds.h"
#include "tracer/concrete.h"
#include "weft/lax/reduce.h"

namespace weft::hlo {
namespace {

// How the values of two pairs are ordered.
enum class Order { less, equal, greater, left_nan, right_nan, both_nan };

// Evaluates a body of comparisons and selects for pairs of one order. The position of the left pair
// is smaller than that of the right pair, or the positions are equal.
class Choice {
 public:
  Choice(const Translator& t, const Block& b, Order order, bool same_place)
      : t_(t), b_(b), order_(order), same_place_(same_place) {}

  // Returns true if the body chooses the pair that precedes if larger (else smaller) values do.
  // NaNs precede all values. Among equal values, the first position is needed.
  bool is_first(bool larger) {
    for (const Op& op : b_.ops)
      if (&op != &b_.ops.back() && !step(op)) return false;
    const std::optional<int> value = known(b_.ops.back().operands[0]),
                             place = known(b_.ops.back().operands[1]);
    if (value != left_value && value != right_value) return false;
    if (place != left_place && place != right_place) return false;
    const Order better = larger ? Order::greater : Order::less;
    if (order_ == Order::equal || order_ == Order::both_nan)
      return place == left_place || same_place_;
    const bool left = order_ == better || order_ == Order::left_nan;
    return value == (left ? left_value : right_value) && place == (left ? left_place : right_place);
  }

 private:
  // A value of the body: one of its arguments, or a bool.
  enum { left_value, left_place, right_value, right_place, no, yes };

  std::optional<int> known(int32_t v) const {
    const int32_t arg = v - b_.first_arg;
    if (arg >= left_value && arg <= right_place) return arg;
    const auto it = std::ranges::find(made_, v, &std::pair<int32_t, int>::first);
    return it == made_.end() ? std::nullopt : std::optional(it->second);
  }

  // Returns the result of a comparison of two arguments.
  std::optional<bool> compared(int a, int b, const std::string& how) const {
    if (a > right_place || b > right_place || a % 2 != b % 2) return {};
    Order o = Order::equal;
    if (a % 2 == left_place) {
      if (a != b && !same_place_) o = a < b ? Order::less : Order::greater;
    } else {
      const bool left = order_ == Order::left_nan || order_ == Order::both_nan;
      const bool right = order_ == Order::right_nan || order_ == Order::both_nan;
      const auto nan = [&](int v) { return v == left_value ? left : right; };
      if (nan(a) || nan(b)) return how == "NE";
      if (a != b) o = order_;
      if (a > b && o != Order::equal) o = o == Order::less ? Order::greater : Order::less;
    }
    if (how == "EQ") return o == Order::equal;
    if (how == "NE") return o != Order::equal;
    if (how == "LT") return o == Order::less;
    if (how == "LE") return o != Order::greater;
    if (how == "GT") return o == Order::greater;
    if (how == "GE") return o != Order::less;
    return {};
  }

  // Evaluates an op. Returns false for any other op.
  bool step(const Op& op) {
    std::vector<int> x;
    for (int32_t v : op.operands) {
      const std::optional<int> k = known(v);
      if (!k) return false;
      x.push_back(*k);
    }
    const auto bools = [&](size_t n) {
      return x.size() == n && std::ranges::all_of(x, [](int k) { return k == no || k == yes; });
    };
    const auto made = [&](int k) {
      made_.emplace_back(op.first_result, k);
      return true;
    };
    if (op.out.size() != 1) return false;
    if (op.name == "stablehlo.compare" && x.size() == 2) {
      if (t_.word(op, "compare_type", "FLOAT") == "TOTALORDER") return false;
      const auto is = compared(x[0], x[1], t_.word(op, "comparison_direction"));
      return is && made(*is ? yes : no);
    }
    if (op.name == "stablehlo.and" && bools(2)) return made(std::min(x[0], x[1]));
    if (op.name == "stablehlo.or" && bools(2)) return made(std::max(x[0], x[1]));
    if (op.name == "stablehlo.not" && bools(1)) return made(x[0] == yes ? no : yes);
    if (op.name == "stablehlo.select" && x.size() == 3 && (x[0] == no || x[0] == yes))
      return made(x[x[0] == yes ? 1 : 2]);
    return false;
  }

  const Translator& t_;
  const Block& b_;
  Order order_;
  bool same_place_;
  std::vector<std::pair<int32_t, int>> made_;
};

bool chooses_first(const Translator& t, const Block& b, bool larger, bool nans) {
  constexpr size_t longest = 32;
  if (b.args.size() != 4 || b.ops.empty() || b.ops.size() > longest ||
      !b.ops.back().name.ends_with(".return") || b.ops.back().operands.size() != 2)
    return false;
  for (const Order o : {Order::less, Order::equal, Order::greater, Order::left_nan,
                        Order::right_nan, Order::both_nan})
    for (const bool same_place : {false, true})
      if ((nans || o < Order::left_nan) && !Choice(t, b, o, same_place).is_first(larger))
        return false;
  return true;
}

// Returns true if a value counts 0, 1, ... along an axis.
bool counts(const Translator& t, int32_t value, int64_t axis) {
  if (const Op* op = t.defining_op(value, "stablehlo.iota", 0))
    return t.integer(*op, "iota_dimension") == axis;
  const Op* op = t.defining_op(value, "stablehlo.broadcast_in_dim", 1);
  if (!op) return false;
  const std::vector<int64_t> axes = t.ints(*op, "broadcast_dimensions");
  const auto from = std::ranges::find(axes, axis) - axes.begin();
  const auto type = array_type(op->in[0]);
  return from < std::ssize(axes) && type && from < type->ndim() &&
         type->shape()[from] == t.result(*op).shape()[axis] && counts(t, op->operands[0], from);
}

// Returns true if the dtype has n different positions.
bool holds(DType d, int64_t n) {
  if (!is_integer(d)) return false;
  const int64_t bits = 8 * itemsize(d) - (is_signed(d) ? 1 : 0);
  return bits > 62 || n <= int64_t{1} << bits;
}

}  // namespace

// Along short axes, steps on whole arrays become part of the kernels around them. Folds were
// measured there, too: a clustering and hidden Markov models take .9 times as long, but tetris (10
// elements) 1.4 times and a tour (20) 1.9 times.
std::optional<Arrays> arg_reduction(Translator& t, const Op& op, const Arrays& x, int64_t axis) {
  constexpr int64_t longest_short = 64;
  const DType d = x[0].dtype();
  const int64_t n = x[0].shape()[axis];
  if (x.size() != 4 || n <= longest_short || !(is_bool(d) || is_integer(d) || is_floating(d)))
    return {};
  if (!holds(x[1].dtype(), n) || !counts(t, op.operands[1], axis)) return {};
  if (!concrete_or_null(x[3]) || !is_scalar_value(x[3], 0)) return {};
  const std::vector<Block>& blocks = t.only_region(op).blocks;
  for (const bool larger : {true, false}) {
    const std::string name = larger ? "stablehlo.maximum" : "stablehlo.minimum";
    if (blocks.size() != 1 || !is_neutral(x[2], name) ||
        !chooses_first(t, blocks[0], larger, is_floating(d)))
      continue;
    const auto place = larger ? lax::argmax : lax::argmin;
    return Arrays{fold_of(name, d).over_axes(x[0], {axis}), place(x[0], axis, x[1].dtype())};
  }
  return {};
}

}  // namespace weft::hlo
