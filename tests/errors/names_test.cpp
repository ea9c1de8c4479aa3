// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/names_test.cpp: the error of a call names the function that the user wrote, not what
// that is made of, and the argument or leaf that is wrong.
#include <complex>

#include "errors/places.h"

using namespace weft;
using namespace weft::test;

namespace {

// What the error of f says begins so, and its line is named once.
template <class E, class F>
void names(const std::string& begin, F f) {
  const std::string text = error_of<E>(f);
  INFO("expected: " << begin << "\ngot: " << text);
  CHECK(text.rfind(begin, 0) == 0);
  CHECK(count(text, "(at names_test.cpp:") == 1);
}
Array keys() { return random::split(key(), 3); }
Array narrow() { return ones({2, 2}, BF16); }

}  // namespace

TEST_CASE("functions name themselves, and not what they are made of", "[errors][names]") {
  names<DTypeError>("inv: lu: takes f32, f64, c64 and c128", [] { linalg::inv(narrow()); });
  names<DTypeError>("pinv: svd: takes", [] { linalg::pinv(narrow()); });
  names<DTypeError>("solve: lu: takes", [] { linalg::solve(narrow(), ones({2}, BF16)); });
  names<DTypeError>("kron: multiply: there is no type", [] { kron(keys(), v3()); });
  names<DTypeError>("fft: a key is not a number", [] { fft::fft(keys()); });
  names<DTypeError>("irfft: a key is not a number", [] { fft::irfft(keys()); });
  names<DTypeError>("sin: takes numbers, got key[3]", [] { sin(keys()); });
  names<ShapeError>("trace: diagonal: the two axes", [] { trace(zeros({2, 2}), 0, 0, 0); });
  names<IndexError>("trace: diagonal: axis 1 is out of bounds", [] { trace(v3()); });
  names<ShapeError>("full: broadcast_to: f32[3] does not", [] { full({2}, v3()); });
  names<DTypeError>("full: convert_element_type: random keys", [] { full({2}, 1., Key); });
  names<ShapeError>("eye: negative size -1", [] { eye(-1); });
  names<ShapeError>("identity: negative size -1", [] { identity(-1); });
  names<ShapeError>("tri: negative size -1", [] { tri(-1); });
  names<IndexError>("bernoulli: -1 is not a number of terms", [] { special::bernoulli(-1); });
}

TEST_CASE("what the user's function calls has its own name", "[errors][names]") {
  const auto fails = [](Array x) { return linalg::inv(x); };
  names<DTypeError>("inv: lu: takes", [&] { cg(fails, narrow()); });
  names<DTypeError>("inv: lu: takes", [&] {
    apply_along_axis([](Array x) { return linalg::inv(outer(x, x)); }, 0, narrow());
  });
}

TEST_CASE("what JAX refuses is refused", "[errors][names]") {
  using complex = std::complex<float>;
  const Array z = v3().astype(C64);
  names<DTypeError>("bernoulli: the probability p must have a floating dtype, got i32[]",
                    [] { random::bernoulli(key(), 1); });
  names<DTypeError>("bernoulli: the probability p must have a floating dtype, got bool[]",
                    [] { random::bernoulli(key(), true); });
  names<ShapeError>("rev: dimensions must be unique", [] { lax::rev(v3(), {0, 0}); });
  names<ShapeError>("select: there must be at least one condition", [] { select({}, {}); });
  names<DTypeError>("any: takes numbers, got key[3]", [] { any(keys()); });
  names<DTypeError>("all: takes numbers, got key[3]", [] { all(keys()); });
  names<DTypeError>("count_nonzero: takes numbers", [] { count_nonzero(keys()); });
  names<DTypeError>("logical_not: takes numbers", [] { logical_not(keys()); });
  names<DTypeError>("where: takes numbers", [] { where(keys(), 1, 2); });
  names<ShapeError>("split: sizes must be nonnegative", [] { split(arange(5), {3, 1}); });
  names<ShapeError>("split: sizes must be nonnegative", [] { split(arange(5), {3, 9}); });
  names<DTypeError>("full: a complex number does not fit i32",
                    [] { full({2}, complex(1, 2), I32); });
  names<DTypeError>("full_like: full: a complex number does not fit f32",
                    [] { full_like(v3(), complex(1, 2)); });
  names<DTypeError>("full: a complex number does not", [] { lax::full({2}, complex(1, 2), I32); });
  names<DTypeError>("std: .dtype must be inexact", [] { weft::std(v3(), none, {.dtype = I32}); });
  names<DTypeError>("nanstd: .dtype must be inexact", [] { nanstd(v3(), none, {.dtype = I32}); });
  names<DTypeError>("var: .dtype must be one of numbers", [] { var(v3(), none, {.dtype = Bool}); });
  names<DTypeError>("var: .dtype of complex numbers", [&] { var(z, none, {.dtype = F32}); });
  names<DTypeError>("isposinf: takes real numbers, got c64[3]", [&] { isposinf(z); });
  names<DTypeError>("isneginf: takes real numbers", [&] { isneginf(z); });
  names<DTypeError>("fabs: takes real numbers", [&] { fabs(z); });
  names<DTypeError>("hypot: takes real numbers", [&] { hypot(z, 1.); });
  names<DTypeError>("ldexp: takes real numbers", [&] { ldexp(z, 1); });
  names<DTypeError>("copysign: takes real numbers", [&] { copysign(z, 1.); });
  names<DTypeError>("signbit: takes real numbers", [&] { signbit(z); });
  CHECK(full({2}, complex(1, 2), Bool).to_vector<bool>() == std::vector<bool>{true, true});
  CHECK(split(arange(5), {2, -1})[1].to_vector<int>() == std::vector<int>{2, 3});
}
