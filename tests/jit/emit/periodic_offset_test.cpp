// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/periodic_offset_test.cpp: parts of short rows, and rows in another order, are read
// as whole vectors of memory that one instruction permutes.
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
