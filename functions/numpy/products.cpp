// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/products.cpp: products of arrays, all of them contractions over labelled axes.
#include "weft/numpy/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "functions/numpy/named.h"
#include "ops/structure/structure.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;
using fn::arranged, fn::contains, fn::count_from, fn::Labels, fn::Named;

// The operands in one dtype. Bools are computed as counts, which are then compared with zero.
struct Factors {
  Array x, y;
  bool logic;
};
Factors factors(const Array& x, const Array& y) {
  const Arrays v = fn::same_dtype({x, y});
  if (!is_bool(v[0].dtype())) return {v[0], v[1], false};
  return {fn::as_dtype(v[0], I32), fn::as_dtype(v[1], I32), true};
}
Array in_type(const Array& x, std::optional<DType> type) {
  return type ? fn::as_dtype(x, *type) : x;
}
Array multiplied(const char* name, const Array& x, const Labels& a, const Array& y, const Labels& b,
                 const Labels& out, const ProductOptions& o = {}) {
  const Factors f = factors(x, y);
  const Named p{f.x, a}, q{f.y, b};
  for (int label : a)
    if (q.has(label) && p.size(label) != q.size(label) &&
        (p.size(label) != 1 || !contains(out, label)) &&
        (q.size(label) != 1 || !contains(out, label)))
      fn::fail_shape(fmt::format("{}: shapes {} and {} are not aligned: {} against {}", name,
                                 to_string(x.type()), to_string(y.type()), p.size(label),
                                 q.size(label)));
  const std::optional<DType>& type = o.preferred_element_type;
  const Array r = arranged(fn::product(
                               p, q, [&](int l) { return contains(out, l); },
                               f.logic ? std::nullopt : type, o.precision),
                           out);
  return f.logic ? in_type(not_equal(r, 0), type) : r;
}
// The product with a scalar.
Array scaled(const Array& x, const Array& y, const ProductOptions& o) {
  const std::optional<DType>& type = o.preferred_element_type;
  return multiply(in_type(x, type), in_type(y, type));
}
void need_axes(const char* name, const Array& x, int64_t n) {
  if (x.ndim() < n)
    fn::fail_shape(fmt::format("{}: needs at least {} {}, got {}", name, n,
                               n == 1 ? "axis" : "axes", to_string(x.type())));
}
}  // namespace

Array dot(const Arg& x, const Arg& y) { return dot(x, y, {}); }
Array dot(const Arg& x, const Arg& y, const ProductOptions& o) {
  const ApiNameScope s("dot", x.at());
  if (x->ndim() == 0 || y->ndim() == 0) return scaled(x, y, o);
  const int n = static_cast<int>(x->ndim()), m = static_cast<int>(y->ndim());
  const Labels a = count_from(0, n);
  Labels b = count_from(n, m);
  b[static_cast<size_t>(m == 1 ? 0 : m - 2)] = n - 1;
  Labels out(a.begin(), a.end() - 1);
  for (int label : b)
    if (label != n - 1) out.push_back(label);
  return multiplied("dot", x, a, y, b, out, o);
}

namespace {
// Batch axes have negative labels, counted from the right. Rows have label 0, the summed axis 1 and
// columns 2.
Array batched_product(const char* name, const Array& x, const Labels& own_x, const Array& y,
                      const Labels& own_y, const ProductOptions& o = {}) {
  const int nx = static_cast<int>(x.ndim()) - static_cast<int>(own_x.size()),
            ny = static_cast<int>(y.ndim()) - static_cast<int>(own_y.size());
  Labels a = count_from(-nx, nx), b = count_from(-ny, ny),
         out = count_from(-std::max(nx, ny), std::max(nx, ny));
  for (int label : own_x) {
    a.push_back(label);
    if (label != 1) out.push_back(label);
  }
  for (int label : own_y) {
    b.push_back(label);
    if (label != 1) out.push_back(label);
  }
  return multiplied(name, x, a, y, b, out, o);
}
}  // namespace
Array matmul(const Arg& x, const Arg& y) { return matmul(x, y, {}); }
Array matmul(const Arg& x, const Arg& y, const ProductOptions& o) {
  const ApiNameScope s("matmul", x.at());
  need_axes("matmul", x, 1);
  need_axes("matmul", y, 1);
  return batched_product("matmul", x, x->ndim() == 1 ? Labels{1} : Labels{0, 1}, y,
                         y->ndim() == 1 ? Labels{1} : Labels{1, 2}, o);
}
Array matvec(const Arg& x, const Arg& y) {
  const ApiNameScope s("matvec", x.at());
  need_axes("matvec", x, 2);
  need_axes("matvec", y, 1);
  return batched_product("matvec", x, {0, 1}, y, {1});
}
Array vecmat(const Arg& x, const Arg& y) {
  const ApiNameScope s("vecmat", x.at());
  need_axes("vecmat", x, 1);
  need_axes("vecmat", y, 2);
  return batched_product("vecmat", conj(x), {1}, y, {1, 2});
}
Array vecdot(const Arg& x, const Arg& y, int64_t axis, const ProductOptions& o) {
  const ApiNameScope s("vecdot", x.at());
  need_axes("vecdot", x, 1);
  need_axes("vecdot", y, 1);
  return batched_product("vecdot", conj(moveaxis(x, axis, -1)), {1}, moveaxis(y, axis, -1), {1}, o);
}
Array vdot(const Arg& x, const Arg& y) { return vdot(x, y, {}); }
Array vdot(const Arg& x, const Arg& y, const ProductOptions& o) {
  const ApiNameScope s("vdot", x.at());
  if (x->size() != y->size())
    fn::fail_shape(
        fmt::format("vdot: {} and {} differ in size", to_string(x->type()), to_string(y->type())));
  return multiplied("vdot", ravel(conj(x)), {0}, ravel(y), {0}, {}, o);
}
Array inner(const Arg& x, const Arg& y) { return inner(x, y, {}); }
Array inner(const Arg& x, const Arg& y, const ProductOptions& o) {
  const ApiNameScope s("inner", x.at());
  if (x->ndim() == 0 || y->ndim() == 0) return scaled(x, y, o);
  Labels a = count_from(0, x->ndim()), b = count_from(static_cast<int>(x->ndim()), y->ndim());
  b.back() = a.back();
  Labels out(a.begin(), a.end() - 1);
  out.insert(out.end(), b.begin(), b.end() - 1);
  return multiplied("inner", x, a, y, b, out, o);
}
Array outer(const Arg& x, const Arg& y) {
  const ApiNameScope s("outer", x.at());
  return multiply(expand_dims(ravel(x), 1), ravel(y));
}
Array tensordot(const Arg& x, const Arg& y, const TensordotAxes& axes, const ProductOptions& o) {
  const ApiNameScope s("tensordot", x.at());
  const int n = static_cast<int>(x->ndim()), m = static_cast<int>(y->ndim());
  Sizes p = axes.x, q = axes.y;
  if (axes.n >= 0) {
    if (axes.n > n || axes.n > m)
      fn::fail_shape(fmt::format("tensordot: {} axes of {} and {}", axes.n, to_string(x->type()),
                                 to_string(y->type())));
    for (int64_t i = 0; i < axes.n; ++i) {
      p.push_back(n - axes.n + i);
      q.push_back(i);
    }
  }
  if (p.size() != q.size())
    fn::fail_shape("tensordot: as many axes of one as of the other are needed");
  fn::axes_of("tensordot", p, n);
  fn::axes_of("tensordot", q, m);
  Labels a = count_from(0, n), b = count_from(n, m), out;
  for (size_t i = 0; i < p.size(); ++i)
    b[static_cast<size_t>(fn::axis_of("tensordot", q[i], m))] = fn::axis_of("tensordot", p[i], n);
  for (int label : a)
    if (!contains(b, label)) out.push_back(label);
  for (int label : b)
    if (label >= n) out.push_back(label);
  return multiplied("tensordot", x, a, y, b, out, o);
}

Array trace(const Arg& x, int64_t offset, int64_t axis1, int64_t axis2,
            std::optional<DType> dtype) {
  const ApiNameScope s("trace", x.at());
  return sum(diagonal(x, offset, axis1, axis2), -1, {.dtype = dtype});
}
Array kron(const Arg& x, const Arg& y) {
  const ApiNameScope s("kron", x.at());
  const size_t n = std::max(x->shape().size(), y->shape().size());
  Sizes a, b, out;
  for (size_t i = 0; i < n; ++i) {
    const size_t skip_x = n - x->shape().size(), skip_y = n - y->shape().size();
    const int64_t p = i < skip_x ? 1 : x->shape()[static_cast<int64_t>(i - skip_x)],
                  q = i < skip_y ? 1 : y->shape()[static_cast<int64_t>(i - skip_y)];
    a.insert(a.end(), {p, 1});
    b.insert(b.end(), {1, q});
    out.push_back(checked_mul(p, q));
  }
  return reshape(multiply(reshape(x, a), reshape(y, b)), out);
}
Array cross(const Arg& x, const Arg& y, int64_t axisa, int64_t axisb, int64_t axisc, OneAxis axis) {
  const ApiNameScope s("cross", x.at());
  const Array a = moveaxis(x, axis.value_or(axisa), -1), b = moveaxis(y, axis.value_or(axisb), -1);
  const int64_t n = a.shape()[-1], m = b.shape()[-1];
  if ((n != 2 && n != 3) || (m != 2 && m != 3))
    fn::fail_shape(fmt::format("cross: needs vectors of 2 or 3 components, got {} and {}",
                               to_string(x->type()), to_string(y->type())));
  const auto part = [](const Array& v, int64_t i) {
    const int64_t last = v.ndim() - 1;
    return squeeze_axes(fn::sliced(v, last, i, i + 1), {last});
  };
  const auto term = [&](int64_t i, int64_t j) { return multiply(part(a, i), part(b, j)); };
  const Array z = subtract(term(0, 1), term(1, 0));
  if (n == 2 && m == 2) return z;
  // The third component of a vector with two components is 0.
  Array first, second;
  if (n == 3 && m == 3) {
    first = subtract(term(1, 2), term(2, 1));
    second = subtract(term(2, 0), term(0, 2));
  } else if (n == 3) {
    first = negative(term(2, 1));
    second = term(2, 0);
  } else {
    first = term(1, 2);
    second = negative(term(0, 2));
  }
  return moveaxis(stack(broadcast_arrays({first, second, z}), -1), -1, axis.value_or(axisc));
}

}  // namespace weft
