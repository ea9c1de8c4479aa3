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
