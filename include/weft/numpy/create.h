// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/create.h: creation of arrays from numbers, vectors and spans, and of filled,
// counted and patterned arrays.
#pragma once
#include <array>

#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
// A literal of numbers and arrays in nested braces: {{1., 2.}, {3., 4.}}.
struct Nested {
  enum class Kind {
    list,
    boolean,
    integer,
    beyond_i64,
    real,
    complex,
    array
  };  // the last integers are U64 values stored in i
  Kind kind = Kind::list;
  std::vector<Nested> children;
  int64_t i = 0;
  double r = 0;
  double im = 0;
  Array a;
  Nested() = default;
  template <ir::Number T>
  Nested(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      kind = Kind::real;
      r = static_cast<double>(x);
    } else {
      kind = std::is_same_v<T, bool> ? Kind::boolean : Kind::integer;
      i = static_cast<int64_t>(x);
      if (std::is_unsigned_v<T> && i < 0) kind = Kind::beyond_i64;
    }
  }
  // std::complex and similar types.
  template <ir::ComplexNumber T>
  Nested(const T& x)
      : kind(Kind::complex), r(static_cast<double>(x.real())), im(static_cast<double>(x.imag())) {}
  Nested(const Array& x) : kind(Kind::array), a(x) {}
  Nested(std::initializer_list<Nested> l);
  // Defined out of line, because what it copies is slow to include in each program.
  Nested(const Nested&);
  Nested(Nested&&) noexcept;
  Nested& operator=(const Nested&);
  Nested& operator=(Nested&&) noexcept;
  ~Nested();
};
}  // namespace typing

// Makes an array from numbers or arrays in nested braces; arrays are stacked. By default real
// numbers are F32, complex numbers C64, integers I32 (DTypeError for one that does not fit) and
// bools Bool.
Array array(const typing::Nested& n, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here());
namespace typing {
struct ArrayOptions {
  // Allows only named fields: array({1, 2}, {.ndmin = 2}).
  detail::Designated by_name{detail::ByName::tag};
  MaybeDType dtype = {};  // default: as in array()
  int64_t ndmin = 0;      // the least number of axes; missing axes are added in front with size 1
};
}  // namespace typing
// Makes an array with these options. Source: jax.numpy.array.
Array array(const typing::Nested& n, const typing::ArrayOptions& o,
            typing::Location at = typing::Location::here());

namespace detail {
template <class T>
concept ArrayElement = requires { ir::dtype_of<std::remove_cv_t<T>>::value; };
Array array_from(const void* data, size_t count, DType d, const Shape* shape, typing::Location at);
// Returns x, converted to the dtype if one is given.
Array given_dtype(Array x, std::optional<DType> dtype, typing::Location at);
Array at_least_axes(Array x, int64_t ndmin, typing::Location at);

// The type of the numbers in vectors and arrays of numbers.
template <class T>
struct ElementOf {
  using type = T;
};
template <class T>
struct ElementOf<std::vector<T>> : ElementOf<T> {};
template <class T, size_t N>
struct ElementOf<std::array<T, N>> : ElementOf<T> {};
template <class R>
using element_of = typename ElementOf<R>::type;
template <class R>
concept NestedRange = requires { typename R::value_type; } && ArrayElement<element_of<R>> &&
                      !std::same_as<R, element_of<R>> &&  // a std::complex is a number, not a range
                      !std::same_as<typename R::value_type, element_of<R>>;
[[noreturn]] void ragged_rows(int64_t got, int64_t want, typing::Location at);
// Appends the numbers of x, and the sizes of x by depth.
template <class R, class T>
void flatten_rows(const R& x, size_t depth, std::vector<T>& flat, std::vector<int64_t>& sizes,
                  typing::Location at) {
  if constexpr (std::same_as<R, T>) {
    flat.push_back(x);
  } else {
    const auto n = static_cast<int64_t>(x.size());
    if (sizes.size() == depth)
      sizes.push_back(n);
    else if (sizes[depth] != n)
      ragged_rows(n, sizes[depth], at);
    for (const auto& row : x) flatten_rows<typename R::value_type>(row, depth + 1, flat, sizes, at);
  }
}
}  // namespace detail

// Makes an array from elements in row-major order, in the dtype of the vector. With a dtype they
// are converted like numbers in braces. Raises DTypeError for complex numbers without a complex
// dtype, and for integers beyond I32 without a dtype that can hold them.
template <detail::ArrayElement T>
Array array(std::span<const T> x, const Shape& shape, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return detail::given_dtype(detail::array_from(x.data(), x.size(), ir::dtype_of_v<T>, &shape, at),
                             dtype, at);
}
template <detail::ArrayElement T>
Array array(std::span<const T> x, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return detail::given_dtype(detail::array_from(x.data(), x.size(), ir::dtype_of_v<T>, nullptr, at),
                             dtype, at);
}
template <detail::ArrayElement T, size_t N>
Array array(std::span<T, N> x, const Shape& shape, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x.data(), x.size()), shape, dtype, at);
}
template <detail::ArrayElement T>
Array array(const std::vector<T>& x, const Shape& shape, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  if constexpr (std::is_same_v<T, bool>) {
    const std::vector<uint8_t> bytes(x.begin(), x.end());
    return detail::given_dtype(detail::array_from(bytes.data(), bytes.size(), Bool, &shape, at),
                               dtype, at);
  } else {
    return array(std::span<const T>(x), shape, dtype, at);
  }
}
template <detail::ArrayElement T>
Array array(const std::vector<T>& x, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(x, Shape{static_cast<int64_t>(x.size())}, dtype, at);
}
// Makes an array from rows of numbers of equal length (ShapeError), nested to any depth; vectors
// and std::array may be mixed.
template <detail::NestedRange R>
Array array(const R& rows, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  using T = detail::element_of<R>;
  std::vector<T> flat;
  std::vector<int64_t> sizes;
  detail::flatten_rows(rows, 0, flat, sizes, at);
  return array(flat, Shape(std::move(sizes), at), dtype, at);
}
template <detail::ArrayElement T, size_t N>
Array array(const std::array<T, N>& x, const Shape& shape, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x.data(), N), shape, dtype, at);
}
template <detail::ArrayElement T, size_t N>
Array array(const std::array<T, N>& x, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x.data(), N), dtype, at);
}
template <detail::ArrayElement T, size_t N>
Array array(std::span<T, N> x, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x.data(), x.size()), dtype, at);
}
// Makes an array from a named C array, with the default dtypes of numbers in braces.
template <class T, size_t N>
  requires detail::ArrayElement<std::remove_const_t<T>>
Array array(T (&x)[N], std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x, N), dtype, at);
}
// Makes an array from the elements at a pointer, as many as the shape has.
template <detail::ArrayElement T>
Array array(const T* x, const Shape& shape, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here()) {
  return array(std::span<const T>(x, static_cast<size_t>(shape.elements(at))), shape, dtype, at);
}
// Makes an array from any of these with the options of numbers in braces: array(v, {.dtype = F32,
// .ndmin = 2}). GCC cannot distinguish {.ndmin = 2} alone from a shape; write
// typing::ArrayOptions{.ndmin = 2} there.
template <class R>
  requires(!std::convertible_to<const R&, typing::Nested>)
Array array(const R& x, const typing::ArrayOptions& o,
            typing::Location at = typing::Location::here()) {
  return detail::at_least_axes(array(x, o.dtype, at), o.ndmin, at);
}
// Makes an array from numbers in memory with a shape.
template <class R, std::same_as<typing::DTypeOption> O = typing::DTypeOption>
  requires(!std::convertible_to<const R&, typing::Nested>)
Array array(const R& x, const Shape& shape, const O& o,
            typing::Location at = typing::Location::here()) {
  return array(x, shape, o.dtype, at);
}
// Returns x itself, or x converted to `dtype`. Numbers that array() accepts are converted to an
// Array as there. Source: jax.numpy.asarray.
Array asarray(const typing::Arg& x, std::optional<DType> dtype = {});
template <class R>
  requires(!std::convertible_to<const R&, typing::Arg> &&
           requires(const R& x, std::optional<DType> d) { array(x, d); })
Array asarray(const R& x, std::optional<DType> dtype = {},
              typing::Location at = typing::Location::here()) {
  return array(x, dtype, at);
}
// Makes an array from numbers in braces.
Array asarray(std::initializer_list<typing::Nested> x, std::optional<DType> dtype = {},
              typing::Location at = typing::Location::here());
template <class = void>
Array asarray(const typing::Arg& x, const typing::DTypeOption& o);
template <class = void>
Array asarray(std::initializer_list<typing::Nested> x, const typing::DTypeOption& o,
              typing::Location at = typing::Location::here());
template <class R, std::same_as<typing::DTypeOption> O = typing::DTypeOption>
  requires(!std::convertible_to<const R&, typing::Arg>)
Array asarray(const R& x, const O& o, typing::Location at = typing::Location::here()) {
  return asarray(x, o.dtype, at);
}

// Overloads with options are templates, which are instantiated in dtypes.cpp. If both of two
// overloads accept {}, compilers prefer the one that is not a template, and {} cannot deduce a
// dtype.

// ---- filled
namespace detail {
template <ir::Integer I>
Array shape_of_many() {
  static_assert(!ir::Integer<I>, "weft: the shape is one argument, in braces: write ones({3, 3})");
  return Array();
}
}  // namespace detail
// Returns zeros of this shape, of any dtype. Source: jax.numpy.zeros.
//
//     zeros({2}, I32)  // array([0, 0], dtype=int32)
Array zeros(const Shape& shape, DType dtype = F32, typing::Location at = typing::Location::here());
template <class = void>
Array zeros(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <ir::Integer I, ir::Integer J, ir::Integer... K>
Array zeros(I, J, K...) {
  return detail::shape_of_many<I>();
}
// Returns ones of this shape. Raises DTypeError for keys. Source: jax.numpy.ones.
//
//     ones({3})  // array([1., 1., 1.], dtype=float32)
Array ones(const Shape& shape, DType dtype = F32, typing::Location at = typing::Location::here());
template <class = void>
Array ones(const Shape& shape, const typing::DTypeOption& o,
           typing::Location at = typing::Location::here());
template <ir::Integer I, ir::Integer J, ir::Integer... K>
Array ones(I, J, K...) {
  return detail::shape_of_many<I>();
}
// The same as zeros. Source: jax.numpy.empty.
Array empty(const Shape& shape, DType dtype = F32, typing::Location at = typing::Location::here());
template <class = void>
Array empty(const Shape& shape, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <ir::Integer I, ir::Integer J, ir::Integer... K>
Array empty(I, J, K...) {
  return detail::shape_of_many<I>();
}
// Returns an array of this shape filled with the value, a number or an array that broadcasts to the
// shape (ShapeError). It has the dtype of the value or the given one. Raises DTypeError for an
// integer beyond I32 without a dtype that can hold it, and for a complex number with a real dtype.
// Source: jax.numpy.full.
//
//     full({2}, 7)  // array([7, 7], dtype=int32)
Array full(const Shape& shape, const typing::Arg& value, std::optional<DType> dtype = {});
template <class = void>
Array full(const Shape& shape, const typing::Arg& value, const typing::DTypeOption& o);
// Returns zeros with the shape and dtype of x, or with the given ones. Source:
// jax.numpy.zeros_like.
//
//     zeros_like(array({1.5, 2.5}))  // array([0., 0.], dtype=float32)
Array zeros_like(const typing::Arg& x, std::optional<DType> dtype = {},
                 std::optional<Shape> shape = {});
template <class = void>
Array zeros_like(const typing::Arg& x, const typing::LikeOptions& o);
// Returns ones with the shape and dtype of x, or with the given ones. Raises DTypeError for keys.
// Source: jax.numpy.ones_like.
Array ones_like(const typing::Arg& x, std::optional<DType> dtype = {},
                std::optional<Shape> shape = {});
template <class = void>
Array ones_like(const typing::Arg& x, const typing::LikeOptions& o);
// The same as zeros_like. Source: jax.numpy.empty_like.
Array empty_like(const typing::Arg& x, std::optional<DType> dtype = {},
                 std::optional<Shape> shape = {});
template <class = void>
Array empty_like(const typing::Arg& x, const typing::LikeOptions& o);
// Returns an array filled with the value, with the shape and dtype of x or with the given ones. An
// array value is broadcast (ShapeError). Source: jax.numpy.full_like.
//
//     full_like(array({1, 2}), 7)  // array([7, 7], dtype=int32)
Array full_like(const typing::Arg& x, const typing::Arg& value, std::optional<DType> dtype = {},
                std::optional<Shape> shape = {});
template <class = void>
Array full_like(const typing::Arg& x, const typing::Arg& value, const typing::LikeOptions& o);

// ---- counted. The bounds of arange must be known numbers.
// Returns the vector start (default 0), start + step, … up to but excluding stop. It has the
// promoted dtype or the given one, and is empty if the step leads away from stop. Raises
// ConcretizationError for traced bounds, ShapeError for bounds that are not scalars and for a step
// of 0, and DTypeError for Bool. Source: jax.numpy.arange.
//
//     arange(2, 8, 3)  // array([2, 5], dtype=int32)
Array arange(const typing::Arg& stop, std::optional<DType> dtype = {});
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::Arg& step = 1,
             std::optional<DType> dtype = {});
template <class = void>
Array arange(const typing::Arg& stop, const typing::DTypeOption& o);
template <class = void>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::DTypeOption& o);
template <class = void>
Array arange(const typing::Arg& start, const typing::Arg& stop, const typing::Arg& step,
             const typing::DTypeOption& o);
template <detail::PlainDType D>
Array arange(const typing::Arg& start, const typing::Arg& stop, D dtype);
namespace typing {
struct LinspaceOptions {
  bool endpoint = true;             // `stop` is the last sample
  std::optional<DType> dtype = {};  // dtype of the result; integer results are rounded down
  int64_t axis = 0;                 // the axis of the samples if the bounds are arrays
};
}  // namespace typing
// Returns num equally spaced samples from start to stop, which are broadcast together, along a new
// axis. The samples are floats (F32 for integers, F64 for 64-bit integers). Raises ShapeError for
// num < 0. Source: jax.numpy.linspace.
//
//     linspace(0, 1, 5)  // array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
Array linspace(const typing::Arg& start, const typing::Arg& stop, int64_t num = 50,
               const typing::LinspaceOptions& o = {});
template <class = void>
Array linspace(const typing::Arg& start, const typing::Arg& stop, const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <detail::PlainDType D>
Array linspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
// Returns the samples of linspace and the distance between them, which has the shape of the bounds
// and is NaN for fewer than two samples. Source: jax.numpy.linspace.
std::pair<Array, Array> linspace_step(const typing::Arg& start, const typing::Arg& stop,
                                      int64_t num = 50, const typing::LinspaceOptions& o = {});
// Returns base raised to the powers linspace(start, stop). Source: jax.numpy.logspace.
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num = 50,
               const typing::Arg& base = 10, const typing::LinspaceOptions& o = {});
template <class = void>
Array logspace(const typing::Arg& start, const typing::Arg& stop, const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <class = void>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
template <detail::PlainDType D>
Array logspace(const typing::Arg& start, const typing::Arg& stop, int64_t num,
               const typing::Arg& base, D dtype);
// Returns num samples from start to stop with a constant ratio. start and stop have the same sign
// or are complex; the ends are exact. Source: jax.numpy.geomspace.
Array geomspace(const typing::Arg& start, const typing::Arg& stop, int64_t num = 50,
                const typing::LinspaceOptions& o = {});
template <class = void>
Array geomspace(const typing::Arg& start, const typing::Arg& stop,
                const typing::LinspaceOptions& o);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, D dtype);
template <detail::PlainDType D>
Array geomspace(const typing::Arg& start, const typing::Arg& stop, int64_t num, D dtype);
// Returns the integers 0, 1, …, n - 1 as a vector of this dtype. Source: jax.lax.iota.
//
//     iota(I32, 3)  // array([0, 1, 2], dtype=int32)
Array iota(DType dtype, int64_t n, typing::Location at = typing::Location::here());
template <class = void>
Array iota(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array iota(int64_t n, D dtype, typing::Location at = typing::Location::here());

// ---- patterned
// Returns the matrix (n, m) with ones on diagonal k and zeros elsewhere. m is n by default; k > 0
// is above the main diagonal. Source: jax.numpy.eye.
Array eye(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, DType dtype = F32,
          typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <class = void>
Array eye(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array eye(int64_t n, D dtype, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array eye(int64_t n, std::optional<int64_t> m, D dtype,
          typing::Location at = typing::Location::here());
// Returns the matrix (n, n) with ones on the diagonal and zeros elsewhere. Source:
// jax.numpy.identity.
Array identity(int64_t n, DType dtype = F32, typing::Location at = typing::Location::here());
template <class = void>
Array identity(int64_t n, const typing::DTypeOption& o,
               typing::Location at = typing::Location::here());
// Returns the matrix (n, m) with ones at and below diagonal k and zeros above. m is n by default.
// Source: jax.numpy.tri.
Array tri(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, DType dtype = F32,
          typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, const typing::DTypeOption& o, typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, std::optional<int64_t> m, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <class = void>
Array tri(int64_t n, std::optional<int64_t> m, int64_t k, const typing::DTypeOption& o,
          typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array tri(int64_t n, D dtype, typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array tri(int64_t n, std::optional<int64_t> m, D dtype,
          typing::Location at = typing::Location::here());
// Returns x (…, n, m) with zeros above diagonal k of the last two axes. Raises ShapeError for fewer
// than two axes. Source: jax.numpy.tril.
Array tril(const typing::Arg& x, int64_t k = 0);
// Returns x (…, n, m) with zeros below diagonal k of the last two axes. Raises ShapeError for fewer
// than two axes. Source: jax.numpy.triu.
Array triu(const typing::Arg& x, int64_t k = 0);
// For a vector (n), returns the matrix (n + |k|, n + |k|) with it on diagonal k and zeros
// elsewhere. For a matrix, returns its diagonal k. Raises ShapeError for other shapes. Source:
// jax.numpy.diag.
//
//     diag(array({{1, 2}, {3, 4}}))  // array([1, 4], dtype=int32)
Array diag(const typing::Arg& x, int64_t k = 0);
// Returns the diagonal x[…, i, …, i + offset, …] of two axes, which are removed. The diagonal is
// the last axis of the result and may be empty. Raises ShapeError if both are the same axis.
// Source: jax.numpy.diagonal.
//
//     diagonal(array({{1, 2, 3}, {4, 5, 6}}), 1)  // array([2, 6], dtype=int32)
Array diagonal(const typing::Arg& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
// Returns the matrix with the elements of x, flattened, on diagonal k. Source: jax.numpy.diagflat.
Array diagflat(const typing::Arg& x, int64_t k = 0);
// Returns coordinate arrays of a grid, one for each vector or scalar. With `indexing` "ij" axis i
// belongs to x[i]; with "xy" the first two axes are exchanged. With sparse, each array has size 1
// along all other axes. Raises ShapeError for another indexing and for operands with more than one
// axis. Source: jax.numpy.meshgrid.
Arrays meshgrid(const Arrays& x, const std::string& indexing = "xy", bool sparse = false,
                typing::Location at = typing::Location::here());

}  // namespace weft
