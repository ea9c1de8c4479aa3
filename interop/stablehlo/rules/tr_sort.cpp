// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_sort.cpp: the rules of sorting. A comparator is recognized as a list
// of keys if it compares operands one after another. The operands may pass through the selects that
// make zeros and NaNs equal. Any other comparator is executed.
#include <algorithm>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/translate.h"
#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/index/sort.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft::hlo {
namespace {

enum class Part { all, real, imag };

struct Key {
  int64_t operand = 0;
  Part part = Part::all;
  bool descending = false;
  friend bool operator==(const Key&, const Key&) = default;
};
using Keys = std::vector<Key>;

// The limit of selects around an argument. Each one is visited three times, so more would take too
// long.
constexpr int max_selects = 6;

class Comparator {
 public:
  Comparator(const Translator& t, const Region& r) : t_(t), b_(r.blocks[0]) {}

  std::optional<Keys> keys() const {
    if (b_.ops.empty() || !b_.ops.back().name.ends_with(".return") ||
        b_.ops.back().operands.size() != 1)
      return {};
    auto keys = less(b_.ops.back().operands[0], 0);
    if (!keys) return {};
    // The real part followed by the imaginary part is the order of complex numbers.
    Keys out;
    for (size_t i = 0; i < keys->size(); ++i) {
      Key k = (*keys)[i];
      if (k.part != Part::all) {
        const bool pair = k.part == Part::real && i + 1 < keys->size() &&
                          (*keys)[i + 1] == Key{k.operand, Part::imag, k.descending};
        if (!pair) return {};
        k.part = Part::all;
        ++i;
      }
      out.push_back(k);
    }
    return out;
  }

 private:
  // An argument of the comparator, or a part of it, after the selects that make all zeros equal and
  // all NaNs equal.
  struct Term {
    int64_t arg = -1;
    Part part = Part::all;
    bool zeros = false, nans = false;
  };
  std::optional<double> number(int32_t v) const {
    const Op* op = t_.defining_op(v, "stablehlo.constant", 0);
    const Attr* a = op ? op->attr("value") : nullptr;
    if (!a || !a->dense || !a->dense->known || !a->dense->type->dims.empty()) return {};
    // Only floats matter: no select of the recognized form compares with an integer.
    const Dense& d = *a->dense;
    if (!is_floating(d.dtype)) return {};
    return float_at(d.bytes.data(), d.dtype);
  }

  std::optional<Term> term(int32_t v, int depth) const {
    if (depth > max_selects) return {};
    const int64_t arg = v - b_.first_arg;
    if (arg >= 0 && arg < static_cast<int64_t>(b_.args.size())) return Term{arg};
    for (const auto& [name, part] :
         {std::pair{"stablehlo.real", Part::real}, std::pair{"stablehlo.imag", Part::imag}})
      if (const Op* op = t_.defining_op(v, name, 1)) {
        auto t = term(op->operands[0], depth + 1);
        if (!t || t->part != Part::all) return {};
        t->part = part;
        return t;
      }
    const Op* select = t_.defining_op(v, "stablehlo.select", 3);
    if (!select) return {};
    auto inner = term(select->operands[2], depth + 1);
    const Op* test = t_.defining_op(select->operands[0], "stablehlo.compare", 2);
    const auto value = number(select->operands[1]);
    if (!inner || !test || !value) return {};
    const auto left = term(test->operands[0], depth + 1);
    if (!left || left->arg != inner->arg || left->part != inner->part) return {};
    const std::string how = t_.word(*test, "comparison_direction");
    if (how == "EQ" && *value == 0 && number(test->operands[1]) == 0.0) {
      inner->zeros = true;
      return inner;
    }
    const auto right = term(test->operands[1], depth + 1);
    if (how == "NE" && *value != *value && right && right->arg == left->arg &&
        right->part == left->part) {
      inner->nans = true;
      return inner;
    }
    return {};
  }

  // Returns the key that a comparison uses. `how` is "LT", "GT" or "EQ".
  std::optional<Key> compared(int32_t v, std::string_view how) const {
    const Op* op = t_.defining_op(v, "stablehlo.compare", 2);
    if (!op) return {};
    std::string is = t_.word(*op, "comparison_direction");
    auto a = term(op->operands[0], 0), b = term(op->operands[1], 0);
    if (!a || !b || a->part != b->part) return {};
    if (a->arg == b->arg + 1) {
      std::swap(a, b);
      if (is == "LT" || is == "GT") is = is == "LT" ? "GT" : "LT";
    }
    if (b->arg != a->arg + 1 || a->arg % 2 != 0) return {};
    // The total order compares bits, unless the selects have made zeros and NaNs equal.
    const bool total = t_.word(*op, "compare_type", "FLOAT") == "TOTALORDER";
    const auto d = array_type(op->in[0]);
    if (total && d && is_floating(d->dtype()) && !(a->zeros && b->zeros && a->nans && b->nans))
      return {};
    if (how == "EQ" ? is != "EQ" : is != "LT" && is != "GT") return {};
    return Key{a->arg / 2, a->part, is == "GT"};
  }

  // less = lt(k0) | less(k0) or (eq(k0) and less(rest)) | eq(k0) ? less(rest) : lt(k0)
  std::optional<Keys> less(int32_t v, int depth) const {
    if (const auto k = compared(v, "LT")) return Keys{*k};
    if (depth > 64) return {};
    if (const Op* op = t_.defining_op(v, "stablehlo.or", 2))
      for (size_t side : {0, 1}) {
        const auto first = compared(op->operands[side], "LT");
        const Op* both = t_.defining_op(op->operands[1 - side], "stablehlo.and", 2);
        if (!first || !both) continue;
        for (size_t s : {0, 1})
          if (auto keys = chained(*first, both->operands[s], both->operands[1 - s], depth))
            return keys;
      }
    if (const Op* op = t_.defining_op(v, "stablehlo.select", 3))
      if (const auto first = compared(op->operands[2], "LT"))
        return chained(*first, op->operands[0], op->operands[1], depth);
    return {};
  }
  std::optional<Keys> chained(const Key& first, int32_t equal, int32_t rest, int depth) const {
    const auto same = compared(equal, "EQ");
    if (!same || same->operand != first.operand || same->part != first.part) return {};
    auto keys = less(rest, depth + 1);
    if (keys) keys->insert(keys->begin(), first);
    return keys;
  }

  const Translator& t_;
  const Block& b_;
};

// True where the elements `these` precede `those`, for any comparator. If it returns the same for
// both orders, the elements keep their order. `earlier` is true where `these` were first.
Array in_front(Translator& t, const Op& op, const Arrays& these, const Arrays& those,
               const Array& earlier) {
  Arrays forward, backward;
  for (size_t i = 0; i < these.size(); ++i) {
    forward.insert(forward.end(), {these[i], those[i]});
    backward.insert(backward.end(), {those[i], these[i]});
  }
  const Array first = t.run_on_arrays(op, op.regions[0], forward, 1)[0];
  const Array second = t.run_on_arrays(op, op.regions[0], backward, 1)[0];
  if (first.dtype() != Bool) t.fail(op, "the comparator of 'sort' returns a tensor<i1>");
  return lax::select(lax::eq(first, second), earlier, first);
}

// The new position of an element is the number of elements that precede it. All pairs are compared,
// so this is used only for short rows.
constexpr int64_t max_pairs = int64_t{1} << 24;
Arrays sort_by_places(Translator& t, const Op& op, const Arrays& x, int axis) {
  const int64_t n = x[0].shape()[axis];
  const int last = static_cast<int>(x[0].ndim());
  Arrays own, others;  // others run along the last axis
  for (const Array& a : x) {
    own.push_back(base::insert_axis(a, last, n));
    others.push_back(base::insert_axis(base::move_axis(a, axis, last - 1), axis, n));
  }
  const Shape shape = x[0].shape().inserted(last, n);
  const Array earlier = lax::lt(iota(I32, shape, last), iota(I32, shape, axis));
  const Array ahead = in_front(t, op, others, own, earlier);
  const Array place = lax::reduce_sum(lax::convert_element_type(ahead, I32), {last});
  Arrays keyed = x;
  keyed.insert(keyed.begin(), place);
  Arrays out = sort_arrays(keyed, axis);
  out.erase(out.begin());
  return out;
}

// Sorts by a bitonic network (Batcher, 1968). In each step an element is compared with the one
// whose position differs in one bit. Rows are padded to a power of two. The original position is
// kept as a last array: it identifies the padding and makes the order total.
Arrays sort_by_network(Translator& t, const Op& op, const Arrays& x, int axis) {
  const int64_t n = x[0].shape()[axis];
  const int last = static_cast<int>(x[0].ndim()) - 1;
  if (n > int64_t{1} << 40) t.missing(op, "by this comparator of rows longer than 2^40");
  int64_t wide = 1;
  while (wide < n) wide *= 2;
  std::vector<int64_t> high(x[0].shape().size(), 0), none = high;
  high.back() = wide - n;
  Arrays rows;
  for (const Array& a : x)
    rows.push_back(pad_with(base::move_axis(a, axis, last), base::zeros(Type(a.dtype(), Shape{})),
                            none, high, none));
  const Shape shape = rows[0].shape();
  const DType count = wide > (int64_t{1} << 30) ? I64 : I32;
  rows.push_back(iota(count, shape, last));
  std::vector<int64_t> runs, bits;
  for (int64_t run = 2; run <= wide; run *= 2)
    for (int64_t bit = run / 2; bit > 0; bit /= 2) {
      runs.push_back(run);
      bits.push_back(bit);
    }
  Types carry = types_of(rows);
  carry.insert(carry.end(), 2, Type(count, Shape{}));
  const auto everywhere = [&](const Array& a) { return broadcast_in_dim(a, shape, {}); };
  const ClosedJaxpr step = record(carry, [&](const Arrays& v) {
    const Arrays own(v.begin(), v.end() - 2);
    const Array place = iota(count, shape, last);
    const Array run = everywhere(v[v.size() - 2]),
                partner = lax::bitwise_xor(place, everywhere(v.back()));
    Arrays others;
    for (const Array& a : own) others.push_back(gather_along(a, partner, last));
    const Array earlier = lax::lt(others.back(), own.back());
    const Array filled =
        lax::ge(lax::max(others.back(), own.back()), everywhere(scalar_of_int(count, n)));
    const Arrays these(others.begin(), others.end() - 1), those(own.begin(), own.end() - 1);
    const Array ahead = lax::select(filled, earlier, in_front(t, op, these, those, earlier));
    const Array upwards = lax::eq(lax::bitwise_and(place, run), base::zeros(place.type()));
    const Array first = lax::eq(lax::lt(place, partner), upwards);
    const Array change = lax::eq(ahead, first);
    Arrays next;
    for (size_t i = 0; i < own.size(); ++i) next.push_back(lax::select(change, others[i], own[i]));
    return next;
  });
  const auto steps = static_cast<int64_t>(runs.size());
  const auto numbers = [&](const std::vector<int64_t>& v) {
    const Fresh f = fresh_array(Type(I64, {steps}));
    std::copy(v.begin(), v.end(), static_cast<int64_t*>(f.data));
    return base::convert(f.array, count);
  };
  Arrays out = scan_flat(step, rows, {numbers(runs), numbers(bits)}, steps);
  out.pop_back();
  for (Array& a : out) a = base::move_axis(base::slice_axis(a, last, 0, n), last, axis);
  return out;
}

Arrays sort(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty() || t.only_region(op).blocks.size() != 1)
    t.fail(op, "'sort' needs operands and a comparator");
  if (op.regions[0].blocks[0].args.size() != 2 * x.size())
    t.fail(op, "the comparator of 'sort' takes two elements of each operand");
  int64_t axis = t.integer(op, "dimension", -1);
  if (axis < 0) axis += x[0].ndim();
  if (axis < 0 || axis >= x[0].ndim()) t.fail(op, "dimension is not an axis");
  const auto keys = Comparator(t, op.regions[0]).keys();
  const bool one_way = keys && std::all_of(keys->begin(), keys->end(), [&](const Key& k) {
                         return k.descending == keys->front().descending;
                       });
  if (!one_way) {
    const int64_t n = std::max<int64_t>(x[0].shape()[axis], 1);
    const auto by_comparator = x[0].size() <= max_pairs / n ? sort_by_places : sort_by_network;
    return by_comparator(t, op, x, static_cast<int>(axis));
  }
  // Weft's sort takes the keys as its first operands.
  std::vector<size_t> order;
  for (const Key& k : *keys)
    if (std::find(order.begin(), order.end(), static_cast<size_t>(k.operand)) == order.end())
      order.push_back(static_cast<size_t>(k.operand));
  const auto count = static_cast<int64_t>(order.size());
  for (size_t i = 0; i < x.size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  // A descending order sorts the reversed operands upwards and reverses the result, so that equal
  // elements keep their order.
  const bool down = keys->front().descending;
  Arrays in;
  for (size_t i : order) in.push_back(down ? reverse(x[i], {axis}) : x[i]);
  const Arrays sorted = sort_arrays(in, axis, count, t.flag(op, "is_stable"));
  Arrays out(x.size());
  for (size_t i = 0; i < order.size(); ++i)
    out[order[i]] = down ? reverse(sorted[i], {axis}) : sorted[i];
  return out;
}

Arrays top_k(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1 || x[0].ndim() == 0) t.fail(op, "'top_k' needs an operand with an axis");
  const int axis = x[0].ndim() - 1;
  const int64_t k = t.integer(op, "k");
  // XLA ranks by the total order of the bits.
  const auto [values, places] = top_k_along(x[0], k, axis, true);
  return {values, places};
}

// Returns "GT" or "LT", the order of a comparator of (value, position) pairs.
std::string order_of(Translator& t, const Op& op) {
  const Attr& called = t.attr(op, "called_computations");
  const Region* body = called.kind == Attr::Kind::list && called.items.size() == 1
                           ? t.function_body(symbol_name(called.items[0].text))
                           : nullptr;
  if (!body || body->blocks.size() != 1 || body->blocks[0].ops.size() != 2)
    t.fail(op, "called_computations name one comparator");
  const Block& b = body->blocks[0];
  const Op& compare = b.ops[0];
  const std::vector<int32_t> values = {b.first_arg, b.first_arg + 1};
  if (compare.name != "stablehlo.compare" || compare.operands != values)
    t.missing(op, "with this comparator");
  const std::string how = t.word(compare, "comparison_direction");
  if (how != "GT" && how != "LT") t.missing(op, "with this comparator");
  return how;
}

}  // namespace

// Computes the exact result for any recall target: as many elements as the result has, best ones
// first. The operands are the values, their companions, and the initial values of both.
Arrays approx_top_k(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 4 || op.out.size() != 2 || x[0].shape() != x[1].shape())
    t.fail(op, "takes values, their places and two initial values");
  int64_t axis = -1;
  for (const NamedAttr& e : t.attr(op, "mhlo.backend_config").entries)
    if (e.name == "reduction_dim") axis = e.value.integer;
  if (axis < 0 || axis >= x[0].ndim()) t.fail(op, "reduction_dim is not an axis");
  const Shape out = t.result(op).shape();
  const int a = static_cast<int>(axis);
  if (out.ndim() != x[0].ndim() || out[axis] > x[0].shape()[axis])
    t.fail(op, "more results than values");
  if (order_of(t, op) == "GT") {
    const auto [values, places] = top_k_along(x[0], out[axis], a);
    return {values, gather_along(x[1], places, a)};
  }
  Arrays sorted = sort_arrays({x[0], x[1]}, a);
  for (Array& v : sorted) v = base::slice_axis(v, a, 0, out[axis]);
  return sorted;
}

void add_sorting(Rules& r) {
  const Rules mine = {{"chlo.top_k", top_k}, {"stablehlo.sort", sort}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
