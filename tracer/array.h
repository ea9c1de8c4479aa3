// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/array.h: Array, the one class for a buffer of numbers and for a value being traced.
#pragma once
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/core/dtype.h"
#include "weft/core/error.h"
#include "weft/core/ref.h"
#include "weft/core/shape.h"
#include "weft/core/type.h"

namespace weft {

// ---- small words of the interface. Their constructors are explicit so that {} never means them.
// The type of `none`.
struct none_t {
  explicit constexpr none_t(int) {}
  // An optional without a value; not where its value may itself be made of none.
  template <class T>
    requires(!std::is_constructible_v<T, const none_t&>)
  constexpr operator std::optional<T>() const {
    return std::nullopt;
  }
};
// What stands for an argument left out: all axes, x flattened, no bound. As an index it is a new
// axis, as NumPy's None.
inline constexpr none_t none{0};
// The type of `newaxis`.
struct newaxis_t {
  explicit constexpr newaxis_t(int) {}
};
// An index that puts in an axis of size 1: x[{slice(), newaxis}]. Source: jax.numpy.newaxis.
inline constexpr newaxis_t newaxis{0};
// The type of `ellipsis`.
struct ellipsis_t {
  explicit constexpr ellipsis_t(int) {}
};
// An index that stands for as many whole axes as the others leave: x[{ellipsis, 0}] is of the last
// axis. Python's `...`; once in an index (IndexError).
inline constexpr ellipsis_t ellipsis{0};

namespace ir {
// A C++ number: a bool, an integer or a float, but no character.
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t>;
}  // namespace ir

class Array;
class Arg;
// What a transform takes an overloaded name for: the function of two arrays, as in vmap(matmul).
using BinaryFunction = Array (*)(const Arg&, const Arg&);
// The same of one array, for names that <cmath> has, too: grad(tanh).
using UnaryFunction = Array (*)(const Arg&);
class At;
struct Index;
// A list of arrays: what functions of any number of arrays take and give.
using Arrays = std::vector<Array>;

// The axes of a reduction: none (all of them), one, or a list; and where they were written.
struct AxisList {
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

// The shape that reshape gives; one size may be -1: what is left over.
struct NewShape {
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

namespace ir {
// What stands behind an Array: a buffer on a device, or a value of an interpreter.
class Node : public RefCounted {
 public:
  Node(Type t, Location at) : type(t), made(at) {}
  const Type type;
  const Location made;  // where in the user's code
  virtual bool concrete() const { return false; }
};
}  // namespace ir

struct ReduceOptions;
struct ArgOptions;
struct VarOptions;
struct CumulativeOptions;
struct SortOptions;
struct ArgsortOptions;
struct TakeOptions;
struct MaybeArray;

namespace detail {
// The type of a field that options do not have, and of which others have the name.
template <class Instead>
struct NoOption {
  NoOption() = default;
  template <class T>
  NoOption(const T&) {
    Instead::template say<T>();
  }
};
template <class V>
constexpr void no_assignment() {
  static_assert(!std::same_as<V, V>,
                "weft: Arrays do not change. Write x = x.at(i).set(v), or .add(v), .multiply(v)");
}
}  // namespace detail

// An array of numbers of one dtype and shape, or a value that a transform traces. A handle: copies
// share the elements, which never change but where the only handle is moved from. Array() is an
// empty handle, any use of which is a ShapeError. Source: jax.Array.
class Array {
 public:
  Array() = default;  // an empty handle; any use raises ShapeError "empty Array"
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;
  // A C++ number is a weakly typed scalar: F32, I32 (beyond it I64 or U64) or Bool; kept as
  // written.
  template <ir::Number T>
  Array(T x) : Array(scalar(x)) {}
  // A complex number is a weakly typed C64 where that holds both of its parts exactly, else a C128.
  template <ir::ComplexNumber T>
  Array(const T& z)
      : Array(scalar_complex(static_cast<double>(z.real()), static_cast<double>(z.imag()))) {}
  explicit Array(ir::Ref<const ir::Node> n) : node_(std::move(n)) {}

  // ---- properties, known while tracing
  const Type& type(Location at = Location::here()) const { return node(at).type; }
  const Shape& shape(Location at = Location::here()) const { return type(at).shape(); }
  int64_t ndim(Location at = Location::here()) const { return type(at).ndim(); }
  int64_t size(Location at = Location::here()) const { return type(at).elements(); }
  DType dtype(Location at = Location::here()) const { return type(at).dtype(); }
  bool weak_type(Location at = Location::here()) const { return type(at).weak(); }
  // The bytes of an element (of a key 8), and of all of them.
  int64_t itemsize(Location at = Location::here()) const;
  int64_t nbytes(Location at = Location::here()) const { return size(at) * itemsize(at); }
  std::string device(Location at = Location::here()) const;
  bool is_traced(Location at = Location::here()) const { return !node(at).concrete(); }
  bool empty_handle() const { return !node_; }

  // ---- values, of concrete arrays; ConcretizationError on traced ones
  // The only element, converted to T.
  template <class T>
  T item(Location at = Location::here()) const;
  // The type is that of the C++ number, so it is to be named.
  template <class T = void>
    requires std::is_void_v<T>
  double item(Location = Location::here()) const {
    static_assert(!std::is_void_v<T>, "weft: write the type of the number: x.item<float>()");
    return 0;
  }
  // The element at an index, row-major for one number: x.item<float>(3), x.item<float>({1, -1}).
  // IndexError for one that is not there.
  template <class T, ir::Integer I>
  T item(I i, Location at = Location::here()) const;
  template <class T>
  T item(std::initializer_list<Dim> i, Location at = Location::here()) const;
  // All elements, row-major, converted to T.
  template <class T>
  std::vector<T> to_vector(Location at = Location::here()) const;
  // The elements where they lie, row-major. T must be the array's own element type (DTypeError).
  template <class T>
  std::span<const T> data(Location at = Location::here()) const& {
    return {static_cast<const T*>(host_data(ir::dtype_of_v<T>, at)), static_cast<size_t>(size())};
  }
  template <class T>
  std::span<const T> data() const&& = delete;  // of a temporary: it would dangle
  const Array& block_until_ready(Location at = Location::here()) const;
  explicit operator bool() const;
  // float(x): the only element of a concrete array, as item<float>().
  template <ir::Number T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const {
    return item<T>();
  }

  // ---- indexing: new arrays. `x[i] = v` does not compile; the way is x = x.at(i).set(v), or
  // x = std::move(x).at(i).set(v), which writes where x lies if nobody else has a handle of it.
  const Array operator[](const Index& i) const;
  const Array operator[](std::initializer_list<Index> i) const;
  // x[i] = v and x[i] += v, of which x[i] would keep nothing.
  template <class V>
  void operator=(const V&) const&& {
    detail::no_assignment<V>();
  }
  At at(const Index& i) const&;
  At at(const Index& i) &&;
  At at(std::initializer_list<Index> i, Location at = Location::here()) const&;
  At at(std::initializer_list<Index> i, Location at = Location::here()) &&;

  // ---- methods for the usual; the free functions of the same name document them
  Array sum(AxisList axis = AxisList(none, Location::here())) const;
  Array sum(AxisList axis, const ReduceOptions& o) const;
  Array sum(const ReduceOptions& o, Location at = Location::here()) const;
  Array mean(AxisList axis = AxisList(none, Location::here())) const;
  Array mean(AxisList axis, const ReduceOptions& o) const;
  Array mean(const ReduceOptions& o, Location at = Location::here()) const;
  Array prod(AxisList axis = AxisList(none, Location::here())) const;
  Array prod(AxisList axis, const ReduceOptions& o) const;
  Array prod(const ReduceOptions& o, Location at = Location::here()) const;
  Array max(AxisList axis = AxisList(none, Location::here())) const;
  Array max(AxisList axis, const ReduceOptions& o) const;
  Array max(const ReduceOptions& o, Location at = Location::here()) const;
  Array min(AxisList axis = AxisList(none, Location::here())) const;
  Array min(AxisList axis, const ReduceOptions& o) const;
  Array min(const ReduceOptions& o, Location at = Location::here()) const;
  Array any(AxisList axis = AxisList(none, Location::here())) const;
  Array any(AxisList axis, const ReduceOptions& o) const;
  Array any(const ReduceOptions& o, Location at = Location::here()) const;
  Array all(AxisList axis = AxisList(none, Location::here())) const;
  Array all(AxisList axis, const ReduceOptions& o) const;
  Array all(const ReduceOptions& o, Location at = Location::here()) const;
  Array argmax(AxisList axis = AxisList(none, Location::here())) const;
  Array argmax(AxisList axis, const ArgOptions& o) const;
  Array argmin(AxisList axis = AxisList(none, Location::here())) const;
  Array argmin(AxisList axis, const ArgOptions& o) const;
  Array std(AxisList axis = AxisList(none, Location::here())) const;
  Array std(AxisList axis, const VarOptions& o) const;
  Array var(AxisList axis = AxisList(none, Location::here())) const;
  Array var(AxisList axis, const VarOptions& o) const;
  Array ptp(AxisList axis = AxisList(none, Location::here())) const;
  Array ptp(AxisList axis, const ReduceOptions& o) const;
  Array cumsum(AxisList axis = AxisList(none, Location::here())) const;
  Array cumsum(AxisList axis, const CumulativeOptions& o) const;
  Array cumprod(AxisList axis = AxisList(none, Location::here())) const;
  Array cumprod(AxisList axis, const CumulativeOptions& o) const;
  Array sort(AxisList axis = AxisList(-1, Location::here())) const;
  Array sort(AxisList axis, const SortOptions& o) const;
  Array argsort(AxisList axis = AxisList(-1, Location::here())) const;
  Array argsort(AxisList axis, const ArgsortOptions& o) const;
  Array clip(const MaybeArray& lo, const MaybeArray& hi, Location at = Location::here()) const;
  Array round(int64_t decimals = 0, Location at = Location::here()) const;
  Array take(const Arg& indices, AxisList axis = AxisList(none, Location::here())) const;
  Array take(const Arg& indices, AxisList axis, const TakeOptions& o) const;
  Array repeat(int64_t times, AxisList axis = AxisList(none, Location::here())) const;
  Array swapaxes(int64_t a, int64_t b, Location at = Location::here()) const;
  Array diagonal(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
                 Location at = Location::here()) const;
  Array trace(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1,
              Location at = Location::here()) const;
  Array real(Location at = Location::here()) const;
  Array imag(Location at = Location::here()) const;
  Array conj(Location at = Location::here()) const;
  Array T(Location at = Location::here()) const;
  Array mT(Location at = Location::here()) const;  // of the last two axes
  Array transpose(std::vector<int64_t> axes = {}, Location at = Location::here()) const;
  Array reshape(const NewShape& s) const;
  template <ir::Integer I, ir::Integer... J>
    requires(sizeof...(J) > 0)
  Array reshape(I first, J... more) const {
    return reshape(NewShape{first, more...});
  }
  Array ravel(Location at = Location::here()) const;
  Array flatten(Location at = Location::here()) const;
  Array squeeze(AxisList axis = AxisList(none, Location::here())) const;
  Array astype(DType d, Location at = Location::here()) const;
  Array dot(const Arg& o) const;

  friend Array operator+(const Arg&, const Arg&);
  friend Array operator-(const Arg&, const Arg&);
  friend Array operator*(const Arg&, const Arg&);
  friend Array operator/(const Arg&, const Arg&);
  friend Array operator%(const Arg&, const Arg&);
  friend Array operator&(const Arg&, const Arg&);
  friend Array operator|(const Arg&, const Arg&);
  friend Array operator^(const Arg&, const Arg&);
  friend Array operator<<(const Arg&, const Arg&);
  friend Array operator>>(const Arg&, const Arg&);
  friend Array operator<(const Arg&, const Arg&);
  friend Array operator<=(const Arg&, const Arg&);
  friend Array operator>(const Arg&, const Arg&);
  friend Array operator>=(const Arg&, const Arg&);
  friend Array operator==(const Arg&, const Arg&);
  friend Array operator!=(const Arg&, const Arg&);
  friend Array operator-(const Arg&);
  friend Array operator+(const Arg&);
  friend Array operator~(const Arg&);
  friend Array operator!(const Array&);  // exact, so that it wins over !bool(x)
  Array& operator+=(const Arg& x) &;
  template <class V>
  void operator+=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator-=(const Arg& x) &;
  template <class V>
  void operator-=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator*=(const Arg& x) &;
  template <class V>
  void operator*=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator/=(const Arg& x) &;
  template <class V>
  void operator/=(const V&) const&& {
    detail::no_assignment<V>();
  }
  Array& operator%=(const Arg& x) &;
  Array& operator&=(const Arg& x) &;
  Array& operator|=(const Arg& x) &;
  Array& operator^=(const Arg& x) &;
  Array& operator<<=(const Arg& x) &;
  Array& operator>>=(const Arg& x) &;
  friend std::ostream& operator<<(std::ostream& o, const Array& x);  // as NumPy's repr

  // For Weft's own layers.
  const ir::Node& node(Location at = Location::here()) const {
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
  [[noreturn]] static void raise_empty(Location at);
  const void* host_data(DType d, Location at) const;
  ir::Ref<const ir::Node> node_;
};

// An argument of an operator or function: an Array or a number, and where it was written.
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

// ---- indices: an integer, slice(lo, hi, step), newaxis, ellipsis, an array of integers or bools
// An end or the step of a slice: an integer, an integer scalar that is known, or none.
struct SliceBound {
  std::optional<int64_t> v;
  SliceBound(none_t) {}
  // An integer of a concrete array. ConcretizationError for a traced one, which
  // lax::dynamic_slice takes.
  SliceBound(const Array& x, Location at = Location::here());
  template <ir::Integer I>
  SliceBound(I i) : v(static_cast<int64_t>(i)) {}
};
// The elements lo, lo + step, … before hi of an axis, as Python has them: negative ends count from
// the end, ends beyond the axis are cut to it. IndexError for a step of 0.
struct Slice {
  SliceBound lo = none, hi = none, step = none;
};
// The slice of an index: slice() is the whole axis, slice(hi), slice(lo, hi) and slice(lo, hi,
// step), of which each may be none.
//
//     arange(5)[slice(1, 4, 2)]  // array([1, 3], dtype=int32)
inline Slice slice() { return {}; }
inline Slice slice(SliceBound hi) { return {none, hi}; }
inline Slice slice(SliceBound lo, SliceBound hi, SliceBound step = none) { return {lo, hi, step}; }

// One entry of an index. (No std::variant: it is a tenth of what this header costs to include.)
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

struct GetOptions {
  std::string mode = {};  // "clip", "fill", "wrap", "drop", "check"; default: reads clamp
  // What "fill" reads out of range; default: NaN, the least signed or the largest unsigned integer,
  // true.
  std::optional<Array> fill_value = {};
  bool unique_indices = false;      // a promise that no element is named twice
  bool indices_are_sorted = false;  // a promise that the indices ascend, negative ones counted
};
struct SetOptions {
  std::string mode = {};            // default: writes out of range are dropped
  bool unique_indices = false;      // a promise that no element is named twice
  bool indices_are_sorted = false;  // a promise that the indices ascend, negative ones counted
};

// x.at(idx): what to do with the elements at idx.
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
  // f of the elements, which computes element by element; of an index that is there twice, twice.
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

namespace detail {
enum class ByName { tag };
// First member of an options struct whose fields must be named: no braces start with it.
struct Designated {
  explicit constexpr Designated(ByName) {}
};
}  // namespace detail

struct ReduceOptions {
  detail::Designated by_name{detail::ByName::tag};
  // The axes stay, of size 1.
  bool keepdims = false;
  // Of the elements that are folded, and of the result.
  std::optional<DType> dtype = {};
  // Elements that count, a mask that is broadcast with x. max and min need .initial beside it.
  std::optional<Array> where = {};
  // What the fold begins with; the result where nothing counts.
  std::optional<Array> initial = {};
};

namespace detail {
// The only element / element i as a double, an integer or a complex pair, whatever the dtype.
void convert_elements(const Array& x, void* out, DType to, Location at = {});
std::vector<bool> as_bools(const std::vector<uint8_t>& bytes);
// The element at an index: of x flattened, or one number an axis.
Array element_at(const Array& x, const std::vector<int64_t>& i, bool flat, Location at);
// Raises ShapeError unless x has one element.
void require_scalar(const Array& x, const char* what, Location at);
}  // namespace detail

template <class T>
T Array::item(Location at) const {
  detail::require_scalar(*this, "item()", at);
  T out{};
  detail::convert_elements(*this, &out, ir::dtype_of_v<T>, at);
  return out;
}
template <class T, ir::Integer I>
T Array::item(I i, Location at) const {
  return detail::element_at(*this, {static_cast<int64_t>(i)}, true, at).item<T>(at);
}
template <class T>
T Array::item(std::initializer_list<Dim> i, Location at) const {
  return detail::element_at(*this, ir::numbers_of(i), false, at).item<T>(at);
}
template <class T>
std::vector<T> Array::to_vector(Location at) const {
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
