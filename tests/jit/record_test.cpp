// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/record_test.cpp: each lane has a small vector, and these are contiguous in memory. They
// are read and written by whole SIMD vectors, for any length, dtype and number, whole or in part.
#include <string>
#include <tuple>
#include <vector>

#include "runtime/native/cpu.h"
#include "runtime/native/transpose.h"
#include "support/reference.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
bool reads_records(const F& f, const Array& x) {
  return jit(f).lower(x).kernels().find("\nrecords ") != std::string::npos;
}
// A loop over each lane's vector.
const auto turned =
    vmap([](Array v) { return fori_loop(0, 3, [](Array, Array c) { return roll(c, 1) + c; }, v); });

}  // namespace

TEST_CASE("vectors of lanes are moved as records", "[jit][record]") {
  for (int64_t k = 2; k <= 17; ++k)
    for (int64_t n : {1, 7, 16, 17, 31, 333})
      for (DType d : {F32, F64, I32, C64, BF16}) {
        INFO(n << " lanes of " << k << ", dtype " << static_cast<int>(d));
        same(turned, numbers({n, k}, d));
      }
  CHECK(reads_records(turned, numbers({100, 3}, F32)));
  CHECK(reads_records(turned, numbers({100, 2}, C64)));
  // Arrays that a loop reads at its own index are filled from records, too.
  const auto picks = vmap([](Array v) {
    return fori_loop(0, 9, [](Array i, Array c) { return c.at(i).set(c[8 - i] + 1); }, v);
  });
  same(picks, numbers({100, 9}, F32));
  const Array nine = numbers({100, 9}, F32);  // longer than records can be without AVX-512
  CHECK(reads_records(picks, nine) == reads_records(turned, nine));
  CHECK(reads_records(turned, numbers({100, 20}, F32)));
  CHECK_FALSE(reads_records(turned, numbers({100, 300}, F32)));
}

TEST_CASE("records of narrow elements are moved in words", "[jit][record]") {
  for (DType d : {I8, U8, I16, BF16, F16})
    for (int64_t k : {2, 3, 4, 5, 6, 7, 8, 9, 16, 17})
      for (int64_t n : {1, 7, 16, 33}) {
        INFO(n << " lanes of " << k << ", dtype " << static_cast<int>(d));
        same(turned, numbers({n, k}, d));
      }
  // Boards of bools, of which a part is read, and all is written.
  const auto moved = vmap([](Array b) {
    const auto step = [](Array, Array c) { return roll(c, 1) ^ c[slice(0, 9)]; };
    return fori_loop(0, 3, step, b[slice(2, 11)]);
  });
  for (int64_t n : {1, 15, 16, 33, 100}) same(moved, numbers({n, 12}, I32) % 3 == 0);
  CHECK(reads_records(moved, numbers({100, 12}, I32) % 3 == 0));
  CHECK(reads_records(turned, numbers({100, 8}, I8)));
  CHECK(reads_records(turned, numbers({100, 4}, BF16)));
  // Three elements of two bytes take two words, as many as two elements of four bytes.
  CHECK_FALSE(reads_records(turned, numbers({100, 3}, BF16)));
}

TEST_CASE("trips of a loop that fills vectors read their rows as records", "[jit][record]") {
  // The lanes of this loop wait for each other, so vectors run along the rows of its arrays.
  const auto f = [](Array x) {
    const auto go = [](Array c) { return any(c.max({1}) > -40); };
    return while_loop(
        go, [](Array c) { return c - c.max({1}).reshape({-1, 1}) * 2 - c.min({1}).max(); }, x);
  };
  for (int64_t k : {2, 3, 4, 8, 15, 16, 20})
    for (int64_t n : {1, 15, 16, 33})
      for (DType d : {F32, F64, I32, I16}) {
        INFO(n << " rows of " << k << ", dtype " << static_cast<int>(d));
        same(f, numbers({n, k}, d));
      }
  CHECK(reads_records(f, numbers({33, 4}, F32)));
}

TEST_CASE("whole short records are moved by shuffles", "[jit][record]") {
  const auto calls = [](const Array& x) {
    return count(jit(turned).lower(x).llvm_ir(), "call void @weft_record_");
  };
  for (DType d : {F32, F64, I32}) {
    const auto longer = calls(numbers({160, 5}, d));
    for (int64_t k : {2, 3, 4}) {
      INFO("records of " << k << ", dtype " << static_cast<int>(d));
      for (int64_t n : {8, 16, 32, 33, 160}) same(turned, numbers({n, k}, d));
      // Stores of the last lanes, which may not fill a vector, are calls.
      CHECK(2 * calls(numbers({160, k}, d)) <= longer);
    }
  }
}

TEST_CASE("a few elements of records are read by shuffles", "[jit][record]") {
  // Two neighbouring elements of each row, or one.
  const auto two = vmap([](Array v) { return v[1] * 2 + v[2]; });
  const auto one = vmap([](Array v) { return v[1] * 2; });
  for (DType d : {F32, F64, I32, I8, BF16})
    for (int64_t k = 3; k <= 9; ++k)
      for (int64_t n : {1, 7, 16, 17, 31, 160}) {
        INFO(n << " lanes of " << k << ", dtype " << static_cast<int>(d));
        same(two, numbers({n, k}, d));
        same(one, numbers({n, k}, d));
        same([&](Array x) { return one(flip(x, 0)); }, numbers({n, k}, d));
      }
  CHECK(count(jit(two).lower(numbers({160, 4}, F32)).llvm_ir(), "call void @weft_record_") == 0);
}

TEST_CASE("reads of records end with the operand", "[jit][record]") {
  // These are the first elements of each row. No memory follows those of the last row.
  const auto part = [](Array x) {
    return vmap([](Array v) {
      return fori_loop(0, 3, [](Array, Array c) { return roll(c, 1) + c; }, v[Slice(1, 3)]);
    })(x);
  };
  for (int64_t n : {1, 15, 16, 48, 100}) {
    INFO(n << " lanes");
    same(part, numbers({n, 4}, F32));
    same(part, numbers({n, 3}, F64));
  }
}

TEST_CASE("a row of a table that all lanes read is loaded as scalars", "[jit][record]") {
  // The lanes count from their own numbers, and some do not run. Tables of fewer than four columns
  // are gathered.
  using Carry = std::tuple<Array, Array>;
  const auto f = [](Array first, Array table) {
    const auto lane = [](Array i, Array t) {
      const auto step = [&](Carry c) {
        const auto& [k, sum] = c;
        Array next = sum * 0.5f;
        for (int64_t n = 0; n < t.shape()[1]; ++n)
          next = next + t[k][n].astype(F32) * static_cast<float>(n + 1);
        return Carry(k + 1, next);
      };
      const auto more = [](Carry c) { return std::get<0>(c) < 9; };
      return std::get<1>(while_loop(more, step, Carry(i, Array(1.0f))));
    };
    return vmap(lane, {0, none})(first, table);
  };
  const auto tested = [&](const Array& first, const Array& table) {
    return count(jit(f).lower(first, table).llvm_ir(), "@llvm.vector.reduce.and") > 0;
  };
  for (DType d : {F32, F64, BF16, I8})
    for (int64_t columns : {3, 4, 7})
      for (int64_t n : {1, 7, 16, 33, 160}) {
        INFO(n << " lanes, " << columns << " columns, dtype " << static_cast<int>(d));
        const Array table = numbers({9, columns}, d);
        same(f, arange(n) % 1, table);      // all begin together
        same(f, arange(n) % 3, table);      // lanes begin at other rows
        same(f, arange(n) % 2 * 9, table);  // half of them have no step
        same(f, 9 + arange(n) % 2, table);  // none has a step
      }
  CHECK(tested(arange(160), numbers({9, 4}, F32)));
  CHECK_FALSE(tested(arange(160), numbers({9, 3}, F32)));
}

TEST_CASE("records of all sizes are transposed by the library", "[jit][record]") {
  const int32_t non_temporal = GENERATE(0, 1);
  for (const compiler::RecordCall& call : compiler::record_calls()) {
    const bool stores = call.name.find("store") != std::string::npos;
    int bytes = 0, lanes = 0, only = 0;
    const int read = std::sscanf(
        call.name.c_str() + std::string(stores ? "weft_record_store_" : "weft_record_load_").size(),
        "%d_%d_%d", &bytes, &lanes, &only);
    REQUIRE(read >= 2);
    // Kernels do not call wider ones than the processor supports (jit/schedule/records.cpp).
    if (bytes * lanes > 4 * native::vector_width(native::cpu_level())) continue;
    for (int size : read == 3 ? std::vector{only} : std::vector{25, 31, 32, 36, 255, 256}) {
      REQUIRE(call.name == compiler::record_name(stores, bytes, lanes, size));
      INFO(call.name << ", size " << size);
      const size_t all = static_cast<size_t>(lanes) * static_cast<size_t>(size),
                   b = static_cast<size_t>(bytes);
      for (size_t elements :
           {all, all - 1, all - static_cast<size_t>(size), size_t{1}, size_t{0}}) {
        // Element e of memory, and of the vectors, starts with byte e + 1. One more element must
        // stay unchanged.
        constexpr size_t line = 64;
        std::vector<char> space((all + 1) * b + line, 0), vectors((all + 1) * b, 0);
        char* const memory =
            space.data() + (line - reinterpret_cast<uintptr_t>(space.data()) % line);
        const auto in_vectors = [&](size_t e) {
          return (e % static_cast<size_t>(size)) * static_cast<size_t>(lanes) +
                 e / static_cast<size_t>(size);
        };
        for (size_t e = 0; e < all; ++e)
          (stores ? vectors[in_vectors(e) * b] : memory[e * b]) = static_cast<char>(e + 1);
        memory[all * b] = vectors[all * b] = 77;
        if (stores)
          call.run(memory, vectors.data(), static_cast<int64_t>(elements), size, non_temporal);
        else
          call.run(vectors.data(), memory, static_cast<int64_t>(elements), size, non_temporal);
        bool right = memory[all * b] == 77 && vectors[all * b] == 77;
        for (size_t e = 0; e < all; ++e) {
          const char there = stores ? memory[e * b] : vectors[in_vectors(e) * b];
          right = right && there == (e < elements ? static_cast<char>(e + 1) : 0);
        }
        CHECK(right);
      }
    }
  }
}
