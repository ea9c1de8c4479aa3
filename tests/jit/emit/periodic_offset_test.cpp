// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/periodic_offset_test.cpp: parts of short rows, and rows in another order, are read
// as whole vectors of memory that one instruction permutes. Rows that are apart are masked loads.
#include <string>
#include <vector>

#include "jit/schedule/target.h"
#include "support/reference.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
bool permutes(const F& f, const Array& x) {
  return jit(f).lower(x).llvm_ir().find("vpermi2var") != std::string::npos;
}

template <class F>
bool gathers(const F& f, const Array& x) {
  return jit(f).lower(x).llvm_ir().find("masked.gather") != std::string::npos;
}

}  // namespace

TEST_CASE("parts of short rows are permuted vectors", "[jit][periodic]") {
  const auto part = [](int from, int to) {
    return [=](Array x) { return lax::slice_in_dim(x, from, to, 1, 1) + 1; };
  };
  for (DType d : {F32, F64, I32, I8, BF16})
    for (int k = 2; k <= 9; ++k)
      for (int64_t n : {1, 5, 32, 97}) {
        INFO(n << " rows of " << k << ", dtype " << static_cast<int>(d));
        const Array x = numbers({n, k}, d);
        same(part(0, k - 1), x);
        same(part(1, k), x);
        same([](Array v) { return flip(v, 1) + 1; }, x);
      }
  if (compiler::host_target().mask_registers) CHECK(permutes(part(0, 4), numbers({100, 5}, F32)));
}

TEST_CASE("small matrices in another order are permuted vectors", "[jit][periodic]") {
  const auto turned = [](Array x) { return transpose(x, {0, 2, 1}) + 1; };
  for (DType d : {F32, F64, I8})
    for (int64_t rows : {2, 3, 4})
      for (int64_t columns : {2, 3, 5})
        for (int64_t n : {1, 3, 16, 50}) {
          INFO(n << " times " << rows << " x " << columns << ", dtype " << static_cast<int>(d));
          same(turned, numbers({n, rows, columns}, d));
        }
}

TEST_CASE("rows that are apart are masked loads", "[jit][periodic]") {
  const auto plane = [](int64_t at) {
    return [=](Array x) {
      return lax::slice_in_dim(x, at, at + 1, 1, 1).reshape({x.shape()[0], -1}) + 1;
    };
  };
  const auto between = [](Array x) { return concatenate({x - 1, x + 1, x * x}, 1); };
  const auto planes = [](Array x) { return lax::slice_in_dim(x, 1, 3, 1, 1) + 1; };
  const auto total = [](Array x) {
    return tensordot(array({2.f, -1.f, 3.f, 1.f, 2.f}), x, {{0}, {1}});
  };
  for (const int64_t k : {3, 4, 5, 8, 12, 16, 17, 24, 40})
    for (const int64_t n : {1, 2, 7, 40, 133}) {
      INFO(n << " rows of " << k);
      for (const DType d : {F32, F64, I8, BF16}) {
        same(plane(0), numbers({n, 5, k}, d));
        same(plane(4), numbers({n, 5, k}, d));
        same(planes, numbers({n, 5, k}, d));
        same(between, numbers({n, k}, d));
      }
      same(total, numbers({n, 5, k}, F32));
    }
  if (!compiler::host_target().mask_registers) return;
  CHECK(!gathers(plane(1), numbers({100, 50, 8}, F32)));
  CHECK(!gathers(total, numbers({100, 5, 8}, F32)));
  CHECK(gathers(plane(1), numbers({100, 50, 2}, F32)));  // a load for each pair takes longer
}
