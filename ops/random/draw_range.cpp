// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/draw_range.cpp: numbers in a range, each from 64 bits of Threefry.
#include "ops/random/draw_range.h"

#include <cmath>

#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/bit_generator.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"

namespace weft {
namespace {

// The number of mantissa bits of the floats used for computing. Other floats are rounded from
// these.
DType wide_of(DType d) { return d == F64 ? F64 : F32; }
int digits(DType d) { return d == F64 ? 53 : 24; }

// k 2^-digits, where k is the integer made of `digits` random bits: all numbers in [0, 1) with at
// most that many digits.
Array unit(const Array& bits, DType d) {
  const Array top = lax::shift_right_logical(bits, scalar_of_int(U64, 64 - digits(d)));
  const Array k = base::convert(top, wide_of(d));
  return lax::mul(k, like(k, std::ldexp(1.0, -digits(d))));
}

Array uniform_integers(const Array& bits, const Array& a, const Array& b) {
  const Array first = base::convert(a, U64);
  const Array count = lax::max(lax::sub(base::convert(b, U64), first), scalar_of_int(U64, 1));
  const Array all = broadcast_in_dim(count, bits.shape(), {});
  // The sum wraps, like the difference.
  return base::convert(lax::add(lax::rem(bits, all), broadcast_in_dim(first, bits.shape(), {})),
                       a.dtype());
}
Array uniform_floats(const Array& bits, const Array& a, const Array& b) {
  const DType d = a.dtype(), w = wide_of(d);
  const auto everywhere = [&](const Array& x) { return broadcast_in_dim(x, bits.shape(), {}); };
  const Array first = base::convert(a, w), size = lax::sub(base::convert(b, w), first);
  const Array x =
      base::convert(lax::add(lax::mul(unit(bits, d), everywhere(size)), everywhere(first)), d);
  // Some numbers are rounded up to b, which is outside of the range.
  return lax::select(lax::lt(x, everywhere(b)), x, everywhere(a));
}
// Applies the inverse of the normal distribution function to odd multiples of 2^-digits in (-1, 1).
Array normal_floats(const Array& bits, const Array& a, const Array& b) {
  const DType d = a.dtype(), w = wide_of(d);
  const auto everywhere = [&](const Array& x) {
    return broadcast_in_dim(base::convert(x, w), bits.shape(), {});
  };
  const Array u = unit(bits, d);
  const Array odd = lax::sub(lax::mul(u, like(u, 2)), like(u, 1 - std::ldexp(1.0, -digits(d))));
  const Array z = lax::mul(lax::erf_inv(odd), like(odd, std::sqrt(2.0)));
  return base::convert(lax::add(lax::mul(z, everywhere(b)), everywhere(a)), d);
}

}  // namespace

Array draw_range(const char* op, const Array& a, const Array& b, const Shape& shape,
                 Distribution how, uint64_t stream) {
  const Types in = {a.type(), b.type()};
  if (a.ndim() != 0 || b.ndim() != 0) reject_shape(op, "takes two scalars", in);
  if (a.dtype() != b.dtype()) reject_dtype(op, "takes two scalars of one dtype", in);
  const bool whole = is_integer(a.dtype());
  if (how == Distribution::normal && !is_floating(a.dtype()))
    reject_dtype(op, "draws normal numbers as floats", in);
  if (!whole && !is_floating(a.dtype())) reject_dtype(op, "draws integers or floats", in);
  // The key is the stream, and the counter starts at 0.
  const uint64_t state[2] = {stream, 0};
  const Array bits =
      draw_bits(array_of_bytes(Type(U64, Shape{2}), state), shape, U64, BitGenerator::threefry)
          .bits;
  if (how == Distribution::normal) return normal_floats(bits, a, b);
  return whole ? uniform_integers(bits, a, b) : uniform_floats(bits, a, b);
}

}  // namespace weft
