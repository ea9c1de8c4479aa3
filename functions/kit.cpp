// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/kit.cpp: promotion, broadcasting, axes, errors.
#include "functions/kit.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/kit/axes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/types_of.h"
#include "tracer/weak_numbers.h"
#include "weft/lax/compare.h"

namespace weft::fn {

void fail_shape(const std::string& text) { throw ShapeError(text); }
void fail_dtype(const std::string& text) { throw DTypeError(text); }
void fail_index(const std::string& text) { throw IndexError(text); }

namespace {
// Raises an error for an integer beyond I32 that would be converted to a dtype d that cannot hold
// it.
void refuse_becoming(const Array& x, DType d) {
  if (!beyond_i32(x.dtype(), x.weak_type()) || takes_beyond_i32(x.dtype(), d)) return;
  std::string number = "an integer argument", advice = beyond_i32_advice();
  if (const Concrete* c = concrete_or_null(x); c && c->literal) {
    const char* type = x.dtype() == U64 ? "U64" : "I64";
    const std::string digits = x.dtype() == U64 ? fmt::format("{}", x.item<uint64_t>())
                                                : fmt::format("{}", x.item<int64_t>());
    number = "the integer " + digits;
    advice = fmt::format(
        "give it a dtype, full({{}}, {}{{{}{}}}, {}), or convert the other operand "
        "with astype({}){}",
        x.dtype() == U64 ? "uint64_t" : "int64_t", digits, x.dtype() == U64 ? "u" : "", type, type,
        x.dtype() == U64 ? "" : ", U64 or F64");
  }
  fail_dtype(fmt::format("{} does not fit {} and becomes {}; {}", number,
                         x.dtype() == U64 && d == I64 ? "I64" : "I32, the type of C++ integers,",
                         short_name(d), advice));
}
}  // namespace

DType own_dtype(const Array& x) {
  if (beyond_i32(x.dtype(), x.weak_type())) refuse_becoming(x, I32);
  return x.dtype();
}
void refuse_beyond_i32(const Array& x, const Array& other) {
  // Two C++ numbers compute in I32 or F32.
  refuse_becoming(x, other.weak_type() && is_integer(other.dtype()) ? I32 : other.dtype());
}

Array as_dtype(const Array& x, DType d, bool weak) {
  if (x.dtype() == d && x.weak_type() == weak) return x;
  refuse_becoming(x, d);
  const Concrete* c = concrete_or_null(x);
  if (c && c->literal && !is_key(x.dtype()) && !is_key(d)) return number_as(x, d, weak);
  return base::convert(x, d, weak);
}
Array inexact(const Array& x) {
  return is_inexact(x.dtype()) ? x : as_dtype(x, to_inexact(own_dtype(x)), x.weak_type());
}
Array inexact(const char* name, const Array& x) {
  need_numbers(name, x);
  return inexact(x);
}
Array truth(const char* name, const Array& x) {
  need_numbers(name, x);
  return is_bool(x.dtype()) ? x : lax::ne(x, number_like(x, 0));
}
void need_numbers(const char* name, const Array& x) {
  if (is_key(x.dtype()))
    fail_dtype(fmt::format("{}: takes numbers, got {}; random::key_data converts random keys", name,
                           to_string(x.type())));
}
void need_real(const char* name, const Array& x) {
  need_numbers(name, x);
  if (is_complex(x.dtype()))
    fail_dtype(fmt::format("{}: takes real numbers, got {}; take abs(), real() or imag() first",
                           name, to_string(x.type())));
}
Array numeric(const Array& x) { return is_bool(x.dtype()) ? as_dtype(x, I32) : x; }

Array broadcast(const Array& x, const Shape& s) {
  if (x.shape() == s) return x;
  return broadcast_in_dim(x, s, axis_range(s.ndim() - x.ndim(), s.ndim()));
}
Array scalar_or_broadcast(const Array& x, const Shape& s) {
  return x.ndim() == 0 ? x : broadcast(x, s);
}

Shape common_shape(const char* name, const Shape& a, const Shape& b) {
  try {
    return broadcast_shapes(a, b);
  } catch (const ShapeError& e) {
    throw ShapeError(std::string(name) + ": " + inner_text(e));
  }
}
void need_fit(const char* name, const char* what, const Array& x, const Shape& s) {
  bool fits = x.ndim() <= s.ndim();
  for (int i = 1; fits && i <= x.ndim(); ++i) {
    const int64_t n = x.shape()[x.ndim() - i];
    fits = n == 1 || n == s[s.ndim() - i];
  }
  if (!fits)
    fail_shape(fmt::format("{}: {} of shape {} does not broadcast to {}", name, what,
                           to_string(x.shape()), to_string(s)));
}
namespace {
Promoted common_dtype(const char* name, const Array& a, const Array& b) {
  refuse_beyond_i32(a, b);
  refuse_beyond_i32(b, a);
  try {
    return promote(a.dtype(), a.weak_type(), b.dtype(), b.weak_type());
  } catch (const DTypeError& e) {
    throw DTypeError(std::string(name) + ": " + inner_text(e));
  }
}
// Converts only an operand that changes. A weak operand next to a strong one of the same dtype is
// left unchanged.
Array meet(const Array& x, const Promoted& p) {
  return x.dtype() == p.dtype && (x.weak_type() || !p.weak) ? x : as_dtype(x, p.dtype, p.weak);
}
}  // namespace

Pair promoted(const char* name, const Array& a, const Array& b) {
  const Promoted p = common_dtype(name, a, b);
  const Shape s = common_shape(name, a.shape(), b.shape());
  return {scalar_or_broadcast(meet(a, p), s), scalar_or_broadcast(meet(b, p), s)};
}

Pair promoted_inexact(const char* name, const Array& a, const Array& b) {
  Promoted p = common_dtype(name, a, b);
  p.dtype = to_inexact(p.dtype);
  const Shape s = common_shape(name, a.shape(), b.shape());
  return {scalar_or_broadcast(meet(a, p), s), scalar_or_broadcast(meet(b, p), s)};
}

// A bool next to a number takes the dtype of the number. It is not an I32, which would widen a
// narrower number.
Pair promoted_numbers(const char* name, const Array& a, const Array& b) {
  const auto [x, y] = promoted(name, a, b);
  return {numeric(x), numeric(y)};
}

Arrays same_dtype(const Arrays& x) {
  if (x.empty()) return x;
  const Promoted p = common_type(types_of(x));
  for (const Array& a : x)
    if (p.weak && is_integer(p.dtype)) own_dtype(a);
  Arrays out;
  for (const Array& a : x) out.push_back(meet(a, p));
  return out;
}

Arrays broadcast_together(const char* name, const Arrays& x) {
  Shape s;
  for (const Array& a : x) s = common_shape(name, s, a.shape());
  Arrays out;
  for (const Array& a : same_dtype(x)) out.push_back(broadcast(a, s));
  return out;
}

std::vector<int64_t> axes_of(const char* name, const std::vector<int64_t>& axes, int ndim) {
  std::vector<int64_t> out;
  for (int64_t a : axes) out.push_back(axis_of(name, a, ndim));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end())
    fail_shape(fmt::format("{}: an axis is named twice: ({})", name, fmt::join(axes, ", ")));
  return out;
}
std::vector<int64_t> axes_of(const char* name, const Array& x, const AxisList& a) {
  return a.all ? axis_range(x.ndim()) : axes_of(name, a.axes, x.ndim());
}
int axis_of(const char* name, int64_t axis, int ndim) { return canonical_axis(axis, ndim, name); }

Array axis_weights(const char* name, const Array& w, const Array& x, const AxisList& axis) {
  if (w.shape() == x.shape()) return w;
  std::vector<int64_t> named;
  if (!axis.all)
    for (int64_t a : axis.axes) named.push_back(axis_of(name, a, x.shape().ndim()));
  if (axis.all || !(w.shape() == Shape(extents_of(x.shape(), named))))
    fail_shape(
        fmt::format("{}: weights must have the shape of the array, or be one a place of the axis, "
                    "got {} for {}",
                    name, to_string(w.type()), to_string(x.type())));
  std::vector<int64_t> sorted = named, order;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t a : sorted)
    order.push_back(std::find(named.begin(), named.end(), a) - named.begin());
  return broadcast_in_dim(order.size() > 1 ? transpose_axes(w, order) : w, x.shape(), sorted);
}

Array number_like(const Array& x, double v) { return scalar_of(x.dtype(), v); }

Array joined(const Arrays& x, int64_t axis) {
  return x.size() == 1 ? x[0] : concatenate_arrays(x, axis);
}

Array sliced(const Array& x, int64_t axis, int64_t lo, int64_t hi, int64_t step) {
  if (lo == 0 && hi == x.shape()[axis] && step == 1) return x;
  std::vector<int64_t> a(x.shape().size(), 0), b = x.shape().sizes(), s(x.shape().size(), 1);
  a[axis] = lo;
  b[axis] = hi;
  s[axis] = step;
  return slice_static(x, a, b, s);
}

}  // namespace weft::fn
