// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_random.cpp: random bits from a counter, as XLA draws them: Threefry
// and Philox of Salmon et al. ("Parallel random numbers: as easy as 1, 2, 3", SC 2011). A state is
// a key and a counter, each of 64 bits; that of Philox may have 64 more.
#include <algorithm>
#include <array>

#include "weft/core/scalar/math/threefry.h"
#include "weft/interop/stablehlo/read/translate.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/elementwise/rounding.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/concrete.h"

namespace weft::hlo {
namespace {

// Arrays of U32 that compute as the words of math::threefry2x32.
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

// Element i of the state, as often as the shape says.
Array element(const Array& state, int64_t i, const Shape& shape) {
  return broadcast_in_dim(base::reshape(slice_static(state, {i}, {i + 1}, {1}), {}), shape, {});
}
// 0, 1, 2, … in the order of memory.
Array numbers(const Shape& shape) { return base::reshape(iota(U64, {shape.elements()}, 0), shape); }

struct Drawn {
  Array bits;       // U32 or U64
  int64_t counted;  // steps of the counter
};

// Of 32 bits the two words of a step are a half each of the first axis of even size, else of the
// longest.
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

// Philox-4x32 with 10 rounds.
std::array<Word, 4> philox4x32(std::array<Word, 4> x, Word k0, Word k1) {
  const auto product = [](const Word& w, int64_t factor) {
    return lax::mul(lax::convert_element_type(w.a, U64), scalar_of_int(U64, factor));
  };
  for (int round = 0; round < 10; ++round) {
    const Array p = product(x[0], 0xD2511F53), q = product(x[2], 0xCD9E8D57);
    x = {high(q) ^ x[1] ^ k0, low(q), high(p) ^ x[3] ^ k1, low(p)};
    k0 = k0 + Word(0x9E3779B9u);
    k1 = k1 + Word(0xBB67AE85u);
  }
  return x;
}
// A state of two words has its key as the upper half of the counter.
Drawn philox(const Array& state, const Shape& shape, bool wide) {
  const int64_t n = shape.elements(), words = wide ? 2 : 4;
  const Shape steps{(n + words - 1) / words};
  const Array key = element(state, 0, steps), first = element(state, 1, steps);
  const Array counter = lax::add(first, numbers(steps));
  const Array carry = lax::convert_element_type(lax::lt(counter, first), U64);
  const Array upper = lax::add(element(state, state.size() == 3 ? 2 : 0, steps), carry);
  const std::array<Word, 4> x =
      philox4x32({low(counter), high(counter), low(upper), high(upper)}, low(key), high(key));
  Arrays in_turn;
  if (wide)
    in_turn = {joined(x[0], x[1]), joined(x[2], x[3])};
  else
    in_turn = {x[0].a, x[1].a, x[2].a, x[3].a};
  for (Array& a : in_turn) a = base::insert_axis(a, 1, 1);
  const Array all = base::reshape(base::concatenate(in_turn, 1), {words * steps[0]});
  return {base::reshape(base::slice_axis(all, 0, 0, n), shape), steps[0]};
}

// The counter is so much further, of 64 or 128 bits.
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

Arrays rng_bit_generator(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1 || op.out.size() != 2) t.fail(op, "takes a state and gives one, and bits");
  const std::string how = t.word(op, "rng_algorithm");
  const bool is_threefry = how == "THREE_FRY";
  // What XLA takes for DEFAULT on CPUs.
  if (!is_threefry && how != "PHILOX" && how != "DEFAULT")
    t.fail(op, "rng_algorithm is DEFAULT, THREE_FRY or PHILOX");
  const Array& state = x[0];
  if (state.dtype() != U64 || state.ndim() != 1 ||
      !(state.size() == 2 || (state.size() == 3 && !is_threefry)))
    t.fail(op, "the state must be a tensor<2xui64>, or of PHILOX a tensor<3xui64>");
  const Type out = t.result(op, 1);
  if (!is_integer(out.dtype())) t.missing(op, "of numbers that are no integers");
  const bool wide = itemsize(out.dtype()) == 8;
  const Drawn drawn = (is_threefry ? threefry : philox)(state, out.shape(), wide);
  // Of fewer bits those at the lower end; a conversion of integers keeps them.
  return {moved_on(state, drawn.counted), lax::convert_element_type(drawn.bits, out.dtype())};
}

}  // namespace

void add_random(Rules& r) { r.insert({{"stablehlo.rng_bit_generator", rng_bit_generator}}); }

}  // namespace weft::hlo
