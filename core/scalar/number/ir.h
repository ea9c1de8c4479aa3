// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/number/ir.h: numbers of the loop program being written. `Ir<T>` has the arithmetic of
// T, but each operation emits an instruction. Operations with only constant operands are computed
// immediately by the same functions of plain.h.
#pragma once
#include <array>
#include <utility>

#include "core/loops/nest.h"
#include "core/scalar/number/plain.h"

namespace weft::num {

namespace detail {
inline constinit thread_local nest::Builder* writing = nullptr;
}
// The nest that this thread writes.
inline nest::Builder& builder() { return *detail::writing; }
// Makes `b` the nest that this thread writes, until the end of the scope.
class Writing {
 public:
  explicit Writing(nest::Builder& b) : before_(std::exchange(detail::writing, &b)) {}
  ~Writing() { detail::writing = before_; }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  nest::Builder* before_;
};

template <Plain T>
constexpr nest::Kind kind_of() {
  if constexpr (std::same_as<T, bool>)
    return nest::Kind::Mask;
  else if constexpr (std::same_as<T, float>)
    return nest::Kind::F32;
  else if constexpr (std::same_as<T, double>)
    return nest::Kind::F64;
  else
    return sizeof(T) == 1   ? nest::Kind::I8
           : sizeof(T) == 2 ? nest::Kind::I16
           : sizeof(T) == 4 ? nest::Kind::I32
                            : nest::Kind::I64;
}

namespace detail {
using nest::Opcode;
template <Plain T>
uint64_t to_bits(T x) {
  if constexpr (std::same_as<T, bool>)
    return x;
  else if constexpr (Float<T>)
    return std::bit_cast<Bits<T>>(x);
  else
    return static_cast<std::make_unsigned_t<T>>(x);
}
template <Plain T>
T from_bits(uint64_t b) {
  if constexpr (std::same_as<T, bool>)
    return b != 0;
  else if constexpr (Float<T>)
    return std::bit_cast<T>(static_cast<Bits<T>>(b));
  else
    return static_cast<T>(b);
}
template <Plain T>
constexpr Opcode by_sign(Opcode s, Opcode u) {
  return std::is_signed_v<T> ? s : u;
}
template <Plain T>
constexpr Opcode by_type(Opcode f, Opcode s, Opcode u) {
  return Float<T> ? f : by_sign<T>(s, u);
}
}  // namespace detail

template <Plain T>
struct Ir {
  nest::Id id = nest::no_id;

  Ir() = default;
  Ir(T constant) : id(builder().constant(kind_of<T>(), detail::to_bits(constant))) {}
  static Ir at(nest::Id id) {
    Ir r;
    r.id = id;
    return r;
  }
  // Returns true if it is a constant, and its value.
  bool known(T* value = nullptr) const {
    int64_t bits = 0;
    if (!builder().is_constant(id, &bits)) return false;
    if (value) *value = detail::from_bits<T>(static_cast<uint64_t>(bits));
    return true;
  }
  bool is(T c) const {
    int64_t bits = 0;
    return builder().is_constant(id, &bits) && static_cast<uint64_t>(bits) == detail::to_bits(c);
  }

  friend Ir operator+(Ir a, Ir b) { return add(a, b); }
  friend Ir operator-(Ir a, Ir b) { return sub(a, b); }
  friend Ir operator*(Ir a, Ir b) { return mul(a, b); }
  friend Ir operator/(Ir a, Ir b) { return div(a, b); }
  friend Ir operator-(Ir a) { return neg(a); }
  friend Ir operator&(Ir a, Ir b) { return bit_and(a, b); }
  friend Ir operator|(Ir a, Ir b) { return bit_or(a, b); }
  friend Ir operator^(Ir a, Ir b) { return bit_xor(a, b); }
  friend Ir operator~(Ir a) { return bit_not(a); }
  friend Ir operator!(Ir a)
    requires std::same_as<T, bool>
  {
    return bit_not(a);
  }
  friend Ir operator&&(Ir a, Ir b)
    requires std::same_as<T, bool>
  {
    return bit_and(a, b);
  }
  friend Ir operator||(Ir a, Ir b)
    requires std::same_as<T, bool>
  {
    return bit_or(a, b);
  }
  friend Ir<bool> operator==(Ir a, Ir b) { return equal(a, b); }
  friend Ir<bool> operator!=(Ir a, Ir b) { return unequal(a, b); }
  friend Ir<bool> operator<(Ir a, Ir b) { return less(a, b); }
  friend Ir<bool> operator<=(Ir a, Ir b) { return less_equal(a, b); }
  friend Ir<bool> operator>(Ir a, Ir b) { return less(b, a); }
  friend Ir<bool> operator>=(Ir a, Ir b) { return less_equal(b, a); }
  Ir& operator+=(Ir b) { return *this = add(*this, b); }
  Ir& operator-=(Ir b) { return *this = sub(*this, b); }
  Ir& operator*=(Ir b) { return *this = mul(*this, b); }
  Ir& operator^=(Ir b) { return *this = bit_xor(*this, b); }
};

namespace detail {
// The instruction `op` of type R, or its value if the operands are constants.
template <Plain R, class F, class... T>
Ir<R> emit(Opcode op, F plain, Ir<T>... a) {
  const auto fold = [&](auto... v) -> Ir<R> {
    if ((a.known(&v) && ...)) return Ir<R>(plain(v...));
    return Ir<R>::at(builder().pure(op, kind_of<R>(), {a.id...}));
  };
  return fold(T{}...);
}
}  // namespace detail

// Sums and products of integers drop neutral constants and collect the others at the end: (x + c) +
// d = x + (c + d). This keeps index arithmetic small.
template <Number T>
Ir<T> add(Ir<T> a, Ir<T> b) {
  if constexpr (Int<T>) {
    if (a.known()) std::swap(a, b);
    T c{}, d{};
    if (b.is(0)) return a;
    const nest::Inst& i = builder().inst(a.id);
    if (i.op == nest::Opcode::Add && b.known(&c) && Ir<T>::at(i.args[1]).known(&d)) {
      const auto x = Ir<T>::at(i.args[0]);
      return add(x, Ir<T>(add(c, d)));
    }
  }
  return detail::emit<T>(nest::Opcode::Add, [](T x, T y) { return add(x, y); }, a, b);
}
template <Number T>
Ir<T> sub(Ir<T> a, Ir<T> b) {
  if constexpr (Int<T>) {
    T c{};
    if (b.known(&c)) return add(a, Ir<T>(neg(c)));
    if (a.id == b.id) return T{0};
  }
  return detail::emit<T>(nest::Opcode::Sub, [](T x, T y) { return sub(x, y); }, a, b);
}
template <Number T>
Ir<T> mul(Ir<T> a, Ir<T> b) {
  if constexpr (Int<T>) {
    if (a.known()) std::swap(a, b);
    if (b.is(1)) return a;
    if (b.is(0)) return b;
  }
  return detail::emit<T>(nest::Opcode::Mul, [](T x, T y) { return mul(x, y); }, a, b);
}
template <Number T>
Ir<T> neg(Ir<T> a) {
  return detail::emit<T>(nest::Opcode::Neg, [](T x) { return neg(x); }, a);
}
template <Number T>
Ir<T> div(Ir<T> a, Ir<T> b) {
  if constexpr (Int<T>)
    if (b.is(1)) return a;
  const auto op = detail::by_type<T>(nest::Opcode::Div, nest::Opcode::SDiv, nest::Opcode::UDiv);
  return detail::emit<T>(op, [](T x, T y) { return div(x, y); }, a, b);
}
template <Number T>
Ir<T> rem(Ir<T> a, Ir<T> b) {
  const auto op = detail::by_type<T>(nest::Opcode::Rem, nest::Opcode::SRem, nest::Opcode::URem);
  return detail::emit<T>(op, [](T x, T y) { return rem(x, y); }, a, b);
}

template <Float T>
Ir<T> fma(Ir<T> a, Ir<T> b, Ir<T> c) {
  return detail::emit<T>(nest::Opcode::Fma, [](T x, T y, T z) { return fma(x, y, z); }, a, b, c);
}
template <Float T>
Ir<T> sqrt(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Sqrt, [](T v) { return sqrt(v); }, x);
}
template <Float T>
Ir<T> floor(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Floor, [](T v) { return floor(v); }, x);
}
template <Float T>
Ir<T> ceil(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Ceil, [](T v) { return ceil(v); }, x);
}
template <Float T>
Ir<T> trunc(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Trunc, [](T v) { return trunc(v); }, x);
}
template <Float T>
Ir<T> round_even(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::RoundEven, [](T v) { return round_even(v); }, x);
}
template <Number T>
Ir<T> minimum(Ir<T> a, Ir<T> b) {
  const auto op = detail::by_type<T>(nest::Opcode::FMin, nest::Opcode::SMin, nest::Opcode::UMin);
  return detail::emit<T>(op, [](T x, T y) { return minimum(x, y); }, a, b);
}
template <Number T>
Ir<T> maximum(Ir<T> a, Ir<T> b) {
  const auto op = detail::by_type<T>(nest::Opcode::FMax, nest::Opcode::SMax, nest::Opcode::UMax);
  return detail::emit<T>(op, [](T x, T y) { return maximum(x, y); }, a, b);
}

template <Bitwise T>
Ir<T> bit_and(Ir<T> a, Ir<T> b) {
  if (a.known()) std::swap(a, b);
  if (a.id == b.id || b.is(static_cast<T>(-1))) return a;  // for a mask -1 is true
  if (b.is(T{0})) return b;
  return detail::emit<T>(nest::Opcode::And, [](T x, T y) { return bit_and(x, y); }, a, b);
}
template <Bitwise T>
Ir<T> bit_or(Ir<T> a, Ir<T> b) {
  if (a.known()) std::swap(a, b);
  if (a.id == b.id || b.is(T{0})) return a;
  if (b.is(static_cast<T>(-1))) return b;
  return detail::emit<T>(nest::Opcode::Or, [](T x, T y) { return bit_or(x, y); }, a, b);
}
template <Bitwise T>
Ir<T> bit_xor(Ir<T> a, Ir<T> b) {
  if (a.known()) std::swap(a, b);
  if (b.is(T{0})) return a;
  return detail::emit<T>(nest::Opcode::Xor, [](T x, T y) { return bit_xor(x, y); }, a, b);
}
template <Bitwise T>
Ir<T> bit_not(Ir<T> a) {
  const nest::Inst& i = builder().inst(a.id);
  if (i.op == nest::Opcode::Not) return Ir<T>::at(i.args[0]);
  return detail::emit<T>(nest::Opcode::Not, [](T x) { return bit_not(x); }, a);
}
inline Ir<bool> both(Ir<bool> a, Ir<bool> b) { return bit_and(a, b); }
inline Ir<bool> either(Ir<bool> a, Ir<bool> b) { return bit_or(a, b); }

template <Plain T>
Ir<bool> equal(Ir<T> a, Ir<T> b) {
  return detail::emit<bool>(nest::Opcode::Eq, [](T x, T y) { return x == y; }, a, b);
}
template <Plain T>
Ir<bool> unequal(Ir<T> a, Ir<T> b) {
  return detail::emit<bool>(nest::Opcode::Ne, [](T x, T y) { return x != y; }, a, b);
}
// For masks, false < true.
template <Plain T>
Ir<bool> less(Ir<T> a, Ir<T> b) {
  if constexpr (std::same_as<T, bool>)
    return bit_and(bit_not(a), b);
  else {
    const auto op = detail::by_type<T>(nest::Opcode::Lt, nest::Opcode::SLt, nest::Opcode::ULt);
    return detail::emit<bool>(op, [](T x, T y) { return x < y; }, a, b);
  }
}
template <Plain T>
Ir<bool> less_equal(Ir<T> a, Ir<T> b) {
  if constexpr (std::same_as<T, bool>)
    return bit_or(bit_not(a), b);
  else {
    const auto op = detail::by_type<T>(nest::Opcode::Le, nest::Opcode::SLe, nest::Opcode::ULe);
    return detail::emit<bool>(op, [](T x, T y) { return x <= y; }, a, b);
  }
}
template <Plain T>
Ir<T> select(Ir<bool> m, Ir<T> a, Ir<T> b) {
  bool known = false;
  if (a.id == b.id) return a;
  if (m.known(&known)) return known ? a : b;
  return Ir<T>::at(builder().pure(nest::Opcode::Select, kind_of<T>(), {m.id, a.id, b.id}));
}
template <Plain T>
Ir<T> select(bool m, Ir<T> a, Ir<T> b) {
  return m ? a : b;
}

template <Number T>
Ir<T> abs(Ir<T> x) {
  if constexpr (Float<T>)
    return detail::emit<T>(nest::Opcode::Abs, [](T v) { return abs(v); }, x);
  else if constexpr (std::is_signed_v<T>)
    return maximum(x, neg(x));  // MIN is its own negative
  else
    return x;
}
template <Float T>
Ir<bool> is_nan(Ir<T> x) {
  return unequal(x, x);
}
template <Float T>
Ir<bool> is_finite(Ir<T> x) {
  return less_equal(abs(x), Ir<T>(std::numeric_limits<T>::max()));
}

template <Int T>
Ir<T> shift_left(Ir<T> x, Ir<T> n) {
  if (n.is(0)) return x;
  return detail::emit<T>(nest::Opcode::Shl, [](T v, T c) { return shift_left(v, c); }, x, n);
}
template <Int T>
Ir<T> shift_right_logical(Ir<T> x, Ir<T> n) {
  if (n.is(0)) return x;
  return detail::emit<T>(
      nest::Opcode::Shr, [](T v, T c) { return shift_right_logical(v, c); }, x, n);
}
template <Int T>
Ir<T> shift_right_arithmetic(Ir<T> x, Ir<T> n) {
  if (n.is(0)) return x;
  return detail::emit<T>(
      nest::Opcode::Sar, [](T v, T c) { return shift_right_arithmetic(v, c); }, x, n);
}
template <Int T>
Ir<T> popcount(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Popcount, [](T v) { return popcount(v); }, x);
}
template <Int T>
Ir<T> clz(Ir<T> x) {
  return detail::emit<T>(nest::Opcode::Clz, [](T v) { return clz(v); }, x);
}
template <Int T>
Ir<T> mulhi(Ir<T> a, Ir<T> b) {
  const auto op = detail::by_sign<T>(nest::Opcode::MulHiS, nest::Opcode::MulHiU);
  return detail::emit<T>(op, [](T x, T y) { return mulhi(x, y); }, a, b);
}
inline Ir<float> round_to_bf16(Ir<float> x) {
  return detail::emit<float>(nest::Opcode::RoundBF16, [](float v) { return round_to_bf16(v); }, x);
}
inline Ir<float> round_to_f16(Ir<float> x) {
  return detail::emit<float>(nest::Opcode::RoundF16, [](float v) { return round_to_f16(v); }, x);
}

namespace detail {
template <class U>
struct Scalar {
  using type = U;
};
template <class U>
struct Scalar<Ir<U>> {
  using type = U;
};
template <Plain U, Plain T>
constexpr Opcode conversion() {
  if constexpr (Float<T>)
    return Float<U> ? Opcode::FConv : by_sign<U>(Opcode::FToS, Opcode::FToU);
  else if constexpr (std::same_as<T, bool>)
    return Opcode::MaskToInt;
  else if constexpr (Float<U>)
    return by_sign<T>(Opcode::SToF, Opcode::UToF);
  else
    return sizeof(U) < sizeof(T) ? Opcode::Narrow : by_sign<T>(Opcode::SExt, Opcode::ZExt);
}
}  // namespace detail

// `convert<int32_t>(x)` and `convert<Ir<int32_t>>(x)` both return an Ir<int32_t>.
template <class To, Plain T>
auto convert(Ir<T> x) {
  using U = typename detail::Scalar<To>::type;
  if constexpr (std::same_as<U, T>)
    return x;
  else if constexpr (std::same_as<U, bool>)
    return unequal(x, Ir<T>(T{0}));
  else if constexpr (std::same_as<T, bool> && Float<U>)
    return select(x, Ir<U>(U(1)), Ir<U>(U(0)));
  else if constexpr (Int<U> && Int<T> && sizeof(U) == sizeof(T))
    return Ir<U>::at(x.id);
  else
    return detail::emit<U>(detail::conversion<U, T>(), [](T v) { return convert<U>(v); }, x);
}
template <class To, Number T>
auto bitcast(Ir<T> x) {
  using U = typename detail::Scalar<To>::type;
  static_assert(sizeof(U) == sizeof(T));
  if constexpr (kind_of<U>() == kind_of<T>())
    return Ir<U>::at(x.id);
  else
    return detail::emit<U>(nest::Opcode::Bitcast, [](T v) { return bitcast<U>(v); }, x);
}

}  // namespace weft::num
