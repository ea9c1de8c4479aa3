// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/linear.cpp: products of arrays, all of them by one contraction over labelled
// axes.
#include "weft/functions/numpy/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>

#include "weft/functions/kit.h"
#include "weft/functions/numpy/create.h"
#include "weft/functions/numpy/math.h"
#include "weft/functions/numpy/reduce.h"
#include "weft/functions/numpy/shape.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/linear/dot.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;
using Labels = std::vector<int>;

// An array whose axes have names.
struct Named {
  Array x;
  Labels axes;
  int64_t size(int label) const {
    const auto it = std::find(axes.begin(), axes.end(), label);
    return it == axes.end() ? 1 : x.shape()[it - axes.begin()];
  }
  bool has(int label) const { return std::find(axes.begin(), axes.end(), label) != axes.end(); }
};
bool contains(const Labels& l, int label) {
  return std::find(l.begin(), l.end(), label) != l.end();
}

// Axes of one name become their diagonal.
Named without_repeats(Named v) {
  for (size_t i = 0; i < v.axes.size(); ++i)
    for (size_t j = i + 1; j < v.axes.size(); ++j) {
      if (v.axes[i] != v.axes[j]) continue;
      const int label = v.axes[i];
      v.x = diagonal(v.x, 0, static_cast<int64_t>(i), static_cast<int64_t>(j));
      v.axes.erase(v.axes.begin() + static_cast<std::ptrdiff_t>(j));
      v.axes.erase(v.axes.begin() + static_cast<std::ptrdiff_t>(i));
      v.axes.push_back(label);
      return without_repeats(std::move(v));
    }
  return v;
}
// Sums the axes that `keep` does not say to keep.
template <class F>
Named summed(Named v, const F& keep) {
  Sizes gone;
  Labels left;
  for (size_t i = 0; i < v.axes.size(); ++i) {
    if (keep(v.axes[i]))
      left.push_back(v.axes[i]);
    else
      gone.push_back(static_cast<int64_t>(i));
  }
  return gone.empty() ? v : Named{lax::reduce_sum(v.x, gone), left};
}
// Axes of size 1 that the other one has larger are dropped: they are broadcast.
Named without_ones(Named v, const Named& other) {
  Sizes gone;
  Labels left;
  for (size_t i = 0; i < v.axes.size(); ++i) {
    if (v.x.shape()[static_cast<int64_t>(i)] == 1 && other.has(v.axes[i]) &&
        other.size(v.axes[i]) != 1)
      gone.push_back(static_cast<int64_t>(i));
    else
      left.push_back(v.axes[i]);
  }
  return {squeeze_axes(v.x, gone), left};
}
Array arranged(const Named& v, const Labels& out) {
  Sizes p;
  for (int label : out)
    p.push_back(std::find(v.axes.begin(), v.axes.end(), label) - v.axes.begin());
  return std::is_sorted(p.begin(), p.end()) ? v.x : transpose_axes(v.x, p);
}

// The product of two, summed over the labels for which `keep` is false.
template <class F>
Named product(Named a, Named b, const F& keep) {
  a = without_ones(a, b);
  b = without_ones(b, a);
  a = summed(a, [&](int l) { return keep(l) || b.has(l); });
  b = summed(b, [&](int l) { return keep(l) || a.has(l); });
  lax::DotDims d;
  Named out;
  Labels free_a, free_b;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    const int label = a.axes[i];
    const auto in_b = std::find(b.axes.begin(), b.axes.end(), label);
    if (in_b == b.axes.end()) {
      free_a.push_back(label);
      continue;
    }
    const int64_t j = in_b - b.axes.begin();
    (keep(label) ? d.lhs_batch : d.lhs_contract).push_back(static_cast<int64_t>(i));
    (keep(label) ? d.rhs_batch : d.rhs_contract).push_back(j);
    if (keep(label)) out.axes.push_back(label);
  }
  for (int label : b.axes)
    if (!a.has(label)) free_b.push_back(label);
  out.axes.insert(out.axes.end(), free_a.begin(), free_a.end());
  out.axes.insert(out.axes.end(), free_b.begin(), free_b.end());
  out.x = lax::dot_general(a.x, b.x, d);
  return out;
}

Labels count_from(int first, int64_t n) {
  Labels l(static_cast<size_t>(n));
  std::iota(l.begin(), l.end(), first);
  return l;
}
// One dtype; bools are counted and compared with zero afterwards.
struct Factors {
  Array x, y;
  bool logic;
};
Factors factors(const Array& x, const Array& y) {
  const Arrays v = fn::same_dtype({x, y});
  if (!is_bool(v[0].dtype())) return {v[0], v[1], false};
  return {fn::as_dtype(v[0], I32), fn::as_dtype(v[1], I32), true};
}
Array multiplied(const char* name, const Array& x, const Labels& a, const Array& y, const Labels& b,
                 const Labels& out) {
  const Factors f = factors(x, y);
  const Named p{f.x, a}, q{f.y, b};
  for (int label : a)
    if (q.has(label) && p.size(label) != q.size(label) &&
        (p.size(label) != 1 || !contains(out, label)) &&
        (q.size(label) != 1 || !contains(out, label)))
      fn::fail_shape(fmt::format("{}: shapes {} and {} are not aligned: {} against {}", name,
                                 to_string(x.type()), to_string(y.type()), p.size(label),
                                 q.size(label)));
  const Array r = arranged(product(p, q, [&](int l) { return contains(out, l); }), out);
  return f.logic ? not_equal(r, 0) : r;
}
void need_axes(const char* name, const Array& x, int64_t n) {
  if (x.ndim() < n)
    fn::fail_shape(fmt::format("{}: needs at least {} {}, got {}", name, n,
                               n == 1 ? "axis" : "axes", to_string(x.type())));
}
}  // namespace

Array dot(const Arg& x, const Arg& y) {
  const Source s(x.at());
  if (x->ndim() == 0 || y->ndim() == 0) return multiply(x, y);
  const int n = static_cast<int>(x->ndim()), m = static_cast<int>(y->ndim());
  const Labels a = count_from(0, n);
  Labels b = count_from(n, m);
  b[static_cast<size_t>(m == 1 ? 0 : m - 2)] = n - 1;
  Labels out(a.begin(), a.end() - 1);
  for (int label : b)
    if (label != n - 1) out.push_back(label);
  return multiplied("dot", x, a, y, b, out);
}

namespace {
// Batch axes are labelled from the right, below zero; rows 0, summed 1, columns 2.
Array batched_product(const char* name, const Array& x, const Labels& own_x, const Array& y,
                      const Labels& own_y) {
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
  return multiplied(name, x, a, y, b, out);
}
}  // namespace
Array matmul(const Arg& x, const Arg& y) {
  const Source s(x.at());
  need_axes("matmul", x, 1);
  need_axes("matmul", y, 1);
  return batched_product("matmul", x, x->ndim() == 1 ? Labels{1} : Labels{0, 1}, y,
                         y->ndim() == 1 ? Labels{1} : Labels{1, 2});
}
Array matvec(const Arg& x, const Arg& y) {
  const Source s(x.at());
  need_axes("matvec", x, 2);
  need_axes("matvec", y, 1);
  return batched_product("matvec", x, {0, 1}, y, {1});
}
Array vecmat(const Arg& x, const Arg& y) {
  const Source s(x.at());
  need_axes("vecmat", x, 1);
  need_axes("vecmat", y, 2);
  return batched_product("vecmat", conj(x), {1}, y, {1, 2});
}
Array vecdot(const Arg& x, const Arg& y, int64_t axis) {
  const Source s(x.at());
  need_axes("vecdot", x, 1);
  need_axes("vecdot", y, 1);
  return batched_product("vecdot", conj(moveaxis(x, axis, -1)), {1}, moveaxis(y, axis, -1), {1});
}
Array vdot(const Arg& x, const Arg& y) {
  const Source s(x.at());
  if (x->size() != y->size())
    fn::fail_shape(
        fmt::format("vdot: {} and {} differ in size", to_string(x->type()), to_string(y->type())));
  return multiplied("vdot", ravel(conj(x)), {0}, ravel(y), {0}, {});
}
Array inner(const Arg& x, const Arg& y) {
  const Source s(x.at());
  if (x->ndim() == 0 || y->ndim() == 0) return multiply(x, y);
  Labels a = count_from(0, x->ndim()), b = count_from(static_cast<int>(x->ndim()), y->ndim());
  b.back() = a.back();
  Labels out(a.begin(), a.end() - 1);
  out.insert(out.end(), b.begin(), b.end() - 1);
  return multiplied("inner", x, a, y, b, out);
}
Array outer(const Arg& x, const Arg& y) {
  const Source s(x.at());
  return multiply(expand_dims(ravel(x), 1), ravel(y));
}
Array tensordot(const Arg& x, const Arg& y, const TensordotAxes& axes) {
  const Source s(x.at());
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
  return multiplied("tensordot", x, a, y, b, out);
}

// ---- einsum

namespace {
// Letters are their codes; the axes of an ellipsis are counted from the right, below zero.
constexpr int ellipsis_label = std::numeric_limits<int>::max();
struct Formula {
  std::vector<Labels> in;
  Labels out;
  bool has_out = false;
};
[[noreturn]] void bad_formula(std::string_view f, const std::string& why) {
  fn::fail_shape(fmt::format("einsum: \"{}\": {}", f, why));
}
Formula parse(std::string_view f) {
  Formula r;
  r.in.emplace_back();
  for (size_t i = 0; i < f.size(); ++i) {
    const char c = f[i];
    Labels& to = r.has_out ? r.out : r.in.back();
    if (std::isalpha(static_cast<unsigned char>(c))) {
      to.push_back(c);
    } else if (f.substr(i, 3) == "...") {
      to.push_back(ellipsis_label);
      i += 2;
    } else if (f.substr(i, 2) == "->" && !r.has_out) {
      r.has_out = true;
      ++i;
    } else if (c == ',' && !r.has_out) {
      r.in.emplace_back();
    } else if (c != ' ') {
      bad_formula(f, fmt::format("unexpected '{}'", c));
    }
  }
  return r;
}
// Replaces the ellipsis by as many labels as there are axes left; returns how many.
int spread(std::string_view f, Labels* l, int64_t ndim) {
  const auto at = std::find(l->begin(), l->end(), ellipsis_label);
  const int n = static_cast<int>(ndim) - static_cast<int>(l->size()) + (at != l->end() ? 1 : 0);
  if (at == l->end() ? n != 0 : n < 0)
    bad_formula(
        f, fmt::format("{} letters for an array of {} axes", l->size() - (at != l->end()), ndim));
  if (at == l->end()) return 0;
  const Labels rest = count_from(-n, n);
  l->insert(l->erase(at), rest.begin(), rest.end());
  return n;
}
void implied_output(Formula* f, int ellipsis) {
  std::map<int, int> times;
  for (const Labels& l : f->in)
    for (int label : l) ++times[label];
  f->out = count_from(-ellipsis, ellipsis);
  for (auto [label, n] : times)
    if (label >= 0 && n == 1) f->out.push_back(label);
}
// The pair whose product is smallest.
template <class F>
std::pair<size_t, size_t> cheapest(const std::vector<Named>& v, const F& keep) {
  std::pair<size_t, size_t> best{0, 1};
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t j = i + 1; j < v.size(); ++j) {
      double size = 1;
      for (int l : v[i].axes)
        if (keep(i, j, l)) size *= static_cast<double>(std::max(v[i].size(l), v[j].size(l)));
      for (int l : v[j].axes)
        if (!v[i].has(l) && keep(i, j, l)) size *= static_cast<double>(v[j].size(l));
      if (size < least) {
        least = size;
        best = {i, j};
      }
    }
  return best;
}
}  // namespace

Array einsum_of(std::string_view text, const Arrays& x, Location at) {
  const Source s(at);
  Formula f = parse(text);
  if (f.in.size() != x.size())
    bad_formula(text, fmt::format("{} operands for {} arrays", f.in.size(), x.size()));
  Arrays given = fn::same_dtype(x);
  const bool logic = !given.empty() && is_bool(given[0].dtype());
  int dots = 0;
  std::vector<Named> v;
  std::map<int, int64_t> size;
  for (size_t i = 0; i < x.size(); ++i) {
    dots = std::max(dots, spread(text, &f.in[i], x[i].ndim()));
    for (size_t k = 0; k < f.in[i].size(); ++k) {
      int64_t& n = size.emplace(f.in[i][k], 1).first->second;
      const int64_t m = x[i].shape()[static_cast<int64_t>(k)];
      if (n != m && n != 1 && m != 1)
        bad_formula(
            text, fmt::format("an axis of operand {} has size {}, the same letter has {} before", i,
                              m, n));
      if (m != 1) n = m;
    }
    v.push_back(without_repeats({logic ? fn::as_dtype(given[i], I32) : given[i], f.in[i]}));
  }
  if (!f.has_out) {
    implied_output(&f, dots);
  } else if (const auto it = std::find(f.out.begin(), f.out.end(), ellipsis_label);
             it != f.out.end()) {
    const Labels rest = count_from(-dots, dots);
    f.out.insert(f.out.erase(it), rest.begin(), rest.end());
  }
  for (size_t i = 0; i < f.out.size(); ++i)
    if (size.find(f.out[i]) == size.end() || std::count(f.out.begin(), f.out.end(), f.out[i]) > 1)
      bad_formula(text, "each letter of the result must stand there once, and in an operand");
  const auto keep = [&](size_t i, size_t j, int label) {
    if (contains(f.out, label)) return true;
    for (size_t k = 0; k < v.size(); ++k)
      if (k != i && k != j && v[k].has(label)) return true;
    return false;
  };
  while (v.size() > 1) {
    const auto [i, j] = cheapest(v, keep);
    Named p = product(v[i], v[j], [&, a = i, b = j](int l) { return keep(a, b, l); });
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(j));
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(i));
    v.push_back(std::move(p));
  }
  const Array r = arranged(summed(v[0], [&](int l) { return contains(f.out, l); }), f.out);
  return logic ? not_equal(r, 0) : r;
}
Array einsum(std::string_view f, const Arg& x) { return einsum_of(f, {x}, x.at()); }
Array einsum(std::string_view f, const Arg& x, const Arg& y) {
  return einsum_of(f, {x, y}, x.at());
}
Array einsum(std::string_view f, const Arg& x, const Arg& y, const Arg& z) {
  return einsum_of(f, {x, y, z}, x.at());
}
Array einsum(std::string_view f, const Arg& x, const Arg& y, const Arg& z, const Arg& w) {
  return einsum_of(f, {x, y, z, w}, x.at());
}

Array trace(const Arg& x, int64_t offset, int64_t axis1, int64_t axis2) {
  const Source s(x.at());
  return sum(diagonal(x, offset, axis1, axis2), -1);
}
Array kron(const Arg& x, const Arg& y) {
  const Source s(x.at());
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
Array cross(const Arg& x, const Arg& y, int64_t axis) {
  const Source s(x.at());
  const Array a = moveaxis(x, axis, -1), b = moveaxis(y, axis, -1);
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
  // A vector of two components has 0 as its third.
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
  return moveaxis(stack({first, second, z}, -1), -1, axis);
}

}  // namespace weft
