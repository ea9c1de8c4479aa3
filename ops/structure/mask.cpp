// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/mask.cpp: constant Bool arrays, given by their bits.
#include "ops/structure/mask.h"

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"

namespace weft {

constexpr int64_t word_bits = 64;

bool is_mask(const Ints& shape, const Ints& bits) {
  return std::ssize(bits) == (Shape(shape).elements() + word_bits - 1) / word_bits;
}

bool bit_of(const Ints& bits, int64_t element) {
  const auto word = static_cast<uint64_t>(bits[element / word_bits]);
  return (word >> static_cast<uint64_t>(element % word_bits)) & 1;
}

// Selects the word that has the bit, and shifts it.
num::Ir<bool> bit_at(const Ints& shape, const Ints& bits, const Coords& at) {
  using I64v = num::Ir<int64_t>;
  I64v i(0);
  for (size_t a = 0; a < at.size(); ++a)
    if (shape[a] != 1) i = i * I64v(shape[a]) + I64v::at(at[a]);
  I64v word(bits.empty() ? 0 : bits[0]);
  for (int64_t w = 1; w < std::ssize(bits); ++w)
    word = num::select(i < I64v(w * word_bits), word, I64v(bits[w]));
  const I64v bit = num::shift_right_logical(word, num::bit_and(i, I64v(word_bits - 1)));
  return num::convert<bool>(num::bit_and(bit, I64v(1)));
}

namespace {

struct Mask {
  Ints shape, bits;
  WEFT_FIELDS(shape, bits)
};

const Primitive<Mask>& mask_op = define<Mask>({
    .name = "mask",
    .doc = "Returns a Bool array of this `shape`. Its elements in row-major order are the bits of "
           "the 64-bit words `bits`, least significant first.",
    .type =
        [](const Types& in, const Mask& p) {
          require_operands("mask", in, 0);
          if (!is_mask(p.shape, p.bits))
            reject_shape("mask", "bits needs one word for each 64 elements", in);
          return Types{Type(Bool, Shape(p.shape))};
        },
    .reference =
        [](const Arrays&, const Mask& p) {
          const Fresh r = fresh_array(Type(Bool, Shape(p.shape)));
          for (int64_t i = 0; i < r.array.size(); ++i)
            static_cast<bool*>(r.data)[i] = bit_of(p.bits, i);
          return Arrays{r.array};
        },
    .jvp = [](const JvpArgs<Mask>&) { return Arrays(1); },
    .batch =
        [](const BatchArgs<Mask>& b) { return Batched{b.op.bind({}, b.params), {std::nullopt}}; },
    .lower =
        [](const LowerArgs<Mask>& l) {
          Lowering r;
          r.element = [p = l.params](Reader&, int, const Coords& at) {
            return Elem{bit_at(p.shape, p.bits, at).id, nest::no_id};
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Mask>>{{{}, {{2, 3}, {0b101101}}},
                                           {{}, {{3, 50}, {-7, INT64_MAX, 0x155555}}},
                                           {{}, {{}, {1}}},
                                           {{}, {{0, 2}, {}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Mask>>{{{}, {{2, 3}, {}}, "one word for each 64"},
                                           {{Type(F32, {})}, {{}, {1}}, "takes 0 operands"}};
        },
});

}  // namespace

Array mask_array(const Ints& shape, const Ints& bits, const Shape& value) {
  return broadcast_in_dim(mask_op({}, {shape, bits}), value, axis_range(value.ndim()));
}

}  // namespace weft
