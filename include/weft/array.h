// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/array.h: Array, the class for concrete arrays of numbers and for traced values.
#pragma once
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/detail/ref.h"
#include "weft/dtype.h"
#include "weft/error.h"
#include "weft/shape.h"
#include "weft/type.h"

namespace weft {

// ---- short constants of the interface
// Their constructors are explicit, so that {} never converts to them.

// The type of `none`.
struct none_t {
  explicit constexpr none_t(int) {}
  // Converts to an optional without a value, unless the optional's value type can be constructed
  // from none.
  template <class T>
    requires(!std::is_constructible_v<T, const none_t&>)
  constexpr operator std::optional<T>() const {
    return std::nullopt;
  }
};
// The value for an omitted argument: all axes, x flattened, no bound. As an index it is a new axis,
// as NumPy's None.
inline constexpr none_t none{0};
// The type of `newaxis`.
struct newaxis_t {
  explicit constexpr newaxis_t(int) {}
};
// An index that inserts an axis of size 1: x[{slice(), newaxis}]. Source: jax.numpy.newaxis.
inline constexpr newaxis_t newaxis{0};
// The type of `ellipsis`.
struct ellipsis_t {
  explicit constexpr ellipsis_t(int) {}
};
// An index for all axes that the other indices do not cover: x[{ellipsis, 0}] indexes the last
// axis. It corresponds to Python's `...` and may occur once in an index (IndexError).
inline constexpr ellipsis_t ellipsis{0};

namespace ir {
// A C++ number: a bool, an integer or a float, but not a character.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t>;
}  // namespace ir

class Array;
namespace typing {
class Arg;
// The type that a transform deduces for an overloaded name: the function of two arrays, as in
// vmap(matmul).
using BinaryFunction = Array (*)(const Arg&, const Arg&);
// The same for one array, for names that <cmath> also has: grad(tanh).
using UnaryFunction = Array (*)(const Arg&);
class At;
struct Index;
}  // namespace typing
// A list of arrays: arguments and results of functions with any number of arrays.
using Arrays = std::vector<Array>;

namespace typing {
// The axes of a reduction: none (all of them), one, or a list; and their source location.
struct AxisList : ir::NoNamesInBraces {
  using NoNamesInBraces::NoNamesInBraces;
  bool all = false;
  std::vector<int64_t> axes;
  Location at;
  AxisList(none_t, Location place = Location::here()) : all(true), at(place) {}
  template <ir::Integer I>
  AxisList(I i, Location place = Location::here()) : axes{static_cast<int64_t>(i)}, at(place) {}
  AxisList(std::initializer_list<Dim> l, Location place = Location::here())
      : axes(ir::numbers_of(l)), at(place) {}
  AxisList(std::vector<int64_t> l, Location place = Location::here())
      : axes(std::move(l)), at(place) {}
};

// The result shape of reshape. One size may be -1: it is computed from the number of elements.
struct NewShape : ir::NoNamesInBraces {
  using NoNamesInBraces::NoNamesInBraces;
  std::vector<int64_t> sizes;
  Location at;
  template <ir::Integer I>
  NewShape(I n, Location place = Location::here()) : sizes{static_cast<int64_t>(n)}, at(place) {}
  NewShape(std::initializer_list<Dim> l, Location place = Location::here())
      : sizes(ir::numbers_of(l)), at(place) {}
  NewShape(std::vector<int64_t> l, Location place = Location::here())
      : sizes(std::move(l)), at(place) {}
  NewShape(const Shape& s, Location place = Location::here()) : sizes(s.sizes()), at(place) {}
};
}  // namespace typing

namespace ir {
// The object behind an Array: a buffer on a device, or a value of an interpreter.
class Node : public RefCounted {
 public:
  Node(typing::Type t, typing::Location at) : type(t), made(at) {}
  const typing::Type type;
  const typing::Location made;  // location in the user's code
  virtual bool concrete() const { return false; }
};
}  // namespace ir

namespace typing {
struct ReduceOptions;
struct ArgOptions;
struct VarOptions;
struct CumulativeOptions;
struct SortOptions;
struct ArgsortOptions;
struct TakeOptions;
struct MaybeArray;
}  // namespace typing

namespace detail {
// The type of a field that these options do not have although other options do. Setting it gives a
// compile error that names the alternative.
template <class Instead>
struct NoOption {
  NoOption() = default;
  template <class T>
  NoOption(const T&) {
    Instead::template say<T>();
  }
};
// The result of a call that does not compile.
template <class R>
R never();
template <class V>
constexpr void no_assignment() {
  static_assert(!std::same_as<V, V>,
                "weft: Arrays do not change. Write x = x.at(i).set(v), or .add(v), .multiply(v)");
}
// True if one is an Array and the other is a range that does not convert to one: a vector, a C++
// array, text.
template <class A, class B>
inline constexpr bool array_and_range = false;
template <class B>
  requires std::ranges::range<const B&>
inline constexpr bool array_and_range<Array, B> =
    !std::is_convertible_v<const B&, typing::Arg> && !std::is_convertible_v<const Array&, B>;
template <class A>
  requires std::ranges::range<const A&>
inline constexpr bool array_and_range<A, Array> = array_and_range<Array, A>;
template <class R, class A, class B>
R no_operator() {
  static_assert(!array_and_range<A, B>,
                "weft: operators take Arrays and numbers; of a vector v write array(v), in text "
                "to_string(x)");
  return never<R>();
}
namespace refused {
// A base of Array, so that its operators are found: those of an Array and a range, which do not
// compile. If there were none, compilers would show all operators + of the standard library. The
// namespace holds nothing else, because calls with Arrays look for functions in it.
struct Operators {
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator+(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator-(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator*(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator/(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator%(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator&(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator|(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator^(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator<(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator<=(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator>(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator>=(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator==(const A&, const B&) {
    return no_operator<R, A, B>();
  }
  template <class A, class B, class R = Array>
    requires array_and_range<A, B>
  friend R operator!=(const A&, const B&) {
    return no_operator<R, A, B>();
  }
};
}  // namespace refused
}  // namespace detail

// An array of numbers with one dtype and shape, or a value that a transform traces. It is a handle:
// copies share the elements. Elements never change, unless the only handle is moved from. Array()
// is an empty handle, any use of which is a ShapeError. Source: jax.Array.
class Array : detail::refused::Operators {
 public:
  Array() = default;  // an empty handle; any use raises ShapeError "empty Array"
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;
  // A C++ number is a weakly typed scalar: F32, Bool, or I32 (for larger values I64 or U64). A
  // double keeps its full value.
  template <ir::Number T>
  Array(T x) : Array(scalar(x)) {}
  // A complex number is a weakly typed C64 if that represents both parts exactly, else a C128.
  template <ir::ComplexNumber T>
  Array(const T& z)
      : Array(scalar_complex(static_cast<double>(z.real()), static_cast<double>(z.imag()))) {}
  explicit Array(ir::Ref<const ir::Node> n) : node_(std::move(n)) {}

  // ---- properties, known while tracing
  const typing::Type& type(typing::Location at = typing::Location::here()) const {
    return node(at).type;
  }
  const Shape& shape(typing::Location at = typing::Location::here()) const {
    return type(at).shape();
  }
  int64_t ndim(typing::Location at = typing::Location::here()) const { return type(at).ndim(); }
  int64_t size(typing::Location at = typing::Location::here()) const { return type(at).elements(); }
  DType dtype(typing::Location at = typing::Location::here()) const { return type(at).dtype(); }
  bool weak_type(typing::Location at = typing::Location::here()) const { return type(at).weak(); }
  // The bytes of one element (8 for a key), and of all elements.
  int64_t itemsize(typing::Location at = typing::Location::here()) const;
  int64_t nbytes(typing::Location at = typing::Location::here()) const {
    return size(at) * itemsize(at);
  }
  std::string device(typing::Location at = typing::Location::here()) const;
  bool is_traced(typing::Location at = typing::Location::here()) const {
    return !node(at).concrete();
  }
  bool empty_handle() const { return !node_; }

  // ---- values, of concrete arrays; ConcretizationError on traced ones
  // The only element, converted to T.
  template <class T>
  T item(typing::Location at = typing::Location::here()) const;
  // The result has the C++ type that the caller names, so the type is required.
  template <class T = void>
    requires std::is_void_v<T>
  double item(typing::Location = typing::Location::here()) const {
    static_assert(!std::is_void_v<T>, "weft: write the type of the number: x.item<float>()");
    return 0;
  }
  // The element at an index; a single number indexes in row-major order: x.item<float>(3),
  // x.item<float>({1, -1}). IndexError if it does not exist.
  template <class T, ir::Integer I>
  T item(I i, typing::Location at = typing::Location::here()) const;
  template <class T>
  T item(std::initializer_list<typing::Dim> i,
         typing::Location at = typing::Location::here()) const;
  // All elements, row-major, converted to T.
  template <class T>
  std::vector<T> to_vector(typing::Location at = typing::Location::here()) const;
  // A view of the elements in memory, row-major. T must be the array's own element type
  // (DTypeError).
  template <class T>
  std::span<const T> data(typing::Location at = typing::Location::here()) const& {
    return {static_cast<const T*>(host_data(ir::dtype_of_v<T>, at)), static_cast<size_t>(size())};
  }
  template <class T>
  std::span<const T> data() const&& = delete;  // of a temporary, the view would dangle
  const Array& block_until_ready(typing::Location at = typing::Location::here()) const;
  explicit operator bool() const;
  // float(x): the only element of a concrete array, as item<float>().
  template <ir::Number T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const {
    return item<T>();
  }

  // ---- indexing: new arrays
  // `x[i] = v` does not compile. Write x = x.at(i).set(v) instead; x = std::move(x).at(i).set(v)
  // writes in place if no other handle to x exists.

  const Array operator[](const typing::Index& i) const;
  const Array operator[](std::initializer_list<typing::Index> i) const;
  // Rejects x[i] = v and x[i] += v, because x[i] is a new array and the assignment would be lost.
  template <class V>
  void operator=(const V&) const&& {
    detail::no_assignment<V>();
  }
  typing::At at(const typing::Index& i) const&;
  typing::At at(const typing::Index& i) &&;
  typing::At at(std::initializer_list<typing::Index> i,
                typing::Location at = typing::Location::here()) const&;
  typing::At at(std::initializer_list<typing::Index> i,
                typing::Location at = typing::Location::here()) &&;

  // ---- methods for common functions; the free functions of the same names document them
  template <class = void>
  Array sum(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array sum(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array sum(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array sum(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array sum(D d, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array mean(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array mean(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array mean(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array mean(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array mean(D d, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array prod(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array prod(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array prod(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array prod(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array prod(D d, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array max(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array max(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array max(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array min(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array min(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array min(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array any(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array any(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array any(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array all(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array all(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array all(const typing::ReduceOptions& o, typing::Location at = typing::Location::here()) const;
  Array argmax(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array argmax(typing::AxisList axis, const typing::ArgOptions& o) const;
  Array argmin(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array argmin(typing::AxisList axis, const typing::ArgOptions& o) const;
  template <class = void>
  Array std(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array std(typing::AxisList axis, const typing::VarOptions& o) const;
  Array std(const typing::VarOptions& o, typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array std(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array std(D d, typing::Location at = typing::Location::here()) const;
  template <class = void>
  Array var(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array var(typing::AxisList axis, const typing::VarOptions& o) const;
  Array var(const typing::VarOptions& o, typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array var(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array var(D d, typing::Location at = typing::Location::here()) const;
  Array ptp(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array ptp(typing::AxisList axis, const typing::ReduceOptions& o) const;
  Array cumsum(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array cumsum(typing::AxisList axis, const typing::CumulativeOptions& o) const;
  template <class = void>
  Array cumsum(const typing::CumulativeOptions& o,
               typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array cumsum(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array cumsum(D d, typing::Location at = typing::Location::here()) const;
  Array cumprod(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array cumprod(typing::AxisList axis, const typing::CumulativeOptions& o) const;
  template <class = void>
  Array cumprod(const typing::CumulativeOptions& o,
                typing::Location at = typing::Location::here()) const;
  template <std::same_as<DType> D>
  Array cumprod(typing::AxisList axis, D d) const;
  template <std::same_as<DType> D>
  Array cumprod(D d, typing::Location at = typing::Location::here()) const;
  Array sort(typing::AxisList axis = typing::AxisList(-1, typing::Location::here())) const;
  Array sort(typing::AxisList axis, const typing::SortOptions& o) const;
  Array argsort(typing::AxisList axis = typing::AxisList(-1, typing::Location::here())) const;
  Array argsort(typing::AxisList axis, const typing::ArgsortOptions& o) const;
  Array clip(const typing::MaybeArray& lo, const typing::MaybeArray& hi,
             typing::Location at = typing::Location::here()) const;
  Array round(int64_t decimals = 0, typing::Location at = typing::Location::here()) const;
  Array take(const typing::Arg& indices,
             typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array take(const typing::Arg& indices, typing::AxisList axis, const typing::TakeOptions& o) const;
  Array repeat(int64_t times,
               typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array swapaxes(int64_t a, int64_t b, typing::Location at = typing::Location::here()) const;
  Array diagonal(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
                 typing::Location at = typing::Location::here()) const;
  Array trace(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
              typing::Location at = typing::Location::here()) const;
  Array real(typing::Location at = typing::Location::here()) const;
  Array imag(typing::Location at = typing::Location::here()) const;
  Array conj(typing::Location at = typing::Location::here()) const;
  Array T(typing::Location at = typing::Location::here()) const;
  Array mT(typing::Location at = typing::Location::here()) const;  // transposes the last two axes
  Array transpose(std::vector<int64_t> axes = {},
                  typing::Location at = typing::Location::here()) const;
  Array reshape(const typing::NewShape& s) const;
  template <ir::Integer I, ir::Integer... J>
    requires(sizeof...(J) > 0)
  Array reshape(I first, J... more) const {
    return reshape(typing::NewShape{first, more...});
  }
  Array ravel(typing::Location at = typing::Location::here()) const;
  Array flatten(typing::Location at = typing::Location::here()) const;
  Array squeeze(typing::AxisList axis = typing::AxisList(none, typing::Location::here())) const;
  Array astype(DType d, typing::Location at = typing::Location::here()) const;
  Array dot(const typing::Arg& o) const;

  friend Array operator+(const typing::Arg&, const typing::Arg&);
  friend Array operator-(const typing::Arg&, const typing::Arg&);
  friend Array operator*(const typing::Arg&, const typing::Arg&);
  friend Array operator/(const typing::Arg&, const typing::Arg&);
  friend Array operator%(const typing::Arg&, const typing::Arg&);
  friend Array operator&(const typing::Arg&, const typing::Arg&);
  friend Array operator|(const typing::Arg&, const typing::Arg&);
  friend Array operator^(const typing::Arg&, const typing::Arg&);
  friend Array operator<<(const typing::Arg&, const typing::Arg&);
  friend Array operator>>(const typing::Arg&, const typing::Arg&);
  friend Array operator<(const typing::Arg&, const typing::Arg&);
  friend Array operator<=(const typing::Arg&, const typing::Arg&);
  friend Array operator>(const typing::Arg&, const typing::Arg&);
  friend Array operator>=(const typing::Arg&, const typing::Arg&);
  friend Array operator==(const typing::Arg&, const typing::Arg&);
  friend Array operator!=(const typing::Arg&, const typing::Arg&);
  friend Array operator-(const typing::Arg&);
  friend Array operator+(const typing::Arg&);
  friend Array operator~(const typing::Arg&);
  friend Array operator!(const Array&);  // an exact match, so that it is preferred to !bool(x)
  Array& operator+=(const typing::Arg& x) &;
  template <class V>
  void operator+=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator-=(const typing::Arg& x) &;
  template <class V>
  void operator-=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator*=(const typing::Arg& x) &;
  template <class V>
  void operator*=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator/=(const typing::Arg& x) &;
  template <class V>
  void operator/=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator%=(const typing::Arg& x) &;
  Array& operator&=(const typing::Arg& x) &;
  Array& operator|=(const typing::Arg& x) &;
  Array& operator^=(const typing::Arg& x) &;
  Array& operator<<=(const typing::Arg& x) &;
  Array& operator>>=(const typing::Arg& x) &;
  friend std::ostream& operator<<(std::ostream& o, const Array& x);  // as NumPy's repr

  // For Weft's own layers.
  const ir::Node& node(typing::Location at = typing::Location::here()) const {
    if (!node_) raise_empty(at);
    return *node_;
  }
  const ir::Ref<const ir::Node>& ref() const { return node_; }

 private:
  template <ir::Number T>
  static Array scalar(T x) {
    if constexpr (std::same_as<T, bool>)
      return scalar_bool(x);
    else if constexpr (std::floating_point<T>)
      return scalar_float(static_cast<double>(x));
    else if constexpr (std::unsigned_integral<T> && sizeof(T) == 8)
      return scalar_unsigned(x);
    else
      return scalar_int(static_cast<int64_t>(x));
  }
  static Array scalar_bool(bool x);
  static Array scalar_int(int64_t x);
  static Array scalar_unsigned(uint64_t x);
  static Array scalar_float(double x);
  static Array scalar_complex(double re, double im);
  [[noreturn]] static void raise_empty(typing::Location at);
  const void* host_data(DType d, typing::Location at) const;
  ir::Ref<const ir::Node> node_;
};

namespace typing {
// An argument of an operator or function: an Array or a number, and its source location.
class Arg {
 public:
  Arg(const Array& x, Location at = Location::here()) : value_(x), at_(at) {}
  template <ir::Number T>
  Arg(T x, Location at = Location::here()) : value_(x), at_(at) {}
  template <ir::ComplexNumber T>
  Arg(const T& z, Location at = Location::here()) : value_(z), at_(at) {}
  operator const Array&() const { return value_; }
  const Array& value() const { return value_; }
  const Array* operator->() const { return &value_; }
  Location at() const { return at_; }

 private:
  Array value_;
  Location at_;
};

// ---- indices: an integer, slice(lo, hi, step), newaxis, ellipsis, an array of integers or bools.

// A bound or the step of a slice: an integer, a concrete integer scalar, or none.
struct SliceBound {
  std::optional<int64_t> v;
  SliceBound(none_t) {}
  // An integer from a concrete array. ConcretizationError for a traced one; use lax::dynamic_slice
  // for that.
  SliceBound(const Array& x, Location at = Location::here());
  template <ir::Integer I>
  SliceBound(I i) : v(static_cast<int64_t>(i)) {}
};
// The elements lo, lo + step, … before hi of an axis, as in Python. Negative bounds count from the
// end, and bounds beyond the axis are clamped. IndexError for a step of 0.
struct Slice {
  SliceBound lo = none, hi = none, step = none;
};
}  // namespace typing
// The slice of an index. slice() is the whole axis. In slice(hi), slice(lo, hi) and slice(lo, hi,
// step) any bound may be none.
//
//     arange(5)[slice(1, 4, 2)]  // array([1, 3], dtype=int32)
inline typing::Slice slice() { return {}; }
inline typing::Slice slice(typing::SliceBound hi) { return {none, hi}; }
inline typing::Slice slice(typing::SliceBound lo, typing::SliceBound hi,
                           typing::SliceBound step = none) {
  return {lo, hi, step};
}

namespace typing {
// One entry of an index. It does not use std::variant, which would be a tenth of the cost to
// include this header.
struct Index {
  enum class Kind { integer, slice, new_axis, other_axes, array };
  Kind kind;
  int64_t integer = 0;
  Slice slice = {};
  Array array = {};
  Location at;
  template <ir::Integer I>
  Index(I i, Location place = Location::here())
      : kind(Kind::integer), integer(static_cast<int64_t>(i)), at(place) {}
  Index(Slice s, Location place = Location::here()) : kind(Kind::slice), slice(s), at(place) {}
  Index(newaxis_t, Location place = Location::here()) : kind(Kind::new_axis), at(place) {}
  Index(none_t, Location place = Location::here())
      : kind(Kind::new_axis), at(place) {}  // as NumPy's None
  Index(ellipsis_t, Location place = Location::here()) : kind(Kind::other_axes), at(place) {}
  Index(const Array& a, Location place = Location::here())
      : kind(Kind::array), array(a), at(place) {}
};

// The options of x.at(idx).get.
struct GetOptions {
  std::string mode = {};  // "clip", "fill", "wrap", "drop", "check"; default: reads clamp
  // The value that "fill" gives out of range. Default: NaN, the smallest signed or the largest
  // unsigned integer, true.
  std::optional<Array> fill_value = {};
  bool unique_indices = false;      // a promise that no element is indexed twice
  bool indices_are_sorted = false;  // a promise: ascending, after negative ones are converted
};
// The options of the operations of x.at(idx) that return an updated x.
struct SetOptions {
  std::string mode = {};            // default: writes out of range are dropped
  bool unique_indices = false;      // a promise that no element is indexed twice
  bool indices_are_sorted = false;  // a promise: ascending, after negative ones are converted
};

// x.at(idx): operations on the elements at idx.
class At {
 public:
  At(Array x, std::vector<Index> i, Location at) : x_(std::move(x)), i_(std::move(i)), at_(at) {}
  Array get(const GetOptions& o = {}) const;
  Array set(const Arg& v, const SetOptions& o = {}) const&;
  Array set(const Arg& v, const SetOptions& o = {}) &&;
  Array add(const Arg& v, const SetOptions& o = {}) const&;
  Array add(const Arg& v, const SetOptions& o = {}) &&;
  Array subtract(const Arg& v, const SetOptions& o = {}) const&;
  Array subtract(const Arg& v, const SetOptions& o = {}) &&;
  Array multiply(const Arg& v, const SetOptions& o = {}) const&;
  Array multiply(const Arg& v, const SetOptions& o = {}) &&;
  Array divide(const Arg& v, const SetOptions& o = {}) const;
  Array power(const Arg& v, const SetOptions& o = {}) const;
  // Applies f, an elementwise function, to the elements; twice if an index occurs twice.
  Array apply(ir::FunctionRef<Array(Array)> f, const SetOptions& o = {}) const;
  Array min(const Arg& v, const SetOptions& o = {}) const&;
  Array min(const Arg& v, const SetOptions& o = {}) &&;
  Array max(const Arg& v, const SetOptions& o = {}) const&;
  Array max(const Arg& v, const SetOptions& o = {}) &&;

 private:
  Array x_;
  std::vector<Index> i_;
  Location at_;
};
}  // namespace typing

namespace detail {
enum class ByName { tag };
// The first member of an options struct whose fields must be named: positional braces do not
// compile.
struct Designated {
  explicit constexpr Designated(ByName) {}
};
}  // namespace detail

namespace typing {
// The options of sum, prod, max, min, mean, all, any, ptp, and of their forms that skip NaN.
struct ReduceOptions {
  detail::Designated by_name{detail::ByName::tag};
  // Keeps the reduced axes, with size 1.
  bool keepdims = false;
  // The dtype of the elements that are folded, and of the result.
  std::optional<DType> dtype = {};
  // A mask of the elements that count, broadcast with x. max and min also need .initial.
  std::optional<Array> where = {};
  // The initial value of the fold, and the result if no element counts.
  std::optional<Array> initial = {};
};
}  // namespace typing

namespace detail {
// The only element or element i, converted to a double, an integer or a complex pair from any
// dtype.
void convert_elements(const Array& x, void* out, DType to, typing::Location at = {});
std::vector<bool> as_bools(const std::vector<uint8_t>& bytes);
// The element at an index: one number per axis, or a single number into the flattened x.
Array element_at(const Array& x, const std::vector<int64_t>& i, bool flat, typing::Location at);
// Raises ShapeError unless x has one element.
void require_scalar(const Array& x, const char* what, typing::Location at);
}  // namespace detail

template <class T>
T Array::item(typing::Location at) const {
  detail::require_scalar(*this, "item()", at);
  T out{};
  detail::convert_elements(*this, &out, ir::dtype_of_v<T>, at);
  return out;
}
template <class T, ir::Integer I>
T Array::item(I i, typing::Location at) const {
  return detail::element_at(*this, {static_cast<int64_t>(i)}, true, at).item<T>(at);
}
template <class T>
T Array::item(std::initializer_list<typing::Dim> i, typing::Location at) const {
  return detail::element_at(*this, ir::numbers_of(i), false, at).item<T>(at);
}
template <class T>
std::vector<T> Array::to_vector(typing::Location at) const {
  if constexpr (std::same_as<T, bool>) {
    std::vector<uint8_t> bytes(static_cast<size_t>(size(at)));
    detail::convert_elements(*this, bytes.data(), Bool, at);
    return detail::as_bools(bytes);
  } else {
    std::vector<T> out(static_cast<size_t>(size(at)));
    detail::convert_elements(*this, out.data(), ir::dtype_of_v<T>, at);
    return out;
  }
}

}  // namespace weft
