// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/create.cpp: arrays from numbers, and filled, counted and patterned arrays.
#include "weft/numpy/create.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {

Nested::Nested(std::initializer_list<Nested> l) : children(l) {}
Nested::Nested(const Nested&) = default;
Nested::Nested(Nested&&) noexcept = default;
Nested& Nested::operator=(const Nested&) = default;
Nested& Nested::operator=(Nested&&) noexcept = default;
Nested::~Nested() = default;

namespace {

using Kind = Nested::Kind;

// The shape and the kinds of elements of a nested literal. The recursion is shallow, because people
// write the braces by hand.
struct Survey {
  std::vector<int64_t> shape;
  bool complexes = false, reals = false, integers = false, bools = false, arrays = false;
  std::string where;
};
void survey(const Nested& n, size_t depth, Survey* s) {
  switch (n.kind) {
    case Kind::boolean: s->bools = true; break;
    case Kind::integer:
    case Kind::beyond_i64: s->integers = true; break;
    case Kind::real: s->reals = true; break;
    case Kind::complex: s->complexes = true; break;
    case Kind::array: s->arrays = true; break;
    case Kind::list:
      if (depth == s->shape.size()) s->shape.push_back(static_cast<int64_t>(n.children.size()));
      if (s->shape[depth] != static_cast<int64_t>(n.children.size()))
        fn::fail_shape(fmt::format("array: rows of unequal length: {} and {} elements on axis {}",
                                   s->shape[depth], n.children.size(), depth));
      for (const Nested& k : n.children) {
        if ((k.kind == Kind::list) != (n.children[0].kind == Kind::list))
          fn::fail_shape("array: a list contains both numbers and lists");
        survey(k, depth + 1, s);
      }
  }
}

template <class T>
T number(const Nested& n) {
  if constexpr (std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>)
    return {
        n.kind == Kind::complex ? static_cast<decltype(T{}.re)>(n.r) : number<decltype(T{}.re)>(n),
        static_cast<decltype(T{}.re)>(n.im)};
  else if constexpr (std::is_same_v<T, bool>)
    return n.kind == Kind::real ? n.r != 0 : n.i != 0;
  else if (n.kind == Kind::beyond_i64)
    return T(static_cast<std::conditional_t<std::is_integral_v<T>, T, double>>(
        static_cast<uint64_t>(n.i)));
  else if constexpr (std::is_integral_v<T>)
    return n.kind == Kind::real ? scalar_of(dtype_of_v<T>, n.r).template item<T>()
                                : static_cast<T>(n.i);
  else
    return T(n.kind == Kind::real
                 ? static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(n.r)
                 : static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(n.i));
}
template <class T>
void fill(const Nested& n, T*& out) {
  if (n.kind != Kind::list) {
    *out++ = number<T>(n);
    return;
  }
  for (const Nested& k : n.children) fill(k, out);
}
// Integers beyond I32 need a dtype that can hold them.
void check_integers(const Nested& n, DType d) {
  const bool beyond = n.kind == Kind::beyond_i64
                          ? !takes_beyond_i32(U64, d)
                          : n.kind == Kind::integer && (n.i < INT32_MIN || n.i > INT32_MAX) &&
                                !takes_beyond_i32(I64, d);
  if (beyond)
    fn::fail_dtype(
        fmt::format("array: the integer {} does not fit {}; give the dtype: array({{…}}, {})",
                    n.kind == Kind::beyond_i64 ? std::to_string(static_cast<uint64_t>(n.i))
                                               : std::to_string(n.i),
                    n.kind == Kind::beyond_i64 && d == I64 ? "I64"
                    : d == I32                             ? "I32, the type of C++ integers"
                                                           : short_name(d),
                    n.kind == Kind::beyond_i64 ? "U64" : "I64"));
  for (const Nested& k : n.children) check_integers(k, d);
}

// Raises DTypeError if d cannot hold numbers, or cannot hold complex numbers where they occur.
void require_kind(DType d, bool complexes) {
  if (complexes && !is_complex(d))
    fn::fail_dtype(
        fmt::format("array: a complex number does not fit {}; give C64 or C128", short_name(d)));
  if (is_key(d)) fn::fail_dtype("array: keys are made by random::key");
}

// Converts a number or an Array of the literal to an argument.
Array scalar(const Nested& n) {
  switch (n.kind) {
    case Kind::boolean: return n.i != 0;
    case Kind::integer: return n.i;
    case Kind::beyond_i64: return static_cast<uint64_t>(n.i);
    case Kind::real: return n.r;
    case Kind::complex: return array(Nested(n));
    default: return n.a;
  }
}
// Collects the Arrays and numbers of a literal in order.
void collect(const Nested& n, Arrays& out) {
  if (n.kind != Kind::list) out.push_back(scalar(n));
  for (const Nested& k : n.children) collect(k, out);
}
// Stacks the collected arrays, which have one dtype, in the form of n.
Array array_of_arrays(const Nested& n, const Array*& next) {
  if (n.kind != Kind::list) return *next++;
  Arrays parts;
  for (const Nested& k : n.children) parts.push_back(array_of_arrays(k, next));
  return stack(parts, 0);
}
}  // namespace

Array array(const Nested& n, std::optional<DType> dtype, Location at) {
  const ApiNameScope source("array", at);
  Survey s;
  survey(n, 0, &s);
  if (s.arrays) {
    Arrays parts;
    collect(n, parts);
    if (dtype)
      for (Array& x : parts) x = fn::as_dtype(x, *dtype);
    else
      parts = fn::same_dtype(parts);
    const Array* next = parts.data();
    return array_of_arrays(n, next);
  }
  const DType own = s.complexes                  ? C64
                    : s.reals                    ? F32
                    : s.integers                 ? I32
                    : s.bools || s.shape.empty() ? Bool
                                                 : F32;
  const DType d = dtype.value_or(own);
  require_kind(d, s.complexes);
  check_integers(n, d);
  Fresh r = fresh_array(Type(d, Shape(s.shape)));
  with_dtype(d, [&](auto* p) {
    auto* out = static_cast<std::remove_pointer_t<decltype(p)>*>(r.data);
    fill(n, out);
  });
  return r.array;
}

Array array(const Nested& n, const ArrayOptions& o, Location at) {
  return detail::at_least_axes(array(n, o.dtype, at), o.ndmin, at);
}
Array detail::at_least_axes(Array x, int64_t ndmin, Location at) {
  const SourceScope source(at);
  if (ndmin < 0) fn::fail_shape(fmt::format("array: {} is not a number of axes", ndmin));
  while (x.ndim() < ndmin) x = expand_dims(x, 0);
  return x;
}

namespace {
// Integers from vectors obey the same range check as integers in braces.
void check_integers(const Array& x, DType d) {
  if (!is_integer(d) || (x.dtype() != I64 && x.dtype() != U64 && x.dtype() != U32)) return;
  Nested n;
  n.kind = x.dtype() == U64 ? Kind::beyond_i64 : Kind::integer;
  for (int64_t i : x.to_vector<int64_t>()) {
    n.i = i;
    if (n.kind != Kind::beyond_i64 || i < 0) check_integers(n, d);
  }
}
}  // namespace

Array detail::given_dtype(Array x, std::optional<DType> dtype, Location at) {
  if (!dtype || *dtype == x.dtype()) return x;
  const SourceScope source(at);
  require_kind(*dtype, is_complex(x.dtype()));
  check_integers(x, *dtype);
  return fn::as_dtype(x, *dtype);
}

Array detail::array_from(const void* data, size_t count, DType d, const Shape* shape, Location at) {
  const SourceScope source(at);
  const Shape s = shape ? *shape : Shape{static_cast<int64_t>(count)};
  if (s.elements() != static_cast<int64_t>(count))
    fn::fail_shape(
        fmt::format("array: {} elements do not make an array of shape {}", count, to_string(s)));
  return array_of_bytes(Type(d, s), data);
}
void detail::ragged_rows(int64_t got, int64_t want, Location at) {
  const SourceScope source(at);
  fn::fail_shape(fmt::format(
      "array: rows must have one length, got one of {} elements after one of {}", got, want));
}
Array asarray(const Arg& x, std::optional<DType> dtype) {
  const ApiNameScope s("asarray", x.at());
  return dtype ? fn::as_dtype(x, *dtype) : x.value();
}
Array asarray(std::initializer_list<Nested> x, std::optional<DType> dtype, Location at) {
  return array(Nested(x), dtype, at);
}

namespace {
Array filled(const Shape& s, const Array& scalar) {
  return s.empty() ? fn::as_dtype(scalar, scalar.dtype()) : broadcast_in_dim(scalar, s, {});
}
}  // namespace
Array fn::fill_value(const char* name, const Array& value, DType d) {
  // A C++ complex number is a weak C64 or a concrete C128 scalar.
  const bool number =
      value.weak_type() || (value.ndim() == 0 && concrete_or_null(value) != nullptr);
  if (number && is_complex(value.dtype()) && !is_complex(d) && !is_bool(d))
    fn::fail_dtype(
        fmt::format("{}: a complex number does not fit {}; give C64 or C128", name, short_name(d)));
  return fn::as_dtype(value, d);
}
Array zeros(const Shape& shape, DType dtype, Location at) {
  const ApiNameScope s("zeros", at);
  return filled(shape, scalar_of_int(dtype, 0));
}
Array ones(const Shape& shape, DType dtype, Location at) {
  const ApiNameScope s("ones", at);
  if (is_key(dtype)) fn::fail_dtype("ones: a key is not a number");
  return filled(shape, scalar_of_int(dtype, 1));
}
Array empty(const Shape& shape, DType dtype, Location at) { return zeros(shape, dtype, at); }
Array full(const Shape& shape, const Arg& value, std::optional<DType> dtype) {
  const ApiNameScope s("full", value.at());
  const Array v = fn::fill_value("full", value, dtype ? *dtype : fn::own_dtype(value));
  return v.ndim() == 0 ? filled(shape, v) : broadcast_to(v, shape);
}
Array zeros_like(const Arg& x, std::optional<DType> dtype, std::optional<Shape> shape) {
  const ApiNameScope s("zeros_like", x.at());
  return zeros(shape.value_or(x->shape()), dtype.value_or(x->dtype()));
}
Array ones_like(const Arg& x, std::optional<DType> dtype, std::optional<Shape> shape) {
  const ApiNameScope s("ones_like", x.at());
  return ones(shape.value_or(x->shape()), dtype.value_or(x->dtype()));
}
Array empty_like(const Arg& x, std::optional<DType> dtype, std::optional<Shape> shape) {
  return zeros_like(x, dtype, std::move(shape));
}
Array full_like(const Arg& x, const Arg& value, std::optional<DType> dtype,
                std::optional<Shape> shape) {
  const ApiNameScope s("full_like", x.at());
  return full(shape.value_or(x->shape()), value, dtype.value_or(x->dtype()));
}

namespace {
double known_number(const char* what, const Array& x) {
  if (x.ndim() != 0)
    fn::fail_shape(fmt::format("arange: {} must be a scalar, not {}", what, to_string(x.type())));
  return x.item<double>();
}
// The number of elements. Large integers, which a double would round, are counted with integer
// arithmetic.
int64_t length(const Array& start, const Array& stop, const Array& step) {
  const double a = start.item<double>(), b = stop.item<double>(), h = step.item<double>();
  const double steps = (b - a) / h;
  if (!(std::ceil(steps) < 0x1p62))
    fn::fail_shape(fmt::format("arange: the range from {} to {} has no length", a, b));
  const auto whole = [](const Array& x) { return is_integer(x.dtype()); };
  if (steps < 0) return 0;
  if (!whole(start) || !whole(stop) || !whole(step) || std::fabs(a) + std::fabs(b) < 0x1p53)
    return static_cast<int64_t>(std::ceil(steps));
  const auto bits = [](const Array& x) {
    return x.dtype() == U64 ? x.item<uint64_t>() : static_cast<uint64_t>(x.item<int64_t>());
  };
  const uint64_t gap = h > 0 ? bits(stop) - bits(start) : bits(start) - bits(stop);
  const uint64_t stride = h > 0 ? bits(step) : uint64_t{0} - bits(step);
  if (steps == 0 && gap >> 63)
    return 0;  // the step leads away from stop, by less than a double
               // resolves
  return static_cast<int64_t>(gap / stride + (gap % stride != 0));
}
// Computes a range as NumPy does: from the first element and the difference of the first two.
template <class T>
Array counted(T start, T second, int64_t n) {
  Fresh r = fresh_array(Type(dtype_of_v<T>, {n}));
  const T step = second - start;
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(r.data)[i] = start + static_cast<T>(i) * step;
  return r.array;
}
Array range(const Array& start, const Array& stop, const Array& step, DType d) {
  known_number("stop", stop);
  const double a = known_number("start", start), h = known_number("step", step);
  if (h == 0) fn::fail_shape("arange: the step is zero");
  const int64_t n = length(start, stop, step);
  if (is_key(d) || d == Bool) fn::fail_dtype("arange: counts in numbers");
  if (a == 0 && h == 1) return iota(d, {n}, 0);
  if (d == F64) return counted<double>(a, a + h, n);
  if (is_inexact(d))
    return fn::as_dtype(counted<float>(static_cast<float>(a), static_cast<float>(a + h), n), d);
  const Array steps = lax::mul(iota(d, {n}, 0), fn::as_dtype(step, d));
  return lax::add(steps, fn::as_dtype(start, d));
}
}  // namespace
Array arange(const Arg& stop, std::optional<DType> dtype) {
  const ApiNameScope s("arange", stop.at());
  return range(0, stop, 1, dtype ? *dtype : fn::own_dtype(stop));
}
Array arange(const Arg& start, const Arg& stop, const Arg& step, std::optional<DType> dtype) {
  const ApiNameScope s("arange", start.at());
  return range(start, stop, step,
               dtype ? *dtype : fn::own_dtype(fn::same_dtype({start, stop, step})[0]));
}

namespace {
struct Samples {
  Array values, step;
};
// The n points from a in steps of (b - a) / n, along a new leading axis. They are computed in F64
// and divided last, which keeps whole numbers exact. JAX computes a (1 - t) + b t with t = i / n,
// which makes 7.0000005 of 7. Where the numerator overflows, the weights are divided first.
Array between(const Array& a, const Array& b, int64_t n) {
  const DType wide = is_complex(a.dtype()) ? C128 : F64;
  const Shape grid = a.shape().inserted(0, n);
  const auto points = [&](const Array& x) {
    return fn::broadcast(reshape_to(fn::as_dtype(x, wide), x.shape().inserted(0, 1)), grid);
  };
  const Array i = broadcast_in_dim(iota(wide, {n}, 0), grid, {0}), low = points(a),
              high = points(b);
  const Array all = fn::number_like(i, static_cast<double>(n));
  const auto mean = [&](const Array& before, const Array& behind) {
    return lax::add(lax::mul(low, before), lax::mul(high, behind));
  };
  const Array sum = mean(lax::sub(all, i), i), t = lax::div(i, all);
  return where(isfinite(sum), lax::div(sum, all), mean(lax::sub(fn::number_like(t, 1), t), t));
}
Samples spaced(const Arg& start, const Arg& stop, int64_t num, const LinspaceOptions& o) {
  if (num < 0) fn::fail_shape(fmt::format("linspace: {} is not a number of samples", num));
  const auto as = [&](const Arg& x) {
    return o.dtype && is_inexact(*o.dtype) ? fn::as_dtype(x, *o.dtype) : x.value();
  };
  auto [a, b] = fn::promoted_inexact("linspace", as(start), as(stop));
  const DType compute = o.dtype && is_inexact(*o.dtype) ? *o.dtype : a.dtype();
  const DType d = o.dtype.value_or(compute);
  const Shape each = a.ndim() ? a.shape() : b.shape();
  const int axis = fn::axis_of("linspace", o.axis, each.ndim() + 1);
  a = fn::broadcast(fn::as_dtype(a, compute), each);
  b = fn::broadcast(fn::as_dtype(b, compute), each);
  const int64_t div = o.endpoint ? num - 1 : num;
  const auto row = [](const Array& x) { return reshape_to(x, x.shape().inserted(0, 1)); };
  Array out, step = full(each, std::numeric_limits<double>::quiet_NaN(), compute);
  if (div > 0) step = lax::div(lax::sub(b, a), fn::number_like(a, static_cast<double>(div)));
  if (num > 1) {
    out = fn::as_dtype(between(a, b, div), compute);
    if (o.endpoint) out = fn::joined({out, row(b)}, 0);
  } else if (num == 1) {
    out = row(a);
  } else {
    out = zeros(each.inserted(0, 0), compute);
  }
  if (is_integer(d) && !is_integer(compute)) out = floor(out);
  return {moveaxis(fn::as_dtype(out, d), 0, axis), step};
}
}  // namespace
Array linspace(const Arg& start, const Arg& stop, int64_t num, const LinspaceOptions& o) {
  const ApiNameScope s("linspace", start.at());
  return spaced(start, stop, num, o).values;
}
std::pair<Array, Array> linspace_step(const Arg& start, const Arg& stop, int64_t num,
                                      const LinspaceOptions& o) {
  const ApiNameScope s("linspace_step", start.at());
  const Samples r = spaced(start, stop, num, o);
  return {r.values, r.step};
}
Array logspace(const Arg& start, const Arg& stop, int64_t num, const Arg& base,
               const LinspaceOptions& o) {
  const ApiNameScope s("logspace", start.at());
  const bool wide = o.dtype && is_inexact(*o.dtype) && itemsize(real_part(*o.dtype)) == 8;
  LinspaceOptions p = o;
  if (!wide) p.dtype = {};
  const Array x = linspace(start, stop, num, p);
  const Array y = float_power(fn::as_dtype(base, x.dtype()), x);
  return o.dtype ? fn::as_dtype(y, *o.dtype) : y;
}
Array geomspace(const Arg& start, const Arg& stop, int64_t num, const LinspaceOptions& o) {
  const ApiNameScope s("geomspace", start.at());
  if (num < 0) fn::fail_shape(fmt::format("geomspace: {} is not a number of samples", num));
  auto [a, b] = fn::promoted_inexact("geomspace", start, stop);
  if (o.dtype && is_inexact(*o.dtype)) a = fn::as_dtype(a, *o.dtype), b = fn::as_dtype(b, *o.dtype);
  const Shape each = a.ndim() ? a.shape() : b.shape();
  a = fn::broadcast(fn::as_dtype(a, a.dtype()), each);
  b = fn::broadcast(fn::as_dtype(b, b.dtype()), each);
  const int axis = fn::axis_of("geomspace", o.axis, each.ndim() + 1);
  // For real operands of one sign, the ratios to the start are positive real numbers.
  const Array ratio = log(divide(b, a));
  LinspaceOptions p = {.endpoint = o.endpoint};
  const Array t = linspace(zeros_like(ratio), ratio, num, p);
  Array out = multiply(a, exp(t));
  Array place = iota(I32, {num}, 0);
  for (int i = 0; i < each.ndim(); ++i) place = expand_dims(place, -1);
  out = where(equal(place, 0), a, out);
  if (o.endpoint && num > 1) out = where(equal(place, num - 1), b, out);
  const DType d = o.dtype.value_or(out.dtype());
  return moveaxis(fn::as_dtype(is_integer(d) ? floor(out) : out, d), 0, axis);
}
Array iota(DType dtype, int64_t n, Location at) {
  const ApiNameScope s("iota", at);
  return iota(dtype, Shape{n}, 0);
}

namespace {
// Compares row + k with the column at each position of the last two axes.
Array band(const Shape& s, int64_t k, Array (*compare)(const Arg&, const Arg&)) {
  if (k < INT32_MIN || k > INT32_MAX) fn::fail_index(fmt::format("diagonal {} is out of range", k));
  const int n = s.ndim();
  const Shape last{s[n - 2], s[n - 1]};
  const Array rows = iota(I32, last, 0), columns = iota(I32, last, 1);
  return fn::broadcast(compare(k ? lax::add(rows, scalar_of_int(I32, k)) : rows, columns), s);
}
Array triangle(const char* name, const Arg& x, int64_t k, bool lower) {
  const ApiNameScope s(name, x.at());
  if (x->ndim() < 2)
    fn::fail_shape(fmt::format("{}: needs a matrix, got {}", name, to_string(x->type())));
  const Array zero = base::zeros(x->type().strong());
  return lower ? lax::select(band(x->shape(), k, lax::ge), x, zero)
               : lax::select(band(x->shape(), k, lax::le), x, zero);
}
}  // namespace
Array eye(int64_t n, std::optional<int64_t> m, int64_t k, DType dtype, Location at) {
  const ApiNameScope s("eye", at);
  return fn::as_dtype(band({n, m.value_or(n)}, k, lax::eq), dtype);
}
Array identity(int64_t n, DType dtype, Location at) {
  const ApiNameScope s("identity", at);
  return eye(n, {}, 0, dtype);
}
Array tri(int64_t n, std::optional<int64_t> m, int64_t k, DType dtype, Location at) {
  const ApiNameScope s("tri", at);
  return fn::as_dtype(band({n, m.value_or(n)}, k, lax::ge), dtype);
}
Array tril(const Arg& x, int64_t k) { return triangle("tril", x, k, true); }
Array triu(const Arg& x, int64_t k) { return triangle("triu", x, k, false); }

Array diag(const Arg& x, int64_t k) {
  const ApiNameScope s("diag", x.at());
  if (x->ndim() == 2) return diagonal(x, k);
  if (x->ndim() != 1)
    fn::fail_shape(fmt::format("diag: needs a vector or a matrix, got {}", to_string(x->type())));
  const int64_t n = x->size() + (k < 0 ? -k : k);
  // Element i of the padded vector fills row i of a matrix, of which only the diagonal is kept.
  std::vector<int64_t> low{k > 0 ? 0 : -k}, high{k > 0 ? k : 0}, none{0};
  const Array padded = k ? pad_with(x, fn::number_like(x, 0), low, high, none) : x.value();
  return lax::select(band({n, n}, k, lax::eq), broadcast_in_dim(padded, {n, n}, {0}),
                     base::zeros(Type(x->dtype(), {n, n})));
}
Array diagonal(const Arg& x, int64_t offset, int64_t axis1, int64_t axis2) {
  const ApiNameScope s("diagonal", x.at());
  const int n = x->type().ndim();
  const int a = fn::axis_of("diagonal", axis1, n), b = fn::axis_of("diagonal", axis2, n);
  if (a == b) fn::fail_shape("diagonal: the two axes must differ");
  Array m = moveaxis(x, {a, b}, {-2, -1});
  const int64_t rows = m.shape()[-2], columns = m.shape()[-1];
  const int64_t r0 = offset < 0 ? -offset : 0, c0 = offset > 0 ? offset : 0;
  const int64_t count = std::max<int64_t>(0, std::min(rows - r0, columns - c0));
  if (count == 0)
    return zeros(m.shape().erased(n - 1).erased(n - 2).inserted(n - 2, 0), x->dtype());
  // In row-major order the diagonal is every (columns + 1)-th element from the first one on.
  std::vector<int64_t> flat(m.shape().begin(), m.shape().end() - 2);
  flat.push_back(rows * columns);
  const int64_t first = r0 * columns + c0;
  return fn::sliced(reshape_to(m, Shape(flat)), n - 2, first,
                    first + (count - 1) * (columns + 1) + 1, columns + 1);
}

Array diagflat(const Arg& x, int64_t k) {
  const ApiNameScope s("diagflat", x.at());
  return diag(ravel(x), k);
}

Arrays meshgrid(const Arrays& x, const std::string& indexing, bool sparse, Location at) {
  const ApiNameScope s("meshgrid", at);
  if (indexing != "xy" && indexing != "ij")
    fn::fail_shape("meshgrid: indexing is \"xy\" or \"ij\", not \"" + indexing + "\"");
  std::vector<int64_t> grid, place;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].ndim() > 1) fn::fail_shape("meshgrid: needs vectors, got " + to_string(x[i].type()));
    grid.push_back(x[i].size());
    place.push_back(static_cast<int64_t>(i));
  }
  if (indexing == "xy" && x.size() > 1) {
    std::swap(grid[0], grid[1]);
    std::swap(place[0], place[1]);
  }
  Arrays out;
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<int64_t> shape = grid;
    for (size_t k = 0; sparse && k < shape.size(); ++k)
      if (static_cast<int64_t>(k) != place[i]) shape[k] = 1;
    out.push_back(broadcast_in_dim(reshape_to(x[i], {x[i].size()}), Shape(shape), {place[i]}));
  }
  return out;
}

}  // namespace weft
