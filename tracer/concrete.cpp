// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/concrete.cpp: makes, reads and converts concrete arrays.
#include "tracer/concrete.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "tracer/trace.h"
#include "tracer/weak_numbers.h"
#include "weft/device.h"
#include "weft/shape_dtype.h"

namespace weft {

Concrete::Concrete(Type t, Location made, bool literal)
    : Node(t, made), literal(literal), foreign(false), elsewhere_(nullptr) {
  if (t.bytes() > static_cast<int64_t>(sizeof inline_)) buffer_ = Buffer::allocate(t.bytes());
}

Concrete::Concrete(Type t, Location made, Ref<Buffer> buffer)
    : Node(t, made),
      literal(false),
      foreign(buffer->is_foreign()),
      elsewhere_(buffer->on_host() ? nullptr : &buffer->device()),
      buffer_(std::move(buffer)) {}

void Concrete::claim(const char* to) const {
  const char* before = nullptr;
  if (!donated_to_.compare_exchange_strong(before, to)) raise_donated(before);
}

void Concrete::raise_donated(const char* to) const {
  throw DeviceError(
      fmt::format("this array {} has been deleted: its memory was donated to '{}' "
                  "(donate_argnums). Use the result of "
                  "that call instead, or do not donate the argument.",
                  to_string(type), to));
}

const Concrete* concrete_or_null(const Array& x) {
  return x.node().concrete() ? static_cast<const Concrete*>(&x.node()) : nullptr;
}

const Concrete& concrete(const Array& x) {
  // Tracers of grad and jvp have a known value, so that C++ control flow works on them.
  const Array* v = &x;
  while (!v->node().concrete()) {
    const Array* known = static_cast<const Tracer&>(v->node()).known_value();
    if (!known) {
      const Tracer& t = static_cast<const Tracer&>(v->node());
      detail::require_value("reading an Array", *v);
      throw ConcretizationError(fmt::format(
          "the value of a traced array {}{} is not known here: it depends on the arguments of the "
          "{} that is being traced. Use weft::cond, weft::where or weft::while_loop in place of "
          "C++'s if and while, and keep item() and data() outside the function.",
          to_string(x.type()), made_at(t), t.trace->name()));
    }
    v = known;
  }
  return static_cast<const Concrete&>(v->node());
}

Fresh fresh_array(const Type& t) {
  auto* node = new Concrete(t, SourceScope::current());
  Array a{Ref<const Node>(node)};
  return {std::move(a), node->mutable_data()};
}

Array array_of_bytes(const Type& t, const void* bytes) {
  Fresh f = fresh_array(t);
  if (t.bytes()) std::memcpy(f.data, bytes, t.bytes());
  return f.array;
}

Array literal_array(const Literal& l) {
  auto* node = new Concrete(l.type(), SourceScope::current(), true);
  Array a{Ref<const Node>(node)};
  std::memcpy(node->mutable_data(), l.bits, sizeof l.bits);
  return a;
}

Literal literal_of(const Concrete& c) {
  Literal l{c.type.dtype(), c.type.weak(), {0, 0}};
  std::memcpy(l.bits, c.data(), sizeof l.bits);
  return l;
}

namespace {
// The conversion of a C++ number to each element type.
template <class To, class From>
To convert_value(From x) {
  if constexpr (std::is_same_v<To, complex64_t> || std::is_same_v<To, complex128_t>) {
    using R = decltype(To{}.re);
    if constexpr (std::is_same_v<From, complex64_t> || std::is_same_v<From, complex128_t>)
      return {static_cast<R>(x.re), static_cast<R>(x.im)};
    else
      return {convert_value<R>(x), R(0)};
  } else if constexpr (std::is_same_v<From, complex64_t> || std::is_same_v<From, complex128_t>) {
    if constexpr (std::is_same_v<To, bool>)
      return x.re != 0 || x.im != 0;
    else
      return convert_value<To>(x.re);
  } else if constexpr (std::is_same_v<To, float16_t> || std::is_same_v<To, bfloat16_t>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same_v<From, float16_t> || std::is_same_v<From, bfloat16_t>) {
    return convert_value<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Saturates; NaN gives 0, as in JAX.
    if (x != x) return To(0);
    const double lo = static_cast<double>(std::numeric_limits<To>::min()),
                 hi = static_cast<double>(std::numeric_limits<To>::max());
    const double d = static_cast<double>(x);
    if (d <= lo) return std::numeric_limits<To>::min();
    if (d >= hi) return std::numeric_limits<To>::max();
    return static_cast<To>(d);
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
Literal literal_from(DType d, bool weak, T x) {
  Literal l{d, weak, {0, 0}};
  with_dtype(d, [&](auto* p) {
    const auto v = convert_value<std::remove_pointer_t<decltype(p)>>(x);
    std::memcpy(l.bits, &v, sizeof v);
  });
  return l;
}
}  // namespace

Array scalar_of(DType d, double value, bool weak) {
  return literal_array(d == F32 && weak ? weak_literal(value) : literal_from(d, weak, value));
}
Array scalar_of_int(DType d, int64_t value, bool weak) {
  return literal_array(literal_from(d, weak, value));
}

bool is_scalar_value(const Array& x, double value) {
  if (!x.node().concrete() || x.size() != 1 || is_key(x.dtype())) return false;
  double v = 0;
  detail::convert_elements(x, &v, F64);
  return v == value;
}

Array Array::scalar_bool(bool x) { return scalar_of_int(Bool, x); }
// An integer's type depends on whether it fits I32.
Array Array::scalar_int(int64_t x) {
  return scalar_of_int(x < INT32_MIN || x > INT32_MAX ? I64 : I32, x, true);
}
Array Array::scalar_unsigned(uint64_t x) {
  return x > INT64_MAX ? literal_array(literal_from(U64, true, x))
                       : scalar_int(static_cast<int64_t>(x));
}
Array Array::scalar_complex(double re, double im) {
  const auto exact = [](double x) {
    return static_cast<double>(static_cast<float>(x)) == x || std::isnan(x);
  };
  if (exact(re) && exact(im)) {
    const float z[] = {static_cast<float>(re), static_cast<float>(im)};
    return array_of_bytes(Type(C64, {}, true), z);
  }
  const double z[] = {re, im};
  return array_of_bytes(Type(C128, {}), z);
}
Array Array::scalar_float(double x) { return scalar_of(F32, x, true); }

void Array::raise_empty(Location at) {
  const SourceScope source(at);
  throw EmptyArrayError(
      "empty Array: a default-constructed handle holds no value; assign one first");
}

std::string Array::device(Location at) const {
  const SourceScope source(at);
  const Concrete* c = node(at).concrete() ? concrete_or_null(*this) : nullptr;
  if (!c) return "traced";
  const detail::Device* d = c->elsewhere();
  return (d ? *d : detail::host()).name();
}

const void* Array::host_data(DType d, Location at) const {
  const SourceScope source(at);
  const Concrete& c = weft::concrete(*this);
  if (d != dtype())
    throw DTypeError(fmt::format("data<{}>() of an array of {}; use to_vector for a conversion",
                                 numpy_name(d), to_string(type())));
  return c.data();
}

const Array& Array::block_until_ready(Location at) const {
  const SourceScope source(at);
  if (const Concrete* c = concrete_or_null(*this))
    if (detail::Device* d = c->elsewhere()) d->wait_for(c->buffer()->data());
  return *this;
}

Array::operator bool() const {
  const Concrete& c = weft::concrete(*this);
  if (size() != 1)
    throw ShapeError(fmt::format("the truth value of {}{} is ambiguous; use any() or all()",
                                 to_string(type()), made_at(node())));
  (void)c;
  bool b = false;
  detail::convert_elements(*this, &b, Bool);
  return b;
}

std::vector<bool> detail::as_bools(const std::vector<uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}
void detail::convert_elements(const Array& x, void* out, DType to, Location at) {
  const SourceScope source(at);
  const Concrete& c = weft::concrete(x);
  if (x.dtype() != to && (is_key(x.dtype()) || is_key(to)))
    throw DTypeError("the words of a random key are read by random::key_data");
  const int64_t n = x.size();
  if (x.dtype() == to) {
    if (n) std::memcpy(out, c.data(), x.type().bytes());
    return;
  }
  const void* data = c.data();
  DType from = x.dtype();
  double written = 0;
  if (exceeds_f32(to)) {
    if (const std::optional<double> kept = kept_double(c)) {
      written = *kept;
      data = &written;
      from = F64;
    }
  }
  with_dtype(from, [&](auto* f) {
    with_dtype(to, [&](auto* t) {
      using From = std::remove_pointer_t<decltype(f)>;
      using To = std::remove_pointer_t<decltype(t)>;
      const From* in = static_cast<const From*>(data);
      To* result = static_cast<To*>(out);
      for (int64_t i = 0; i < n; ++i) result[i] = convert_value<To>(in[i]);
    });
  });
}

void detail::require_scalar(const Array& x, const char* what, Location at) {
  if (x.size(at) == 1) return;
  const SourceScope source(at);
  throw ShapeError(
      fmt::format("{} needs an array of one element, got {}", what, to_string(x.type())));
}

}  // namespace weft
