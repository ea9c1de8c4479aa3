// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/shape.h: the shape of an array. This is the only place that multiplies sizes, with
// an overflow check.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/error.h"

namespace weft {

namespace ir {
// The integral types of C++ except bool, char and wchar_t. They are accepted as sizes, axes and
// indices.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t>;
}  // namespace ir

namespace typing {
// Any integer, in braces, without narrowing errors.
struct Dim {
  int64_t n;
  template <ir::Integer I>
  constexpr Dim(I i) : n(static_cast<int64_t>(i)) {}
};
}  // namespace typing

namespace ir {
std::vector<int64_t> numbers_of(std::initializer_list<typing::Dim> l);
// GCC 12 reads {.ddof = 1} as {1} if a class has a constructor from an integer. These overloads
// match such braces better than a template, and a call that selects one does not compile. {1} still
// selects an initializer list. A class inherits them by a using-declaration.
struct NoNamesInBraces {
  NoNamesInBraces() = default;
  explicit NoNamesInBraces(signed char) = delete;
  explicit NoNamesInBraces(unsigned char) = delete;
  explicit NoNamesInBraces(short) = delete;
  explicit NoNamesInBraces(unsigned short) = delete;
  explicit NoNamesInBraces(int) = delete;
  explicit NoNamesInBraces(unsigned) = delete;
  explicit NoNamesInBraces(long) = delete;
  explicit NoNamesInBraces(unsigned long) = delete;
  explicit NoNamesInBraces(long long) = delete;
  explicit NoNamesInBraces(unsigned long long) = delete;
};
// The i of s[i], with its source location.
struct Subscript {
  int64_t n;
  typing::Location at;
  template <Integer I>
  constexpr Subscript(I i, typing::Location place = typing::Location::here())
      : n(static_cast<int64_t>(i)), at(place) {}
};
}  // namespace ir

// The sizes of the axes, outermost first. A negative size raises ShapeError.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<typing::Dim> sizes, typing::Location at = typing::Location::here());
  Shape(std::vector<int64_t> sizes, typing::Location at = typing::Location::here());
  // One axis: zeros(3).
  template <ir::Integer I>
  Shape(I size, typing::Location at = typing::Location::here()) : Shape({typing::Dim(size)}, at) {}
  template <ir::Integer I>
    requires(!std::same_as<I, int64_t>)
  Shape(const std::vector<I>& sizes, typing::Location at = typing::Location::here())
      : Shape(std::vector<int64_t>(sizes.begin(), sizes.end()), at) {}
  auto begin() const { return d_.begin(); }
  auto end() const { return d_.end(); }
  size_t size() const { return d_.size(); }  // the number of axes
  int ndim() const { return static_cast<int>(d_.size()); }
  bool empty() const { return d_.empty(); }
  // The size of axis i; -1 is the last axis. Raises IndexError for an axis that does not exist.
  int64_t operator[](ir::Subscript i) const {
    const size_t k = static_cast<size_t>(i.n < 0 ? i.n + ndim() : i.n);
    if (k >= d_.size()) no_such_axis(i.n, i.at);
    return d_[k];
  }
  // The product of the sizes; ShapeError if it exceeds 2^62.
  int64_t elements(typing::Location at = typing::Location::here()) const;
  const std::vector<int64_t>& sizes() const { return d_; }
  Shape with(int axis, int64_t n) const;      // with another size on one axis
  Shape inserted(int axis, int64_t n) const;  // with an additional axis
  Shape erased(int axis) const;               // without this axis
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  [[noreturn]] void no_such_axis(int64_t i, typing::Location at) const;
  std::vector<int64_t> d_;
};

namespace ir {
// The sizes of these axes.
std::vector<int64_t> extents_of(const Shape& s, const std::vector<int64_t>& axes);
}  // namespace ir

std::string to_string(const Shape& s);  // "(2, 3)", "(2,)", "()"
namespace ir {
// Row-major strides in elements.
std::vector<int64_t> row_major(const Shape& s);
// a * b; ShapeError if its magnitude exceeds 2^62.
int64_t checked_mul(int64_t a, int64_t b);
}  // namespace ir

// NumPy's broadcast of two shapes; a ShapeError that names both if they are incompatible. Source:
// jax.numpy.broadcast_shapes.
//
//     broadcast_shapes({2, 1}, {3})  // (2, 3)
Shape broadcast_shapes(const Shape& a, const Shape& b);
namespace ir {
// Converts an axis in [-ndim, ndim) to a non-negative one. Otherwise it raises IndexError "axis 2
// is out of bounds for array of dimension 2", after the name of the function if `who` is given.
int canonical_axis(int64_t axis, int64_t ndim, const char* who = nullptr);
}  // namespace ir

}  // namespace weft
