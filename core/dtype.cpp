// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/dtype.cpp: names of element types, the promotion lattice, conversions of narrow floats.
#include "weft/dtype.h"

#include <array>
#include <bit>
#include <iterator>

#include "core/ir.h"
#include "weft/error.h"

namespace weft {
namespace {

struct Info {
  const char* short_name;
  const char* numpy_name;
  int itemsize;
};
constexpr Info info_table[] = {
    {"bool", "bool", 1},     {"i8", "int8", 1},          {"i16", "int16", 2},
    {"i32", "int32", 4},     {"i64", "int64", 8},        {"u8", "uint8", 1},
    {"u16", "uint16", 2},    {"u32", "uint32", 4},       {"u64", "uint64", 8},
    {"bf16", "bfloat16", 2}, {"f16", "float16", 2},      {"f32", "float32", 4},
    {"f64", "float64", 8},   {"c64", "complex64", 8},    {"c128", "complex128", 16},
    {"key", "key<fry>", 8},  {"key<rbg>", "key<rbg>", 8}};

const Info& info(DType d) {
  auto i = static_cast<size_t>(d);
  if (i >= std::size(info_table)) throw InternalError("no such element type: " + std::to_string(i));
  return info_table[i];
}

// A node of the lattice is a strong type, or one of the weak kinds.
constexpr size_t weak_int = static_cast<size_t>(RbgKey) + 1, weak_float = weak_int + 1,
                 weak_complex = weak_int + 2, nodes = weak_int + 3;
using Nodes = uint32_t;  // a set of nodes
constexpr Nodes bit(size_t node) { return Nodes{1} << node; }

struct Node {
  size_t index;
  constexpr Node(size_t i) : index(i) {}
  constexpr Node(DType d) : index(static_cast<size_t>(d)) {}
};
struct Edge {
  Node from, to;
};
constexpr Edge edges[] = {{Bool, weak_int},
                          {weak_int, U8},
                          {weak_int, I8},
                          {U8, I16},
                          {U8, U16},
                          {U16, I32},
                          {U16, U32},
                          {U32, I64},
                          {U32, U64},
                          {U64, weak_float},
                          {I8, I16},
                          {I16, I32},
                          {I32, I64},
                          {I64, weak_float},
                          {weak_float, BF16},
                          {weak_float, F16},
                          {weak_float, weak_complex},
                          {BF16, F32},
                          {F16, F32},
                          {F32, F64},
                          {F32, C64},
                          {F64, C128},
                          {weak_complex, C64},
                          {C64, C128}};

// For each node, the set of itself and every node above it.
constexpr std::array<Nodes, nodes> upper_bounds() {
  std::array<Nodes, nodes> up{};
  for (size_t i = 0; i < nodes; ++i) up[i] = bit(i);
  // Each round extends the sets by one edge. The longest path is shorter than the number of nodes.
  for (size_t round = 0; round < nodes; ++round)
    for (Edge e : edges) up[e.from.index] |= up[e.to.index];
  return up;
}
constexpr std::array<Nodes, nodes> up_table = upper_bounds();

// The least node above both a and b, or `nodes` if no node is.
constexpr size_t least_upper_bound(size_t a, size_t b) {
  Nodes common = up_table[a] & up_table[b];
  for (size_t c = 0; c < nodes; ++c)
    if ((common & bit(c)) && (common & ~up_table[c]) == 0) return c;
  return nodes;
}

size_t node_of(DType d, bool weak) {
  if (!weak || is_key(d)) return static_cast<size_t>(d);
  return is_complex(d) ? weak_complex : is_floating(d) ? weak_float : weak_int;
}

bool is_64_bit(DType d) { return d == I64 || d == U64 || d == F64 || d == C128; }

}  // namespace

int ir::itemsize(DType d) { return info(d).itemsize; }
const char* ir::short_name(DType d) { return info(d).short_name; }
const char* ir::numpy_name(DType d) { return info(d).numpy_name; }

bool ir::parse_dtype(const std::string& short_name, DType* out) {
  for (size_t i = 0; i < std::size(info_table); ++i)
    if (short_name == info_table[i].short_name) return *out = static_cast<DType>(i), true;
  if (short_name == "key<fry>") return *out = Key, true;  // as JAX writes it
  return false;
}

DType ir::real_part(DType d) { return d == C64 ? F32 : d == C128 ? F64 : d; }

std::string ir::beyond_i32_advice() {
  return "give it a dtype, full({}, int64_t{5000000000}, I64), or convert the other operand with "
         "astype(I64), U64 or F64";
}

bool ir::beyond_i32(DType d, bool weak) { return weak && (d == I64 || d == U64); }

bool ir::takes_beyond_i32(DType number, DType to) {
  return is_64_bit(to) && !(number == U64 && to == I64);
}

Promoted ir::promote(DType a, bool weak_a, DType b, bool weak_b) {
  // A bool is never weak, because it is below every other type anyway.
  weak_a &= a != Bool && !is_key(a);
  weak_b &= b != Bool && !is_key(b);
  bool both_weak = weak_a && weak_b;
  // Two weak types are joined as if they were strong, so that the wider of two equal kinds wins.
  size_t node =
      least_upper_bound(node_of(a, weak_a && !both_weak), node_of(b, weak_b && !both_weak));
  if (node == nodes)
    throw DTypeError(std::string("there is no type that both ") + short_name(a) + " and " +
                     short_name(b) +
                     " promote to; keys go with keys of their kind only, convert the other operand "
                     "with astype()");
  if (node < weak_int) return {static_cast<DType>(node), both_weak};
  // A weak kind has no width. It gets the default width, or 64 bits if an operand has 64 bits (as
  // in JAX with 64-bit types enabled).
  bool wide = is_64_bit(a) || is_64_bit(b);
  DType d = node == weak_int     ? (wide ? I64 : I32)
            : node == weak_float ? (wide ? F64 : F32)
                                 : (wide ? C128 : C64);
  return {d, true};
}

DType ir::to_inexact(DType d) {
  if (is_inexact(d)) return d;
  if (is_key(d)) throw DTypeError("a key is not a number: it has no floating-point counterpart");
  return is_64_bit(d) ? F64 : F32;
}

float16_t::float16_t(float x) {
  auto f = std::bit_cast<uint32_t>(x);
  auto sign = static_cast<uint16_t>(f >> 16 & 0x8000);
  f &= 0x7fffffff;
  if (f > 0x7f800000) {  // NaN: made quiet, keeping the upper payload, as the hardware's conversion
                         // does
    bits = static_cast<uint16_t>(sign | 0x7e00 | (f >> 13 & 0x3ff));
  } else if (f >= 0x477ff000) {  // from 65520 on, infinity is the nearest value
    bits = sign | 0x7c00;
  } else if (f >= 0x38800000) {  // normal: the exponent bias decreases by 112; a carry increments
                                 // the exponent
    uint32_t odd = f >> 13 & 1;
    bits = static_cast<uint16_t>(sign | ((f - (112u << 23) + 0xfff + odd) >> 13));
  } else {  // subnormal: units of 2^-24; magnitudes below half a unit are shifted out entirely
    uint32_t shift = 126 - (f >> 23);
    uint32_t m = (f & 0x7fffff) | 0x800000;
    uint32_t q = shift > 24 ? 0 : m >> shift;
    uint32_t rest = shift > 24 ? 0 : m & ((1u << shift) - 1),
             half = shift > 24 ? 1 : 1u << (shift - 1);
    bits = static_cast<uint16_t>(sign | (q + (rest > half || (rest == half && (q & 1)))));
  }
}

float16_t::operator float() const {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, e = bits >> 10 & 31, m = bits & 0x3ff;
  if (e == 31) return std::bit_cast<float>(sign | 0x7f800000 | m << 13);
  if (e != 0) return std::bit_cast<float>(sign | (e + 112) << 23 | m << 13);
  float f = static_cast<float>(m) * 0x1p-24f;  // subnormal or zero; exact
  return sign ? -f : f;
}

bfloat16_t::bfloat16_t(float x) {
  auto f = std::bit_cast<uint32_t>(x);
  if ((f & 0x7fffffff) > 0x7f800000)
    bits = static_cast<uint16_t>(f >> 16 | 0x40);  // NaN: made quiet
  else
    bits = static_cast<uint16_t>((f + 0x7fff + (f >> 16 & 1)) >> 16);
}

bfloat16_t::operator float() const {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace weft
