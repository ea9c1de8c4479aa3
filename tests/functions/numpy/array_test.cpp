// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/numpy/array_test.cpp: the creation of arrays, their dtypes and their printing.
#include <complex>
#include <sstream>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
std::string printed(const Array& x) {
  std::ostringstream o;
  o << x;
  return o.str();
}
}  // namespace

TEST_CASE("numbers, literals and vectors have the dtypes they should", "[array]") {
  CHECK(array({1., 2.}).dtype() == F32);
  CHECK(array({1, 2}).dtype() == I32);
  CHECK(array({1, 2.5}).dtype() == F32);
  CHECK(array({true, false}).dtype() == Bool);
  CHECK_FALSE(array({1., 2.}).weak_type());
  CHECK(Array(2.).weak_type());
  CHECK(array(2.5).shape() == Shape{});
  CHECK(array({0.1}, F64).item<double>() == 0.1);
  CHECK(array({int64_t{1} << 40}, I64).item<int64_t>() == int64_t{1} << 40);
  CHECK(array(std::vector<double>{1, 2}).dtype() == F64);
  CHECK(array(std::vector<bool>{true, false}).to_vector<int>() == std::vector<int>{1, 0});
  const std::vector<int64_t> v = {1, 2, 3, 4};
  CHECK(array(std::span<const int64_t>(v), {2, 2}).dtype() == I64);
  CHECK(array({{1, 2}, {3, 4}}).shape() == Shape{2, 2});
  CHECK(array({arange(2), arange(2)}).shape() == Shape{2, 2});
  CHECK(full({2}, 0.5).dtype() == F32);
  CHECK_FALSE(full({2}, 0.5).weak_type());
  CHECK(zeros({2}, Key).dtype() == Key);
  CHECK(array(std::vector<float>{}).shape() == Shape{0});
}

TEST_CASE("complex numbers of the standard library go in and come out", "[array]") {
  const std::vector<std::complex<float>> z = {{1, 2}, {3, -4}};
  const Array x = array(z);
  CHECK(x.dtype() == C64);
  CHECK(abs(x).to_vector<float>()[1] == 5.f);
  CHECK((x * conj(x)).to_vector<std::complex<float>>()[1] == std::complex<float>(25, 0));
  CHECK(x[0].item<std::complex<double>>() == std::complex<double>(1, 2));
  // A C++ complex variable is a number like one in braces: it gets the default dtype.
  const std::complex<double> one(1.1, 2);
  CHECK(array(one).dtype() == C64);
  CHECK(array(one).shape() == Shape{});
  CHECK(array(one, C128).dtype() == C128);
  CHECK(array({one}).dtype() == C64);
}

TEST_CASE("promotion of operators", "[array]") {
  const Array h = ones({2}, BF16), b = ones({2}, U8), i = arange(2);
  CHECK((h * 2.0).dtype() == BF16);
  CHECK((b + 1).dtype() == U8);
  CHECK((i * 2.0).dtype() == F32);
  CHECK((i / 2).dtype() == F32);
  CHECK((i.astype(I64) / 2).dtype() == F64);
  CHECK((ones({2}, F16) + h).dtype() == F32);
  CHECK((array({true}) + array({true})).dtype() == Bool);
  CHECK((b - ones({2}, I8)).dtype() == I16);
  CHECK((Array(1) + 2.0).weak_type());
}

TEST_CASE("arrays print as NumPy's repr", "[array]") {
  CHECK(printed(array({1., 2.5})) == "array([1. , 2.5], dtype=float32)");
  CHECK(printed(arange(3)) == "array([0, 1, 2], dtype=int32)");
  CHECK(printed(Array()) == "Array()");
}
