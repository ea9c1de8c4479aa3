// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/dtype.h: element types, their properties, and the promotion lattice (that of JAX
// with the 64-bit types enabled).
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>

namespace weft {

// The type of an array's elements. The numeric types are also names in weft: weft::F32. I and U are
// signed and unsigned integers with the given number of bits; BF16 is bfloat16. C64 and C128 are
// complex numbers of two F32 and of two F64. DType::Key and DType::RbgKey are the keys of
// weft::random, for its threefry and its "rbg" generator. Keys are not numbers.
enum class DType : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  BF16,
  F16,
  F32,
  F64,
  C64,
  C128,
  Key,
  RbgKey
};
using DType::BF16;
using DType::Bool;
using DType::C128;
using DType::C64;
using DType::F16;
using DType::F32;
using DType::F64;
using DType::I16;
using DType::I32;
using DType::I64;
using DType::I8;
using DType::U16;
using DType::U32;
using DType::U64;
using DType::U8;
namespace ir {  // programs may define these names themselves, so they use DType::Key
using DType::Key;
using DType::RbgKey;
}  // namespace ir

// The C++ type of F16 on the host. It only stores and converts: it has no arithmetic.
struct float16_t {
  uint16_t bits = 0;
  float16_t() = default;
  float16_t(float x);      // nearest even
  operator float() const;  // exact
};
// The C++ type of BF16 on the host, the upper half of a float. It only stores and converts: it has
// no arithmetic.
struct bfloat16_t {
  uint16_t bits = 0;
  bfloat16_t() = default;
  bfloat16_t(float x);     // nearest even
  operator float() const;  // exact
};
namespace typing {
// A complex number in memory, with the layout of std::complex. This header avoids including
// <complex>.
template <class R>
struct Complex {
  R re = 0, im = 0;
  friend bool operator==(const Complex&, const Complex&) = default;
};
}  // namespace typing
// The C++ type of C64, with the layout of std::complex<float>.
using complex64_t = typing::Complex<float>;
// The C++ type of C128, with the layout of std::complex<double>.
using complex128_t = typing::Complex<double>;

namespace ir {
int itemsize(DType d);            // bytes per element; 8 for a key (two uint32)
const char* short_name(DType d);  // "f32", "i32", "bool", "key", "key<rbg>"
const char* numpy_name(DType d);  // "float32"
// Sets *out to the dtype of a short name such as "f32"; "key" and "key<fry>" give Key. Returns
// false, and leaves *out unchanged, if no dtype has this name.
bool parse_dtype(const std::string& short_name, DType* out);

// Returns true if d is Bool.
constexpr bool is_bool(DType d) { return d == Bool; }
// Returns true if d is a signed integer: I8 to I64.
constexpr bool is_signed(DType d) { return d >= I8 && d <= I64; }
// Returns true if d is an unsigned integer: U8 to U64.
constexpr bool is_unsigned(DType d) { return d >= U8 && d <= U64; }
// Returns true if d is an integer, signed or unsigned. Bool is not an integer.
constexpr bool is_integer(DType d) { return d >= I8 && d <= U64; }
// Returns true if d is a real floating-point type: BF16, F16, F32 or F64.
constexpr bool is_floating(DType d) { return d >= BF16 && d <= F64; }
// Returns true if d is C64 or C128.
constexpr bool is_complex(DType d) { return d == C64 || d == C128; }
// Returns true if d is a floating-point or complex type. Only these types have derivatives.
constexpr bool is_inexact(DType d) { return d >= BF16 && d <= C128; }
// Returns true if d is one of the key types.
constexpr bool is_key(DType d) { return d >= Key; }
// Returns true if d is a numeric type: any type but Bool and the key types.
constexpr bool is_number(DType d) { return d >= I8 && d <= C128; }
DType real_part(DType d);  // C64 -> F32, C128 -> F64, else d

// Returns true if d has values that F32 cannot represent exactly.
constexpr bool exceeds_f32(DType d) {
  return d == I32 || d == U32 || d == I64 || d == U64 || d == F64 || d == C128;
}
// Returns true for a weak I64 or U64: the type of an integer literal that does not fit I32. Such a
// literal combines only with I64, U64, F64 and C128. A literal that exceeds I64, too, does not
// combine with I64.
bool beyond_i32(DType d, bool weak);
// Returns true if such a literal of dtype `number` can be converted to `to`.
bool takes_beyond_i32(DType number, DType to);
// The advice in error messages about such literals.
std::string beyond_i32_advice();
// The result of promoting two operands. A weak type (that of a C++ scalar) adopts the width of the
// other operand.
struct Promoted {
  DType dtype;
  bool weak;
};
// The dtype to which operands of dtypes a and b are converted, and whether it is still weak: JAX's
// lattice with the 64-bit types enabled. Raises DTypeError if there is no such dtype (a key with
// anything else). Source: jax.numpy.promote_types.
Promoted promote(DType a, bool weak_a, DType b, bool weak_b);
// The float type to which a transcendental function converts an integer or bool argument: F64 for
// the 64-bit integers, else F32. Inexact types stay unchanged.
DType to_inexact(DType d);

// The element type of a C++ type.
template <class T>
struct dtype_of;
template <>
struct dtype_of<bool> {
  static constexpr DType value = Bool;
};
template <>
struct dtype_of<int8_t> {
  static constexpr DType value = I8;
};
template <>
struct dtype_of<int16_t> {
  static constexpr DType value = I16;
};
template <>
struct dtype_of<int32_t> {
  static constexpr DType value = I32;
};
template <>
struct dtype_of<uint8_t> {
  static constexpr DType value = U8;
};
template <>
struct dtype_of<uint16_t> {
  static constexpr DType value = U16;
};
template <>
struct dtype_of<uint32_t> {
  static constexpr DType value = U32;
};
template <>
struct dtype_of<long> {
  static constexpr DType value = I64;
};
template <>
struct dtype_of<long long> {
  static constexpr DType value = I64;
};
template <>
struct dtype_of<unsigned long> {
  static constexpr DType value = U64;
};
template <>
struct dtype_of<unsigned long long> {
  static constexpr DType value = U64;
};
template <>
struct dtype_of<bfloat16_t> {
  static constexpr DType value = BF16;
};
template <>
struct dtype_of<float16_t> {
  static constexpr DType value = F16;
};
template <>
struct dtype_of<float> {
  static constexpr DType value = F32;
};
template <>
struct dtype_of<double> {
  static constexpr DType value = F64;
};
template <>
struct dtype_of<complex64_t> {
  static constexpr DType value = C64;
};
template <>
struct dtype_of<complex128_t> {
  static constexpr DType value = C128;
};
// std::complex and similar classes. This header avoids including <complex>.
template <class T>
concept ComplexNumber =
    requires(const T& z) {
      z.real();
      z.imag();
    } && std::is_floating_point_v<typename T::value_type> &&
    sizeof(T) == 2 * sizeof(typename T::value_type);
template <ComplexNumber T>
struct dtype_of<T> {
  static constexpr DType value = sizeof(T) == 8 ? C64 : C128;
};
// The element type of a C++ type, const or not: dtype_of_v<double> is F64.
template <class T>
inline constexpr DType dtype_of_v = dtype_of<std::remove_cv_t<T>>::value;

// Calls f with a null pointer to the C++ type of d: f((float*)nullptr) for F32. Keys count as U64.
template <class F>
decltype(auto) with_dtype(DType d, F&& f) {
  switch (d) {
    case Bool: return f(static_cast<bool*>(nullptr));
    case I8: return f(static_cast<int8_t*>(nullptr));
    case I16: return f(static_cast<int16_t*>(nullptr));
    case I32: return f(static_cast<int32_t*>(nullptr));
    case I64: return f(static_cast<int64_t*>(nullptr));
    case U8: return f(static_cast<uint8_t*>(nullptr));
    case U16: return f(static_cast<uint16_t*>(nullptr));
    case U32: return f(static_cast<uint32_t*>(nullptr));
    case BF16: return f(static_cast<bfloat16_t*>(nullptr));
    case F16: return f(static_cast<float16_t*>(nullptr));
    case F32: return f(static_cast<float*>(nullptr));
    case F64: return f(static_cast<double*>(nullptr));
    case C64: return f(static_cast<complex64_t*>(nullptr));
    case C128: return f(static_cast<complex128_t*>(nullptr));
    default: return f(static_cast<uint64_t*>(nullptr));
  }
}

}  // namespace ir
}  // namespace weft
