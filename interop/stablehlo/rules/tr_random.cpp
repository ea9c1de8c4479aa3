// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_random.cpp: rules of random bits from a counter, as integers or as the
// bits of floats, and of random numbers in a range.
#include <algorithm>

#include "interop/stablehlo/read/translate.h"
#include "ops/random/draw_range.h"
#include "weft/lax/bit_generator.h"
#include "weft/lax/convert.h"

namespace weft::hlo {
namespace {

Arrays rng_bit_generator(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1 || op.out.size() != 2) t.fail(op, "takes a state and gives one, and bits");
  const std::string how = t.word(op, "rng_algorithm");
  const bool is_threefry = how == "THREE_FRY";
  // DEFAULT is PHILOX, as XLA chooses on CPUs.
  if (!is_threefry && how != "PHILOX" && how != "DEFAULT")
    t.fail(op, "rng_algorithm is DEFAULT, THREE_FRY or PHILOX");
  const Type out = t.result(op, 1);
  const DType words[] = {U8, U16, U32, U64};
  const auto* word = std::find_if(std::begin(words), std::end(words),
                                  [&](DType d) { return itemsize(d) == itemsize(out.dtype()); });
  if (is_bool(out.dtype()) || is_complex(out.dtype()) || word == std::end(words))
    t.missing(op, "of numbers that are neither integers nor floats");
  const RandomDraw d = draw_bits(x[0], out.shape(), *word,
                                 is_threefry ? BitGenerator::threefry : BitGenerator::philox);
  if (*word == out.dtype()) return {d.state, d.bits};
  // The bits of a float are random. They are not converted to numbers in a range.
  return {d.state, lax::bitcast_convert_type(d.bits, out.dtype())};
}

// The text does not specify the generator of this op and cannot name its state. A program has no
// state here, so each op has its own stream, which is the same in each run.
Arrays rng(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 3) t.fail(op, "takes two scalars and a shape");
  const std::string how = t.word(op, "rng_distribution");
  if (how != "UNIFORM" && how != "NORMAL") t.fail(op, "rng_distribution is UNIFORM or NORMAL");
  const std::vector<int64_t> sizes = t.known_integers(op, 2);
  const Type out = t.result(op);
  if (Shape(sizes) != out.shape()) t.fail(op, "the shape is not that of the result");
  return {draw_range("rng", x[0], x[1], out.shape(),
                     how == "UNIFORM" ? Distribution::uniform : Distribution::normal,
                     static_cast<uint64_t>(op.first_result))};
}

}  // namespace

void add_random(Rules& r) {
  r.insert({{"stablehlo.rng", rng}, {"stablehlo.rng_bit_generator", rng_bit_generator}});
}

}  // namespace weft::hlo
