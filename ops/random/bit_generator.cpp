// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/bit_generator.cpp: Threefry and Philox as programs of ops on whole arrays.
#include "weft/lax/bit_generator.h"

#include <algorithm>
#include <array>

#include "core/scalar/math/philox.h"
#include "core/scalar/math/threefry.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft {
namespace {

constexpr const char* name = "rng_bit_generator";

// U32 arrays with the operators that math::threefry2x32 and math::philox4x32 need from a word.
struct Word {
  explicit Word(uint32_t n) : a(scalar_of_int(U32, n)) {}
  explicit Word(Array x) : a(std::move(x)) {}
  Array a;
};
Word operator+(const Word& x, const Word& y) { return Word(lax::add(x.a, y.a)); }
Word operator^(const Word& x, const Word& y) { return Word(lax::bitwise_xor(x.a, y.a)); }
Word bit_or(const Word& x, const Word& y) { return Word(lax::bitwise_or(x.a, y.a)); }
Word shift_left(const Word& x, const Word& n) { return Word(lax::shift_left(x.a, n.a)); }
Word shift_right_logical(const Word& x, const Word& n) {
  return Word(lax::shift_right_logical(x.a, n.a));
}

Word low(const Array& x) { return Word(lax::convert_element_type(x, U32)); }
Word high(const Array& x) { return low(lax::shift_right_logical(x, scalar_of_int(U64, 32))); }
Array joined(const Word& low, const Word& high) {
  const Array upper =
      lax::shift_left(lax::convert_element_type(high.a, U64), scalar_of_int(U64, 32));
  return lax::bitwise_or(lax::convert_element_type(low.a, U64), upper);
}

Word operator*(const Word& x, const Word& y) { return Word(lax::mul(x.a, y.a)); }
Word mulhi(const Word& x, const Word& y) {
  return high(lax::mul(lax::convert_element_type(x.a, U64), lax::convert_element_type(y.a, U64)));
}

// Element i of the state, broadcast to the shape.
Array element(const Array& state, int64_t i, const Shape& shape) {
  return broadcast_in_dim(base::reshape(slice_static(state, {i}, {i + 1}, {1}), {}), shape, {});
}
// 0, 1, 2, … in row-major order.
Array numbers(const Shape& shape) { return base::reshape(iota(U64, {shape.elements()}, 0), shape); }

struct Drawn {
  Array bits;       // U32 or U64
  int64_t counted;  // number of counter steps
};

// With 32 bits, the two words of a step form the two halves of one axis. This is the first axis of
// even size, or the longest axis if all sizes are odd.
Drawn threefry(const Array& state, const Shape& shape, bool wide) {
  if (shape.ndim() == 0) {
    const Drawn one = threefry(state, {1}, wide);
    return {base::reshape(one.bits, {}), one.counted};
  }
  int axis = 0;
  while (axis < shape.ndim() && shape[axis] % 2 != 0) ++axis;
  if (axis == shape.ndim())
    axis = static_cast<int>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  const int64_t half = (shape[axis] + 1) / 2;
  const Shape steps = wide ? shape : shape.erased(axis).inserted(axis, half);
  const Array key = element(state, 0, steps);
  const Array counter = lax::add(element(state, 1, steps), numbers(steps));
  const auto [a, b] = math::threefry2x32(low(key), high(key), low(counter), high(counter));
  const int64_t n = steps.elements();
  if (wide) return {joined(a, b), n};
  const Array pairs = base::concatenate(
      {base::insert_axis(a.a, axis + 1, 1), base::insert_axis(b.a, axis + 1, 1)}, axis + 1);
  const Array all = base::reshape(pairs, shape.erased(axis).inserted(axis, 2 * half));
  return {base::slice_axis(all, axis, 0, shape[axis]), n};
}

// In a state of two words, the key is also the upper half of the counter.
Drawn philox(const Array& state, const Shape& shape, bool wide) {
  const int64_t n = shape.elements(), words = wide ? 2 : 4;
  const Shape steps{(n + words - 1) / words};
  const Array key = element(state, 0, steps), first = element(state, 1, steps);
  const Array counter = lax::add(first, numbers(steps));
  const Array carry = lax::convert_element_type(lax::lt(counter, first), U64);
  const Array upper = lax::add(element(state, state.size() == 3 ? 2 : 0, steps), carry);
  const std::array<Word, 4> x = math::philox4x32<Word>(
      {low(counter), high(counter), low(upper), high(upper)}, low(key), high(key));
  Arrays in_turn;
  if (wide)
    in_turn = {joined(x[0], x[1]), joined(x[2], x[3])};
  else
    in_turn = {x[0].a, x[1].a, x[2].a, x[3].a};
  for (Array& a : in_turn) a = base::insert_axis(a, 1, 1);
  const Array all = base::reshape(base::concatenate(in_turn, 1), {words * steps[0]});
  return {base::reshape(base::slice_axis(all, 0, 0, n), shape), steps[0]};
}

// Advances the counter, of 64 or 128 bits, by n.
Array moved_on(const Array& state, int64_t n) {
  const Shape one{1};
  const Array lower = element(state, 1, one);
  const Array next = lax::add(lower, scalar_of_int(U64, n));
  Arrays parts = {element(state, 0, one), next};
  if (state.size() == 3)
    parts.push_back(
        lax::add(element(state, 2, one), lax::convert_element_type(lax::lt(next, lower), U64)));
  return base::concatenate(parts, 0);
}

}  // namespace

RandomDraw ir::draw_bits(const Array& state, const Shape& shape, DType dtype, BitGenerator how) {
  if (!is_unsigned(dtype))
    reject_dtype(name, "draws bits of an unsigned dtype, not " + std::string(short_name(dtype)),
                 {state.type()});
  const bool is_threefry = how == BitGenerator::threefry;
  if (state.dtype() != U64) reject_dtype(name, "takes a state of u64", {state.type()});
  if (state.ndim() != 1 || !(state.size() == 2 || (state.size() == 3 && !is_threefry)))
    reject_shape(name, "takes a state of two numbers, or of Philox three", {state.type()});
  const bool wide = itemsize(dtype) == 8;
  const Drawn drawn = (is_threefry ? threefry : philox)(state, shape, wide);
  // Converting integers keeps the low bits.
  return {moved_on(state, drawn.counted), lax::convert_element_type(drawn.bits, dtype)};
}

std::pair<Array, Array> lax::rng_bit_generator(const Arg& key, const Shape& shape, DType dtype,
                                               RandomAlgorithm algorithm) {
  const SourceScope s(key.at());
  const auto how =
      algorithm == RandomAlgorithm::RNG_THREE_FRY ? BitGenerator::threefry : BitGenerator::philox;
  if (key->dtype() != U32) {
    if (key->size() != 2) reject_shape(name, "takes a key u32[4] or u64[2]", {key->type()});
    const RandomDraw d = draw_bits(key, shape, dtype, how);
    return {d.state, d.bits};
  }
  if (key->shape() != Shape{4}) reject_shape(name, "takes a key u32[4] or u64[2]", {key->type()});
  const auto words = [](const Array& x, int64_t first) {
    return Word(slice_static(x, {first}, {4}, {2}));
  };
  const RandomDraw d = draw_bits(joined(words(key, 0), words(key, 1)), shape, dtype, how);
  const Array next = base::concatenate(
      {base::insert_axis(low(d.state).a, 1, 1), base::insert_axis(high(d.state).a, 1, 1)}, 1);
  return {base::reshape(next, Shape{4}), d.bits};
}

}  // namespace weft
