// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/walk_nest.cpp: the meaning of every instruction of core/loops/nest.h, on 64-bit
// patterns.
#include "tests/jit/emit/walk_nest.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/loops/combine.h"
#include "core/loops/fold_order.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

using nest::BlockId;
using nest::Combine;
using nest::Id;
using nest::Inst;
using nest::Kernel;
using nest::Kind;
using nest::Opcode;
using nest::Storage;
using Bits = uint64_t;  // integers are zero-extended, F32 is in the low half, Mask is 0 or 1

int width(Kind k) {
  switch (k) {
    case Kind::Mask: return 1;
    case Kind::I8: return 8;
    case Kind::I16: return 16;
    case Kind::I32:
    case Kind::F32: return 32;
    default: return 64;
  }
}
bool is_float(Kind k) { return k == Kind::F32 || k == Kind::F64; }
Bits cut(Kind k, Bits b) { return width(k) == 64 ? b : b & ((Bits{1} << width(k)) - 1); }
int64_t as_signed(Kind k, Bits b) {
  const int s = 64 - width(k);
  return static_cast<int64_t>(b << s) >> s;
}
float f32(Bits b) { return std::bit_cast<float>(static_cast<uint32_t>(b)); }
double f64(Bits b) { return std::bit_cast<double>(b); }
Bits bits(float x) { return std::bit_cast<uint32_t>(x); }
Bits bits(double x) { return std::bit_cast<uint64_t>(x); }

// The operands of an instruction without side effects; missing operands are 0.
using Operands = std::array<Bits, 3>;

// Calls f on the float operands in their own precision.
template <class F>
Bits with_floats(Kind k, const Operands& a, F f) {
  return k == Kind::F32 ? bits(f(f32(a[0]), f32(a[1]), f32(a[2])))
                        : bits(f(f64(a[0]), f64(a[1]), f64(a[2])));
}

template <class T>
T minimum(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T maximum(T a, T b) {
  return -minimum(-a, -b);
}
template <class T>
T round_even(T x) {
  const T whole = std::floor(x), rest = x - whole;
  T r = rest > T(0.5)                 ? whole + 1
        : rest < T(0.5)               ? whole
        : std::fmod(whole, T(2)) == 0 ? whole
                                      : whole + 1;
  if (x != x || std::isinf(x)) r = x;
  return std::copysign(r, x);
}

// Rounds to the nearest float, ties to even. The format has `digits` bits after the point of its
// significand and exponents from `least` on. The result may exceed the largest number of the
// format.
double round_to(double x, int digits, int least) {
  if (x == 0 || x != x || std::isinf(x)) return x;
  const int e = std::max(std::ilogb(x), least);
  const double unit = std::ldexp(1.0, e - digits);
  return round_even(x / unit) * unit;
}
uint16_t narrow_bits(float x, int digits, int bias) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const int exponents = 15 - digits;
  const uint16_t infinite = static_cast<uint16_t>(((1 << exponents) - 1) << digits);
  if (x != x) return static_cast<uint16_t>(sign | infinite | (1 << (digits - 1)));
  const double r = std::fabs(round_to(x, digits, 1 - bias));
  if (r == 0) return sign;
  if (r >= std::ldexp(1.0, bias + 1)) return static_cast<uint16_t>(sign | infinite);
  const int e = std::max(std::ilogb(r), 1 - bias);
  const auto m = static_cast<uint32_t>(std::ldexp(r, digits - e));
  const uint32_t lead = 1u << digits;
  return static_cast<uint16_t>(
      sign | (m >= lead ? (static_cast<uint32_t>(e + bias) << digits) + (m - lead) : m));
}
float widen(uint16_t h, int digits, int bias) {
  const int e = (h & 0x7fff) >> digits, m = h & ((1 << digits) - 1), top = (1 << (15 - digits)) - 1;
  double v = e == top ? (m ? std::nan("") : HUGE_VAL)
             : e      ? std::ldexp(m + (1 << digits), e - bias - digits)
                      : std::ldexp(m, 1 - bias - digits);
  return static_cast<float>(h & 0x8000 ? -v : v);
}
constexpr int bf16_digits = 7, bf16_bias = 127, f16_digits = 10, f16_bias = 15;

Bits to_integer(double x, Kind k, bool is_signed) {
  if (x != x) return 0;
  const int w = width(k);
  const double high = std::ldexp(1.0, is_signed ? w - 1 : w), low = is_signed ? -high : 0.0;
  if (x <= low) return is_signed ? cut(k, Bits{1} << (w - 1)) : 0;
  if (x >= high) return is_signed ? (Bits{1} << (w - 1)) - 1 : cut(k, ~Bits{0});
  return cut(k, x < 0 ? static_cast<Bits>(static_cast<int64_t>(x)) : static_cast<Bits>(x));
}

Bits divide(Opcode op, Kind k, Bits a, Bits b) {
  const bool rest = op == Opcode::SRem || op == Opcode::URem;
  if (b == 0) return rest ? a : cut(k, ~Bits{0});
  if (op == Opcode::UDiv) return a / b;
  if (op == Opcode::URem) return a % b;
  const int64_t x = as_signed(k, a), y = as_signed(k, b);
  if (y == -1) return rest ? 0 : cut(k, 0 - a);
  return cut(k, static_cast<Bits>(rest ? x % y : x / y));
}

Bits combine_one(Combine c, Kind k, Bits a, Bits b) {
  const int64_t x = as_signed(k, a), y = as_signed(k, b);
  const auto floats = [&](auto f) {
    return with_floats(k, {a, b, 0}, [&](auto p, auto q, auto) { return f(p, q); });
  };
  switch (c) {
    case Combine::Add:
      return is_float(k) ? floats([](auto p, auto q) { return p + q; }) : cut(k, a + b);
    case Combine::Mul:
      return is_float(k) ? floats([](auto p, auto q) { return p * q; }) : cut(k, a * b);
    case Combine::FMin: return floats([](auto p, auto q) { return minimum(p, q); });
    case Combine::FMax: return floats([](auto p, auto q) { return maximum(p, q); });
    case Combine::SMin: return x < y ? a : b;
    case Combine::SMax: return x > y ? a : b;
    case Combine::UMin: return a < b ? a : b;
    case Combine::UMax: return a > b ? a : b;
    case Combine::And: return a & b;
    case Combine::Or: return a | b;
    case Combine::Xor: return a ^ b;
    default: throw InternalError("a pair combiner stands alone in a fold");
  }
}

bool second_wins(Combine c, Kind k, Bits a, Bits index_a, Bits b, Bits index_b) {
  const bool first_index = static_cast<int64_t>(index_b) < static_cast<int64_t>(index_a);
  const auto by_value = [&](auto x, auto y) {
    const bool nan_x = x != x, nan_y = y != y;
    if (nan_x || nan_y) return nan_x == nan_y ? first_index : nan_y;
    if (x == y) return first_index;
    return c == Combine::ArgMax ? y > x : y < x;
  };
  if (k == Kind::F32) return by_value(f32(a), f32(b));
  if (k == Kind::F64) return by_value(f64(a), f64(b));
  if (k == Kind::Mask) return by_value(a, b);
  return by_value(as_signed(k, a), as_signed(k, b));
}

struct Walker {
  Walker(const Kernel& kernel, void* const* b, const int64_t* e)
      : k(kernel),
        buffers(b),
        extents(e),
        value(k.insts.size()),
        results(k.insts.size()),
        locals(k.insts.size()) {}

  void point(int64_t i, int64_t j) {
    index[0] = k.rank == 2 ? i : j;
    index[1] = j;
    block(0);
  }

  void block(BlockId b) {
    for (Id v : k.blocks[b].body) inst(v);
  }
  std::vector<Bits> yields(BlockId b) const {
    std::vector<Bits> out;
    for (Id y : k.blocks[b].yields) out.push_back(value[y]);
    return out;
  }
  void bind(BlockId b, int64_t number) { value[k.blocks[b].params[0]] = static_cast<Bits>(number); }
  void bind(BlockId b, size_t first, const std::vector<Bits>& x) {
    for (size_t r = 0; r < x.size(); ++r) value[k.blocks[b].params[first + r]] = x[r];
  }
  std::vector<Bits> args(const Inst& i, size_t from = 0) const {
    std::vector<Bits> out;
    for (size_t a = from; a < i.args.size(); ++a) out.push_back(value[i.args[a]]);
    return out;
  }

  Operands operands(const Inst& i) const {
    Operands out{};
    for (size_t a = 0; a < i.args.size(); ++a) out.at(a) = value[i.args[a]];
    return out;
  }

  void inst(Id v) {
    const Inst& i = k.insts[v];
    const BlockId body = i.blocks.empty() ? 0 : i.blocks.back();
    switch (i.op) {
      case Opcode::Param: return;
      case Opcode::Result: value[v] = results[i.args[0]][i.imm]; return;
      case Opcode::Const: value[v] = cut(i.kind, static_cast<Bits>(i.imm)); return;
      case Opcode::Extent: value[v] = static_cast<Bits>(extents[i.imm]); return;
      case Opcode::Index: value[v] = static_cast<Bits>(index[i.imm]); return;
      case Opcode::Load: value[v] = load(i); return;
      case Opcode::Store: return store(i);
      case Opcode::Local: locals[v].assign(static_cast<size_t>(i.imm), 0); return;
      case Opcode::LocalLoad: value[v] = locals[i.args[0]].at(value[i.args[1]]); return;
      case Opcode::LocalStore: locals[i.args[0]].at(value[i.args[1]]) = value[i.args[2]]; return;
      case Opcode::For: return loop(v, i, body);
      case Opcode::Fold: return fold(v, i, body);
      case Opcode::ForEach:
        for (int64_t t = 0, n = static_cast<int64_t>(value[i.args[0]]); t < n; ++t)
          bind(body, t), block(body);
        return;
      case Opcode::While: {
        std::vector<Bits> c = args(i);
        while (bind(i.blocks[0], 0, c), block(i.blocks[0]), yields(i.blocks[0])[0]) {
          bind(body, 0, c);
          block(body);
          c = yields(body);
        }
        results[v] = c;
        return;
      }
      case Opcode::If: {
        const BlockId side = i.blocks[value[i.args[0]] ? 0 : 1];
        block(side);
        results[v] = yields(side);
        return;
      }
      default: value[v] = pure(i, k.insts[i.args[0]].kind, operands(i)); return;
    }
  }

  void loop(Id v, const Inst& i, BlockId body) {
    const auto lo = static_cast<int64_t>(value[i.args[0]]),
               hi = static_cast<int64_t>(value[i.args[1]]);
    std::vector<Bits> c = args(i, 2);
    for (int64_t t = i.imm > 0 ? lo : hi - 1; i.imm > 0 ? t < hi : t >= lo; t += i.imm) {
      bind(body, t);
      bind(body, 1, c);
      block(body);
      c = yields(body);
    }
    results[v] = c;
  }

  struct Term {
    std::vector<Bits> values;
  };
  struct Join {
    const Inst& i;
    std::vector<Bits> operator()(std::vector<Bits> acc, const Term& x) const {
      return taken(std::move(acc), x.values, i.fold);
    }
    std::vector<Bits> operator()(std::vector<Bits> acc, const std::vector<Bits>& x) const {
      return taken(std::move(acc), x, nest::of_results(i.fold));
    }
    std::vector<Bits> taken(std::vector<Bits> acc, const std::vector<Bits>& x,
                            const std::vector<Combine>& combine) const {
      size_t value = 0;
      for (size_t r = 0; r < acc.size(); value += nest::values_of_term(combine[r++])) {
        const Combine c = combine[r];
        const Kind k = i.kinds[r];
        if (c == Combine::Second) continue;
        if (c == Combine::MulAdd)
          acc[r] = with_floats(k, {x[value], x[value + 1], acc[r]},
                               [](auto a, auto b, auto sum) { return std::fma(a, b, sum); });
        else if (c != Combine::ArgMin && c != Combine::ArgMax)
          acc[r] = combine_one(c, k, acc[r], x[value]);
        else if (second_wins(c, k, acc[r], acc[r + 1], x[value], x[value + 1]))
          acc[r] = x[value], acc[r + 1] = x[value + 1];
      }
      return acc;
    }
  };

  void fold(Id v, const Inst& i, BlockId body) {
    const auto term = [&](int64_t t) {
      bind(body, t);
      block(body);
      return Term{yields(body)};
    };
    results[v] =
        fold_order::fold_block(static_cast<int64_t>(value[i.args[0]]), args(i, 1), term, Join{i});
  }

  template <class T>
  T& element(int64_t buffer, Bits offset) const {
    return static_cast<T*>(buffers[buffer])[static_cast<int64_t>(offset)];
  }

  Bits load(const Inst& i) const {
    const Bits at = value[i.args[0]];
    switch (k.buffers[i.imm].storage) {
      case Storage::Bool: return element<uint8_t>(i.imm, at) != 0;
      case Storage::I8: return element<uint8_t>(i.imm, at);
      case Storage::I16: return element<uint16_t>(i.imm, at);
      case Storage::BF16: return bits(widen(element<uint16_t>(i.imm, at), bf16_digits, bf16_bias));
      case Storage::F16: return bits(widen(element<uint16_t>(i.imm, at), f16_digits, f16_bias));
      case Storage::I32:
      case Storage::F32: return element<uint32_t>(i.imm, at);
      default: return element<uint64_t>(i.imm, at);
    }
  }
  void store(const Inst& i) const {
    const Bits at = value[i.args[0]], x = value[i.args[1]];
    switch (k.buffers[i.imm].storage) {
      case Storage::Bool:
      case Storage::I8: element<uint8_t>(i.imm, at) = static_cast<uint8_t>(x); return;
      case Storage::I16: element<uint16_t>(i.imm, at) = static_cast<uint16_t>(x); return;
      case Storage::BF16:
        element<uint16_t>(i.imm, at) = narrow_bits(f32(x), bf16_digits, bf16_bias);
        return;
      case Storage::F16:
        element<uint16_t>(i.imm, at) = narrow_bits(f32(x), f16_digits, f16_bias);
        return;
      case Storage::I32:
      case Storage::F32: element<uint32_t>(i.imm, at) = static_cast<uint32_t>(x); return;
      default: element<uint64_t>(i.imm, at) = x; return;
    }
  }

  static Bits integer(const Inst& i, Kind kd, Bits x, Bits y) {
    const int w = width(kd);
    const int64_t sx = as_signed(kd, x), sy = as_signed(kd, y);
    switch (i.op) {
      case Opcode::Add: return cut(kd, x + y);
      case Opcode::Sub: return cut(kd, x - y);
      case Opcode::Mul: return cut(kd, x * y);
      case Opcode::Neg: return cut(kd, 0 - x);
      case Opcode::Abs: return cut(kd, sx < 0 ? 0 - x : x);
      case Opcode::And: return x & y;
      case Opcode::Or: return x | y;
      case Opcode::Xor: return x ^ y;
      case Opcode::Not: return cut(kd, ~x);
      case Opcode::SMin: return sx < sy ? x : y;
      case Opcode::SMax: return sx > sy ? x : y;
      case Opcode::UMin: return x < y ? x : y;
      case Opcode::UMax: return x > y ? x : y;
      case Opcode::Shl: return y >= static_cast<Bits>(w) ? 0 : cut(kd, x << y);
      case Opcode::Shr: return y >= static_cast<Bits>(w) ? 0 : x >> y;
      case Opcode::Sar:
        return cut(
            kd, static_cast<Bits>(sx >> (y >= static_cast<Bits>(w) ? w - 1 : static_cast<int>(y))));
      case Opcode::MulHiU:
        return cut(kd, static_cast<Bits>((static_cast<unsigned __int128>(x) * y) >> w));
      case Opcode::MulHiS: return cut(kd, static_cast<Bits>((static_cast<__int128>(sx) * sy) >> w));
      case Opcode::Popcount: return static_cast<Bits>(std::popcount(x));
      case Opcode::Clz: return static_cast<Bits>(std::countl_zero(x) - (64 - w));
      case Opcode::Eq: return x == y;
      case Opcode::Ne: return x != y;
      case Opcode::SLt: return sx < sy;
      case Opcode::SLe: return sx <= sy;
      case Opcode::ULt: return x < y;
      case Opcode::ULe: return x <= y;
      default: return divide(i.op, kd, x, y);
    }
  }

  static Bits floating(const Inst& i, Kind kd, const Operands& a) {
    const double x = kd == Kind::F32 ? f32(a[0]) : f64(a[0]),
                 y = kd == Kind::F32 ? f32(a[1]) : f64(a[1]);
    switch (i.op) {
      case Opcode::Eq: return x == y;
      case Opcode::Ne: return x != y;
      case Opcode::Lt: return x < y;
      case Opcode::Le: return x <= y;
      case Opcode::Abs: return a[0] & ~(Bits{1} << (width(kd) - 1));
      case Opcode::Neg: return a[0] ^ (Bits{1} << (width(kd) - 1));
      default: break;
    }
    return with_floats(kd, a, [&](auto p, auto q, auto r) {
      using T = decltype(p);
      switch (i.op) {
        case Opcode::Add: return p + q;
        case Opcode::Sub: return p - q;
        case Opcode::Mul: return p * q;
        case Opcode::Div: return p / q;
        case Opcode::Rem: return static_cast<T>(std::fmod(p, q));
        case Opcode::Fma: return std::fma(p, q, r);
        case Opcode::Sqrt: return std::sqrt(p);
        case Opcode::Floor: return std::floor(p);
        case Opcode::Ceil: return std::ceil(p);
        case Opcode::Trunc: return std::trunc(p);
        case Opcode::RoundEven: return round_even(p);
        case Opcode::FMin: return minimum(p, q);
        case Opcode::FMax: return maximum(p, q);
        default: throw InternalError("no such instruction on floats");
      }
    });
  }

  static Bits convert(const Inst& i, Kind from, Bits x) {
    const double f = from == Kind::F32 ? f32(x) : f64(x);
    switch (i.op) {
      case Opcode::FToS: return to_integer(f, i.kind, true);
      case Opcode::FToU: return to_integer(f, i.kind, false);
      case Opcode::SToF:
        return i.kind == Kind::F32 ? bits(static_cast<float>(as_signed(from, x)))
                                   : bits(static_cast<double>(as_signed(from, x)));
      case Opcode::UToF:
        return i.kind == Kind::F32 ? bits(static_cast<float>(x)) : bits(static_cast<double>(x));
      case Opcode::FConv: return i.kind == Kind::F32 ? bits(static_cast<float>(f)) : bits(f);
      case Opcode::SExt: return cut(i.kind, static_cast<Bits>(as_signed(from, x)));
      case Opcode::RoundBF16:
        return bits(widen(narrow_bits(f32(x), bf16_digits, bf16_bias), bf16_digits, bf16_bias));
      case Opcode::RoundF16:
        return bits(widen(narrow_bits(f32(x), f16_digits, f16_bias), f16_digits, f16_bias));
      default: return cut(i.kind, x);  // ZExt, Narrow, MaskToInt, Bitcast
    }
  }

  static Bits pure(const Inst& i, Kind from, const Operands& a) {
    if (i.op == Opcode::Select) return a[0] ? a[1] : a[2];
    if (i.op >= Opcode::FToS && i.op <= Opcode::RoundF16) return convert(i, from, a[0]);
    return is_float(from) ? floating(i, from, a) : integer(i, from, a[0], a[1]);
  }

  const Kernel& k;
  void* const* buffers;
  const int64_t* extents;
  std::vector<Bits> value;
  std::vector<std::vector<Bits>> results, locals;
  int64_t index[2] = {0, 0};
};

}  // namespace

void walk_nest(const Kernel& k, void* const* buffers, const int64_t* extents,
               const int64_t* range) {
  Walker w(k, buffers, extents);
  if (k.rank == 0) return w.point(0, 0);
  for (int64_t i = k.rank == 2 ? range[0] : 0; i < (k.rank == 2 ? range[1] : 1); ++i)
    for (int64_t j = range[2]; j < range[3]; ++j) w.point(i, j);
}

}  // namespace weft::compiler
