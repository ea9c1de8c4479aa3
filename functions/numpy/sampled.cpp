// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sampled.cpp: interpolation, differences, slopes and integrals of samples.
#include "weft/numpy/sampled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/index/sort.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {
namespace {

using fn::number_like;
using Sizes = std::vector<int64_t>;

Array end_of(const Array& x, bool last) {
  const int64_t i = last ? x.size() - 1 : 0;
  return squeeze_axes(fn::sliced(x, 0, i, i + 1), {0});
}
bool extrapolates(const char* side, const InterpEdge& e) {
  if (!e.text.empty() && e.text != "extrapolate")
    fn::fail_shape(fmt::format("interp: .{} must be `none`, a value or \"extrapolate\", not \"{}\"",
                               side, e.text));
  return !e.text.empty();
}
// The line from y0 at t = 0 to y1 at t = 1. Where y1 - y0 is infinite, it is a weighted sum in
// which terms of weight 0 are left out.
Array between(const Array& t, const Array& y0, const Array& y1) {
  const Array dy = subtract(y1, y0), plain = isfinite(dy);
  const Array line = add(y0, multiply(t, where(plain, dy, number_like(dy, 0))));
  const auto share = [](const Array& of, const Array& y) {
    return multiply(of, where(lax::eq(of, number_like(of, 0)), number_like(y, 0), y));
  };
  const Array rest = subtract(number_like(t, 1), t);
  return where(plain, line, add(share(rest, y0), share(t, y1)));
}
}  // namespace

Array interp(const Arg& x, const Arg& xp, const Arg& fp, const InterpOptions& o) {
  const ApiNameScope s("interp", x.at());
  if (xp->ndim() != 1 || !(xp->shape() == fp->shape()) || xp->size() == 0)
    fn::fail_shape(fmt::format("interp: xp and fp are vectors of one length, got {} and {}",
                               to_string(xp->type()), to_string(fp->type())));
  const bool line_left = extrapolates("left", o.left), line_right = extrapolates("right", o.right);
  const Arrays same = fn::same_dtype({x, xp});
  Array at = fn::inexact(same[0]), places = fn::inexact(same[1]), values = fn::inexact(fp);
  if (is_complex(at.dtype()))
    fn::fail_dtype("interp: complex numbers have no order, got " + to_string(x->type()));
  if (o.period) {
    if (o.period->ndim() != 0)
      fn::fail_shape("interp: .period is a number, got " + to_string(o.period->type()));
    const Array period = abs(fn::as_dtype(*o.period, at.dtype()));
    at = remainder(at, period);
    const Arrays sorted = sort_arrays({remainder(places, period), values}, 0);
    const auto first = [](const Array& v) { return fn::sliced(v, 0, 0, 1); };
    const auto last = [](const Array& v) { return fn::sliced(v, 0, v.size() - 1, v.size()); };
    places = fn::joined(
        {subtract(last(sorted[0]), period), sorted[0], add(first(sorted[0]), period)}, 0);
    values = fn::joined({last(sorted[1]), sorted[1], first(sorted[1])}, 0);
  }
  const int64_t n = places.size();
  const Array i = clip(searchsorted(places, at, {.side = "right"}), 1, std::max<int64_t>(n - 1, 1));
  const auto pick = [&](const Array& v, const Array& k) { return take(v, k, 0, {.mode = "clip"}); };
  const Array before = subtract(i, 1), x0 = pick(places, before), y0 = pick(values, before);
  const Array dx = subtract(pick(places, i), x0), y1 = pick(values, i);
  // Two points at the same position have no line, so the value of the first one is used.
  const Array together = lax::eq(dx, number_like(dx, 0));
  const Array t = divide(subtract(at, x0), where(together, number_like(dx, 1), dx));
  Array out = where(together, y0, between(t, y0, y1));
  if (o.period) return out;
  if (!line_left)
    out = where(less(at, end_of(places, false)),
                o.left.value ? *o.left.value : end_of(values, false), out);
  if (!line_right)
    out = where(greater(at, end_of(places, true)),
                o.right.value ? *o.right.value : end_of(values, true), out);
  return out;
}

// ---- slopes

namespace {
Array slopes(const Array& f, const Array& h, int axis) {
  const int64_t n = f.shape()[axis];
  const auto cut = [&](const Array& v, int64_t lo, int64_t hi) {
    return fn::sliced(v, axis, lo, hi);
  };
  const Array first = subtract(cut(f, 1, 2), cut(f, 0, 1)),
              last = subtract(cut(f, n - 1, n), cut(f, n - 2, n - 1));
  if (h.ndim() == 0) {
    const Array middle = multiply(subtract(cut(f, 2, n), cut(f, 0, n - 2)), number_like(f, 0.5));
    return divide(fn::joined(fn::same_dtype({first, middle, last}), axis), h);
  }
  Sizes along(f.shape().size(), 1);
  along[static_cast<size_t>(axis)] = n;
  const Array gaps = diff(reshape_to(h, Shape(along)), 1, axis);
  const Array a = cut(gaps, 0, n - 2), b = cut(gaps, 1, n - 1), both = add(a, b);
  const Array middle = add(add(multiply(divide(negative(b), multiply(a, both)), cut(f, 0, n - 2)),
                               multiply(divide(subtract(b, a), multiply(a, b)), cut(f, 1, n - 1))),
                           multiply(divide(a, multiply(b, both)), cut(f, 2, n)));
  return fn::joined(fn::same_dtype({divide(first, cut(gaps, 0, 1)), middle,
                                    divide(last, cut(gaps, n - 2, n - 1))}),
                    axis);
}
}  // namespace
Arrays gradient(const Arg& f, const Arrays& spacing, const AxisList& axis) {
  const ApiNameScope s("gradient", f.at());
  Arrays given{f};
  given.insert(given.end(), spacing.begin(), spacing.end());
  const Arrays same = fn::same_dtype(given);
  const Array v = fn::inexact(same[0]);
  Sizes axes;
  if (axis.all)
    axes = fn::axes_of("gradient", v, axis);
  else
    for (int64_t a : axis.axes) axes.push_back(fn::axis_of("gradient", a, v.type().ndim()));
  if (spacing.size() > 1 && spacing.size() != axes.size())
    fn::fail_shape(fmt::format("gradient: {} spacings for {} axes", spacing.size(), axes.size()));
  Arrays out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t n = v.shape()[axes[i]];
    if (n < 2)
      fn::fail_shape(fmt::format("gradient: axis {} of {} has less than two points", axes[i],
                                 to_string(v.type())));
    const Array h =
        spacing.empty() ? number_like(v, 1) : fn::inexact(same[spacing.size() == 1 ? 1 : i + 1]);
    if (h.ndim() > 1 || (h.ndim() == 1 && h.size() != n))
      fn::fail_shape(fmt::format("gradient: a spacing is a number or {} places, got {}", n,
                                 to_string(h.type())));
    out.push_back(slopes(v, h, static_cast<int>(axes[i])));
  }
  return out;
}

Array ediff1d(const Arg& x, const MaybeArray& to_end, const MaybeArray& to_begin) {
  const ApiNameScope s("ediff1d", x.at());
  const Array v = ravel(x);
  const int64_t n = v.size();
  const Array gaps = lax::sub(fn::sliced(v, 0, std::min<int64_t>(1, n), n),
                              fn::sliced(v, 0, 0, std::max<int64_t>(0, n - 1)));
  Arrays parts{gaps};
  if (to_begin) parts.insert(parts.begin(), ravel(fn::as_dtype(*to_begin, v.dtype())));
  if (to_end) parts.push_back(ravel(fn::as_dtype(*to_end, v.dtype())));
  return fn::joined(fn::same_dtype(parts), 0);
}

// ---- differences and integrals

namespace {
// An array that diff joins to an end of x. A scalar becomes one element for each row.
Array edge(const char* name, const Array& v, const Array& x, int axis) {
  if (v.ndim() == 0) return fn::broadcast(v, x.shape().with(axis, 1));
  bool fits = v.ndim() == x.ndim();
  for (int64_t i = 0; fits && i < x.ndim(); ++i) fits = i == axis || v.shape()[i] == x.shape()[i];
  if (!fits)
    fn::fail_shape(fmt::format("diff: {} of {} does not go with {} along axis {}", name,
                               to_string(v.type()), to_string(x.type()), axis));
  return v;
}
}  // namespace
Array diff(const Arg& x, int64_t n, int64_t axis, const MaybeArray& prepend,
           const MaybeArray& append) {
  const ApiNameScope s("diff", x.at());
  const int a = fn::axis_of("diff", axis, x->type().ndim());
  if (n < 0) fn::fail_shape(fmt::format("diff: {} is not a number of times", n));
  if (n == 0) return x;
  Arrays parts;
  if (prepend) parts.push_back(edge("prepend", *prepend, x, a));
  parts.push_back(x);
  if (append) parts.push_back(edge("append", *append, x, a));
  Array out = fn::joined(fn::same_dtype(parts), a);
  for (; n > 0; --n) {
    const int64_t size = out.shape()[a];
    const Array hi = fn::sliced(out, a, std::min<int64_t>(1, size), size),
                lo = fn::sliced(out, a, 0, std::max<int64_t>(0, size - 1));
    out = is_bool(out.dtype()) ? lax::ne(hi, lo) : lax::sub(hi, lo);
  }
  return out;
}

Array trapezoid(const Arg& y, const MaybeArray& x, const Arg& dx, int64_t axis) {
  const ApiNameScope s("trapezoid", y.at());
  const Array given = fn::inexact(y), v = fn::for_sums(given);
  const int a = fn::axis_of("trapezoid", axis, v.type().ndim());
  const int64_t n = v.shape()[a];
  if (x && !(x->shape() == v.shape() || x->shape() == Shape{n}))
    fn::fail_shape(fmt::format(
        "trapezoid: x holds the places of y, a vector of {} or an array of y's shape, got {}; a "
        "distance is the third argument: trapezoid(y, none, dx)",
        n, to_string(x->type())));
  if (!x && (dx->ndim() > 1 || (dx->ndim() == 1 && dx->size() != n - 1)))
    fn::fail_shape(fmt::format("trapezoid: dx is a number or one for each of {} gaps, got {}",
                               n - 1, to_string(dx->type())));
  if (n < 2) return sum(fn::sliced(given, a, 0, 0), a);
  // Narrow floats are rounded once, at the end.
  const Array ends = add(fn::sliced(v, a, 1, n), fn::sliced(v, a, 0, n - 1));
  if (!x && dx->ndim() == 0)
    return fn::narrowed(multiply(multiply(0.5, sum(ends, a)), fn::for_sums(dx)), {given, dx});
  const Array places = x ? *x : dx.value();
  Array gaps = fn::for_sums(x ? diff(fn::inexact(*x), 1, x->ndim() == 1 ? 0 : a) : places);
  if (gaps.ndim() == 1) {
    Sizes along(v.shape().size(), 1);
    along[static_cast<size_t>(a)] = n - 1;
    gaps = reshape(gaps, along);
  }
  return fn::narrowed(multiply(0.5, sum(multiply(gaps, ends), a)), {given, places});
}

}  // namespace weft
