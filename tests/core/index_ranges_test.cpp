// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/index_ranges_test.cpp: clamps and comparisons of indices that are decided while a
// kernel is written, their borders, and code that is discarded.
#include "core/loops/index_ranges.h"

#include <functional>

#include "core/loops/nest.h"
#include "tests/support/catch.h"

using namespace weft;
using nest::BlockId, nest::Id, nest::Kind, nest::Opcode;

namespace {

struct Written {
  nest::Builder b{"test"};
  int out = b.buffer(nest::Storage::I64, true);
  Id two(Opcode op, Id x, Id y) {
    const bool compares = op >= Opcode::Eq && op <= Opcode::ULe;
    return b.pure(op, compares ? Kind::Mask : Kind::I64, {x, y});
  }
  Id with(Opcode op, Id x, int64_t y) { return two(op, x, b.integer(y)); }
  // Opens a loop whose index has this range.
  std::pair<BlockId, Id> open(int64_t low, int64_t high) {
    const BlockId body = b.open({Kind::I64});
    b.set_range(b.param(body, 0), {low, high});
    return {body, b.param(body, 0)};
  }
  bool is(Id v, int64_t x) const {
    int64_t value = 0;
    return b.is_constant(v, &value) && value == x;
  }
};

}  // namespace

TEST_CASE("digits of a sum of a block and an index in it are these", "[index_ranges]") {
  Written w;
  const auto [blocks, block] = w.open(0, 9);
  const auto [elements, i] = w.open(0, 34);
  const Id sum = w.two(Opcode::Add, w.with(Opcode::Mul, block, 35), i);
  CHECK(w.with(Opcode::SRem, sum, 35) == i);
  CHECK(w.with(Opcode::SDiv, sum, 35) == block);
  // Other divisors, and indices that reach the next block.
  CHECK(w.with(Opcode::SRem, sum, 7) != i);
  CHECK(w.with(Opcode::SDiv, sum, 70) != block);
  const Id next = w.two(Opcode::Add, w.with(Opcode::Mul, block, 35), w.with(Opcode::Add, i, 1));
  CHECK(w.b.inst(w.with(Opcode::SRem, next, 35)).op == Opcode::SRem);
  const Id below = w.two(Opcode::Add, w.with(Opcode::Mul, w.with(Opcode::Add, block, -1), 35), i);
  CHECK(w.b.inst(w.with(Opcode::SRem, below, 35)).op == Opcode::SRem);
  w.b.leave();
  w.b.leave();
}

TEST_CASE("the range of an index decides clamps, comparisons and divisions", "[index_ranges]") {
  Written w;
  const auto [body, i] = w.open(8, 15);
  const Id shifted = w.with(Opcode::Add, i, -8);
  CHECK(w.with(Opcode::SMin, shifted, 7) == shifted);
  CHECK(w.with(Opcode::SMax, shifted, 0) == shifted);
  CHECK(w.is(w.with(Opcode::SMin, i, 3), 3));
  CHECK(w.is(w.with(Opcode::SMax, i, 15), 15));
  CHECK(w.is(w.with(Opcode::SLt, i, 16), 1));
  CHECK(w.is(w.with(Opcode::SLt, i, 8), 0));
  CHECK(w.is(w.with(Opcode::SLe, i, 15), 1));
  CHECK(w.is(w.with(Opcode::SLe, i, 7), 0));
  CHECK(w.is(w.with(Opcode::Eq, i, 16), 0));
  CHECK(w.is(w.with(Opcode::Ne, i, 16), 1));
  CHECK(w.with(Opcode::SRem, i, 16) == i);
  CHECK(w.is(w.with(Opcode::SDiv, i, 16), 0));
  CHECK(w.b.borders(i).empty());
  // Others are written: the range does not decide them.
  CHECK(!w.b.is_constant(w.with(Opcode::SLt, i, 15)));
  CHECK(w.with(Opcode::SRem, i, 15) != i);
  CHECK(!w.b.is_constant(w.with(Opcode::ULt, i, 16)));
  w.b.leave();
}

TEST_CASE("a border is where the result of a comparison changes", "[index_ranges]") {
  const auto borders = [](Opcode op, bool constant_first) {
    Written w;
    const auto [body, i] = w.open(0, 99);
    const Id x = w.with(Opcode::Add, w.with(Opcode::Add, i, 3), 2), c = w.b.integer(15);
    constant_first ? w.two(op, c, x) : w.two(op, x, c);
    return std::vector<int64_t>(w.b.borders(i).begin(), w.b.borders(i).end());
  };
  using Borders = std::vector<int64_t>;
  CHECK(borders(Opcode::SLt, false) == Borders{10});  // i + 5 < 15
  CHECK(borders(Opcode::SLe, false) == Borders{11});
  CHECK(borders(Opcode::SLt, true) == Borders{11});  // 15 < i + 5
  CHECK(borders(Opcode::SLe, true) == Borders{10});
  CHECK(borders(Opcode::SMin, false) == Borders{11});
  CHECK(borders(Opcode::SMax, true) == Borders{10});
  CHECK(borders(Opcode::Eq, false).empty());
  // A product has no border.
  Written w;
  const auto [body, i] = w.open(0, 99);
  w.with(Opcode::SLt, w.with(Opcode::Mul, i, 3), 15);
  CHECK(w.b.borders(i).empty());
}

TEST_CASE("sums that overflow have no range", "[index_ranges]") {
  Written w;
  const auto [body, i] = w.open(0, INT64_MAX);
  CHECK(!w.b.is_constant(w.with(Opcode::SLt, w.with(Opcode::Add, i, 1), 0)));
}

TEST_CASE("discarded code leaves no trace in the kernel", "[index_ranges]") {
  const auto text = [](bool discards) {
    Written w;
    const Id seven = w.b.integer(7);
    if (discards) {
      const Id local = w.b.local(Kind::I64, 4);
      const auto [body, i] = w.open(0, 3);
      // The product is placed before the loop.
      const Id product = w.with(Opcode::Mul, seven, 6);
      w.b.local_store(local, i, product);
      const auto [inner, j] = w.open(0, 3);
      w.b.store(w.out, w.two(Opcode::Add, j, product), seven);
      w.b.yield({});
      w.b.leave();
      w.b.loop(w.b.integer(0), w.b.integer(4), 1, {}, inner);
      w.b.yield({});
      w.b.leave();
      w.b.discard(body);
      CHECK(!w.b.visible(i));
      CHECK(!w.b.visible(product));
      CHECK(w.b.visible(local));
      CHECK(w.b.visible(seven));
    }
    w.b.store(w.out, w.b.integer(0), w.with(Opcode::Mul, seven, 6));
    const nest::Kernel k = w.b.finish(0, 0, nest::Vector::none);
    CHECK(nest::verify(k) == "");
    return nest::print(k);
  };
  CHECK(text(true) == text(false));
}
