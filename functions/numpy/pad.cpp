// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/pad.cpp: pad, which computes the elements before and after each axis.
#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "ops/structure/structure.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;
using Widths = std::vector<std::pair<int64_t, int64_t>>;

// Returns one entry for each axis.
template <class T>
std::vector<T> for_axes(const char* what, std::vector<T> v, const Array& x) {
  const size_t n = x.shape().size();
  if (v.size() == 1) v.assign(n, v[0]);
  if (v.size() != n)
    fn::fail_shape(fmt::format("pad: {} {} for {}", v.size(), what, to_string(x.type())));
  return v;
}

// The source of element `i` of a padded axis, where i is in [-before, n + after).
int64_t mirrored(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  const int64_t period = mode == "wrap"      ? n
                         : mode == "reflect" ? std::max<int64_t>(1, 2 * (n - 1))
                                             : 2 * n;
  int64_t k = i % period;
  if (k < 0) k += period;
  if (mode == "wrap" || k < n) return k;
  return mode == "reflect" ? period - k : period - 1 - k;
}

// One axis of an array, and the number of elements to add before and after it.
struct Axis {
  const Array& x;
  int axis;
  int64_t before, after;
  int64_t size() const { return x.shape()[axis]; }
  Array cut(int64_t lo, int64_t hi) const { return fn::sliced(x, axis, lo, hi); }
  Array wide(const Array& v, int64_t n) const { return fn::broadcast(v, x.shape().with(axis, n)); }
  Array between(const Array& low, const Array& high) const {
    Arrays parts;
    if (before) parts.push_back(low);
    parts.push_back(x);
    if (after) parts.push_back(high);
    return fn::joined(parts, axis);
  }
};

Array turned_evenly(const Axis& p, const std::string& mode) {
  Sizes from;
  for (int64_t i = -p.before; i < p.size() + p.after; ++i)
    from.push_back(mirrored(mode, i, p.size()));
  return fn::take_known(p.x, from, p.axis);
}
// Twice the last element minus the reversed elements. Repeats this until the padding is complete.
Array turned_oddly(const Axis& p, const std::string& mode) {
  const int64_t skip = mode == "reflect" ? 1 : 0;
  Array x = p.x;
  int64_t before = p.before, after = p.after;
  const auto end = [&](int64_t i) { return fn::sliced(x, p.axis, i, i + 1); };
  while (before > 0 || after > 0) {
    const int64_t n = x.shape()[p.axis];
    if (n == 1 && skip)
      return Axis{x, p.axis, before, after}.between(
          fn::broadcast(x, x.shape().with(p.axis, before)),
          fn::broadcast(x, x.shape().with(p.axis, after)));
    const int64_t low = std::min(before, n - skip), high = std::min(after, n - skip);
    const Array l =
        subtract(multiply(end(0), 2), reverse(fn::sliced(x, p.axis, skip, skip + low), {p.axis}));
    const Array h = subtract(multiply(end(n - 1), 2),
                             reverse(fn::sliced(x, p.axis, n - skip - high, n - skip), {p.axis}));
    x = Axis{x, p.axis, low, high}.between(l, h);
    before -= low, after -= high;
  }
  return x;
}
// Equal steps from `end` to the last element, which is excluded.
Array ramp(const Axis& p, const Array& end, const Array& last, int64_t n, bool before) {
  const DType d = p.x.dtype();
  const Array e = fn::broadcast(fn::as_dtype(end, d), last.shape());
  const auto axis = static_cast<int64_t>(p.axis);
  const Array steps = linspace(squeeze_axes(e, {axis}), squeeze_axes(last, {axis}), n,
                               {.endpoint = false, .dtype = d, .axis = axis});
  return before ? steps : reverse(steps, {axis});
}
// A statistic of the first or last elements of the axis.
Array statistic(const Array& part, const std::string& mode, int axis) {
  const ReduceOptions keep = {.keepdims = true};
  if (mode == "maximum") return max(part, axis, keep);
  if (mode == "minimum") return min(part, axis, keep);
  const Array v = mode == "mean" ? mean(part, axis, keep) : median(part, axis, keep);
  return fn::as_dtype(is_integer(part.dtype()) ? round(v) : v, part.dtype());
}

// Pads all sides with one number.
Array surrounded(const Array& x, const Widths& w, const Array& value) {
  Sizes low, high;
  for (auto [before, after] : w) low.push_back(before), high.push_back(after);
  return w.empty() ? x : pad_with(x, fn::as_dtype(value, x.dtype()), low, high, Sizes(w.size(), 0));
}
Array with_constants(const Array& x, const Widths& w,
                     const std::vector<std::pair<Array, Array>>& values) {
  bool same = true;
  for (const auto& [before, after] : values)
    same = same && before.ref() == values[0].first.ref() && after.ref() == values[0].first.ref();
  if (same) return w.empty() ? x : surrounded(x, w, values[0].first);
  Array out = x;
  for (size_t i = 0; i < w.size(); ++i) {
    Widths before(w.size()), after(w.size());
    before[i].first = w[i].first, after[i].second = w[i].second;
    out = surrounded(surrounded(out, before, values[i].first), after, values[i].second);
  }
  return out;
}

bool one_of(const std::string& mode, std::initializer_list<const char*> all) {
  return std::any_of(all.begin(), all.end(), [&](const char* m) { return mode == m; });
}
void check_modes(const PadOptions& o) {
  const std::string& m = o.mode;
  if (!one_of(m, {"constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum",
                  "mean", "median", "minimum", "empty"}))
    fn::fail_shape(
        "pad: mode is \"constant\", \"edge\", \"reflect\", \"symmetric\", \"wrap\", "
        "\"linear_ramp\", \"maximum\", \"mean\", \"median\", \"minimum\" or \"empty\", not \"" +
        m + "\"");
  if (o.reflect_type != "even" && o.reflect_type != "odd")
    fn::fail_shape("pad: reflect_type is \"even\" or \"odd\", not \"" + o.reflect_type + "\"");
  if (o.reflect_type == "odd" && !one_of(m, {"reflect", "symmetric"}))
    fn::fail_shape("pad: reflect_type goes with \"reflect\" and \"symmetric\", not \"" + m + "\"");
  if (o.stat_length && !one_of(m, {"maximum", "mean", "median", "minimum"}))
    fn::fail_shape(
        "pad: stat_length goes with \"maximum\", \"mean\", \"median\" and \"minimum\", not \"" + m +
        "\"");
}

Array padded(const Axis& p, const PadOptions& o, const std::pair<int64_t, int64_t>& lengths,
             const std::pair<Array, Array>& ends) {
  const std::string& m = o.mode;
  const int64_t n = p.size();
  if (m == "linear_ramp")
    return p.between(ramp(p, ends.first, p.cut(0, 1), p.before, true),
                     ramp(p, ends.second, p.cut(n - 1, n), p.after, false));
  if (one_of(m, {"maximum", "mean", "median", "minimum"})) {
    const int64_t low = std::min(lengths.first, n), high = std::min(lengths.second, n);
    if (low < 1 || high < 1) fn::fail_shape("pad: stat_length must be 1 or more");
    return p.between(p.wide(statistic(p.cut(0, low), m, p.axis), p.before),
                     p.wide(statistic(p.cut(n - high, n), m, p.axis), p.after));
  }
  return o.reflect_type == "odd" ? turned_oddly(p, m) : turned_evenly(p, m);
}
}  // namespace

PadValues::PadValues(const Array& x) : PadValues(x, x) {}
PadValues::PadValues(const Array& before, const Array& after) : values{{before, after}} {}
PadValues::PadValues(std::initializer_list<std::pair<Array, Array>> v) : values(v) {}

Array pad(const Arg& x, const PadWidth& width, const PadOptions& o) {
  const ApiNameScope s("pad", x.at());
  check_modes(o);
  const Widths w = for_axes("widths", width.widths, x);
  for (auto [before, after] : w)
    if (before < 0 || after < 0) fn::fail_shape("pad: widths must not be negative");
  const auto constants = for_axes("constants", o.constant_values.values, x);
  const auto ends = for_axes("end values", o.end_values.values, x);
  const Widths lengths = for_axes(
      "lengths", o.stat_length ? o.stat_length->widths : Widths{{INT64_MAX, INT64_MAX}}, x);
  if (o.mode == "empty") return surrounded(x, w, fn::number_like(x, 0));
  if (o.mode == "constant") return with_constants(x, w, constants);
  Array out = x;
  for (size_t i = 0; i < w.size(); ++i) {
    const auto [before, after] = w[i];
    if (before == 0 && after == 0) continue;
    const Axis p{out, static_cast<int>(i), before, after};
    if (p.size() == 0) fn::fail_shape("pad: an axis without elements has nothing to repeat");
    out = padded(p, o, lengths[i], ends[i]);
  }
  return out;
}

}  // namespace weft
