// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/stable_order.cpp: sorts short rows by ranks and long rows digit by digit.
#include "ops/index/stable_order.h"

#include <utility>

#include "ops/index/index.h"
#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"

namespace weft::order {
namespace {

using namespace lax;

int last_axis(const Array& x) { return x.ndim() - 1; }
// by_row: x[…, i] at […, i, j] for n columns. by_column: x[…, j] at […, i, j] for n rows.
Array by_row(const Array& x, int64_t n) { return base::insert_axis(x, x.ndim(), n); }
Array by_column(const Array& x, int64_t n) { return base::insert_axis(x, last_axis(x), n); }
Array count_last(const Array& x) {
  return base::reduce_sum(convert_element_type(x, I32), {last_axis(x)});
}
// j < i at […, i, j].
Array stands_before(const Shape& s) {
  return lt(iota(I32, s, s.ndim() - 1), iota(I32, s, s.ndim() - 2));
}

// ---- ranks: the number of elements that come before each element

Array ranks(const Arrays& words) {
  const int64_t n = words[0].shape()[-1];
  Array before;
  for (auto w = words.rbegin(); w != words.rend(); ++w) {
    const Array mine = by_row(*w, n), other = by_column(*w, n);
    const Array equal = before.empty_handle() ? stands_before(mine.shape()) : before;
    before = bitwise_or(lt(other, mine), bitwise_and(eq(other, mine), equal));
  }
  return count_last(before);
}

// Each position of the result finds the one element with its rank. Nothing is scattered, so this
// can be part of a lane.
Array ranked(const Arrays& words, int64_t count) {
  const Array rank = by_column(ranks(words), count);
  const Shape& s = rank.shape();
  const Array mine = eq(rank, iota(I32, s, s.ndim() - 2));
  const Array places = select(mine, iota(I32, s, s.ndim() - 1), base::zeros(Type(I32, s)));
  return base::reduce_sum(places, {s.ndim() - 1});
}

// ---- digits, the least significant first.
// A row is split into runs. The new position of an element is after all elements with lower digits,
// and after those with its digit in earlier runs. Within a run the order is kept.

constexpr int64_t digit_bits = 4, digits = 1 << digit_bits, run_length = 64;
// A record contains a word and, in the upper bits, the original position of the element.
constexpr DType record_type = U64;
constexpr int64_t max_bits = 32;  // of words, so that positions fit in the record

int64_t passes_of(int64_t bits) { return (bits + digit_bits - 1) / digit_bits; }
Array number(int64_t x) { return scalar_of_int(record_type, x); }

// Sorts by the digit that starts at bit `lowest`. The result is written over `over`.
Array one_pass(const Array& records, int64_t lowest, const Array& over) {
  const Shape& s = records.shape();
  const int axis = last_axis(records);
  const int64_t runs = s[axis] / run_length;
  const Shape by_run = s.with(axis, runs).inserted(axis + 1, run_length);
  const Array rest = shift_right_logical(reshape_to(records, by_run), number(lowest)),
              digit = convert_element_type(bitwise_and(rest, number(digits - 1)), I32);
  const Array of_each = base::insert_axis(digit, axis, digits);
  const Array count = count_last(eq(of_each, iota(I32, of_each.shape(), axis)));
  const Array flat = reshape_to(count, s.with(axis, digits * runs));
  const Array start = reshape_to(sub(cumsum(flat, axis), flat), count.shape());
  const Array mine = by_row(digit, run_length), other = by_column(digit, run_length);
  const Array in_run = count_last(bitwise_and(eq(other, mine), stands_before(mine.shape())));
  const Array to = add(gather_along(move_axis(start, axis, axis + 1), digit, axis + 1), in_run);
  const Array index = base::insert_axis(reshape_to(to, s), s.ndim(), 1);
  return scatter_windows(over, index, records, along_dims(s.ndim(), axis), Update::set,
                         OutOfBounds::zero, {.unique = true});
}

// Sorts by a word of `bits` bits of the elements at `places`. {}: all elements in their order.
Array by_digits(const Array& word, int64_t bits, const Array& places) {
  const Type t(record_type, word.shape());
  const Array of = places.empty_handle() ? word : gather_along(word, places, last_axis(word));
  const Array from = places.empty_handle() ? base::iota(t, last_axis(word))
                                           : convert_element_type(places, record_type);
  Array records = bitwise_or(shift_left(from, number(bits)), convert_element_type(of, record_type));
  // There are two buffers: a pass writes to the one that the previous pass has read.
  Array over = base::zeros(t);
  for (int64_t b = 0; b < bits; b += digit_bits)
    records = one_pass(records, b, std::exchange(over, records));
  return convert_element_type(shift_right_logical(records, number(bits)), I32);
}

// Pads to whole runs. The padding comes last, because it is not less than any element and is after
// all of them.
Array in_runs(const Array& word, int64_t bits) {
  const int axis = last_axis(word);
  const int64_t n = word.shape()[axis], rest = (n + run_length - 1) / run_length * run_length - n;
  Ints none(word.shape().size(), 0), high = none;
  high.back() = rest;
  const int64_t width = 8 * itemsize(word.dtype());
  const Array ones = bitwise_not(like(word, 0)),
              most = shift_right_logical(ones, like(word, static_cast<double>(width - bits)));
  return pad_with(word, most, none, high, none);
}

Array sorted_by_digits(const Arrays& words, int64_t count, int64_t counting) {
  Array places;
  for (auto w = words.rbegin(); w != words.rend(); ++w) {
    const int64_t bits = counting < 0 ? 8 * itemsize(w->dtype()) : passes_of(counting) * digit_bits;
    const Array all = in_runs(*w, bits);
    for (int64_t lowest = 0; lowest < bits; lowest += max_bits) {
      const Array part =
          bits <= max_bits
              ? all
              : convert_element_type(
                    shift_right_logical(all, like(all, static_cast<double>(lowest))), U32);
      places = by_digits(part, std::min(bits, max_bits), places);
    }
  }
  return base::slice_axis(places, last_axis(places), 0, count);
}

}  // namespace

double kernels_of_order(int64_t n, int64_t bits) {
  constexpr int64_t ranking = 3, of_pass = 10;
  return static_cast<double>(n <= ranked_terms ? ranking : of_pass * passes_of(bits));
}

Array stable_order(const Arrays& words, int64_t count, int64_t bits) {
  const Shape& s = words[0].shape();
  if (s.with(s.ndim() - 1, count).elements() == 0)
    return base::zeros(Type(I32, s.with(s.ndim() - 1, count)));
  return s[-1] <= ranked_terms ? ranked(words, count) : sorted_by_digits(words, count, bits);
}

}  // namespace weft::order
