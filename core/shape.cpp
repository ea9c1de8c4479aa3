// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/shape.cpp: shapes, their sizes with overflow checks, and broadcasting.
#include "weft/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir.h"
#include "weft/error.h"

namespace weft {
namespace {

constexpr int64_t max_size = int64_t{1} << 62;

// Writes the product and returns true if |a * b| <= 2^62.
bool multiply(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_mul_overflow(a, b, out) && *out <= max_size && *out >= -max_size;
}

void refuse_negative(const std::vector<int64_t>& sizes, Location at) {
  for (int64_t n : sizes) {
    if (n >= 0) continue;
    const SourceScope source(at);
    throw ShapeError(fmt::format("negative size {} in shape ({})", n, fmt::join(sizes, ", ")));
  }
}

}  // namespace

std::vector<int64_t> ir::numbers_of(std::initializer_list<Dim> l) {
  std::vector<int64_t> r;
  r.reserve(l.size());
  for (Dim d : l) r.push_back(d.n);
  return r;
}

Shape::Shape(std::initializer_list<Dim> sizes, Location at) : Shape(numbers_of(sizes), at) {}

Shape::Shape(std::vector<int64_t> sizes, Location at) : d_(std::move(sizes)) {
  refuse_negative(d_, at);
}

void Shape::no_such_axis(int64_t i, Location at) const {
  const SourceScope source(at);
  throw IndexError(
      fmt::format("axis {} is out of bounds for array of dimension {}: the shape {} has {}", i,
                  ndim(), to_string(*this),
                  d_.empty() ? std::string("no axes")
                             : fmt::format("the axes 0 to {}, or -1 to {}", ndim() - 1, -ndim())));
}

int64_t Shape::elements(Location at) const {
  // The check ignores zeros, as in NumPy. So the product of any subset of the axes of an accepted
  // shape fits, even if the array has no elements.
  int64_t n = 1;
  bool none = false;
  for (int64_t size : d_) {
    none |= size == 0;
    if (size != 0 && !multiply(n, size, &n)) {
      const SourceScope source(at);
      throw ShapeError("an array of shape " + to_string(*this) +
                       " is too big: it has more than 2^62 elements");
    }
  }
  return none ? 0 : n;
}

Shape Shape::with(int axis, int64_t n) const {
  std::vector<int64_t> d = d_;
  d[canonical_axis(axis, ndim())] = n;
  return Shape(std::move(d));
}

Shape Shape::inserted(int axis, int64_t n) const {
  std::vector<int64_t> d = d_;
  d.insert(d.begin() + canonical_axis(axis, ndim() + 1), n);
  return Shape(std::move(d));
}

Shape Shape::erased(int axis) const {
  std::vector<int64_t> d = d_;
  d.erase(d.begin() + canonical_axis(axis, ndim()));
  return Shape(std::move(d));
}

std::string to_string(const Shape& s) {
  return s.size() == 1 ? fmt::format("({},)", s[0]) : fmt::format("({})", fmt::join(s, ", "));
}

std::vector<int64_t> ir::extents_of(const Shape& s, const std::vector<int64_t>& axes) {
  std::vector<int64_t> r;
  for (int64_t a : axes) r.push_back(s[a]);
  return r;
}

std::vector<int64_t> ir::row_major(const Shape& s) {
  std::vector<int64_t> strides(s.size());
  int64_t step = 1;
  for (size_t i = s.size(); i-- > 0;) {
    strides[i] = step;
    // A size of zero counts as one, as in NumPy; the array has no elements to address anyway.
    if (!multiply(step, std::max<int64_t>(s.sizes()[i], 1), &step)) (void)s.elements();
  }
  return strides;
}

int64_t ir::checked_mul(int64_t a, int64_t b) {
  int64_t out;
  if (!multiply(a, b, &out))
    throw ShapeError(fmt::format("size overflow: {} * {} is beyond 2^62", a, b));
  return out;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  std::vector<int64_t> d = longer.sizes();
  for (int i = -1; i >= -shorter.ndim(); --i) {
    int64_t& n = d[longer.ndim() + i];
    int64_t m = shorter[i];
    if (n != m && n != 1 && m != 1)
      throw ShapeError(fmt::format(
          "incompatible shapes for broadcasting: {} and {} (sizes {} and {} on axis {}; "
          "sizes must be equal or 1)",
          to_string(a), to_string(b), a[i], b[i], i));
    if (n == 1) n = m;
  }
  return Shape(std::move(d));
}

int ir::canonical_axis(int64_t axis, int64_t ndim, const char* who) {
  if (axis < -ndim || axis >= ndim)
    throw IndexError(fmt::format("{}axis {} is out of bounds for array of dimension {}",
                                 who ? std::string(who) + ": " : "", axis, ndim));
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

}  // namespace weft
