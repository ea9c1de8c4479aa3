// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/pure_values_test.cpp: equal pure instructions of a kernel are written once wherever
// they are visible.
#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "core/loops/nest.h"
#include "tests/support/catch.h"

using namespace weft;
using nest::BlockId, nest::Id, nest::Kind, nest::Opcode;

TEST_CASE("branches do not share instructions with one another", "[pure_values]") {
  nest::Builder b("branches");
  const Id x = b.index(0);
  const auto square = [&] { return b.pure(Opcode::Mul, Kind::I64, {x, x}); };
  std::vector<Id> inside;
  for (int k = 0; k < 3; ++k) {
    b.open_branch();
    inside.push_back(square());
    CHECK(square() == inside.back());
    b.open({Kind::I64});
    CHECK(square() == inside.back());
    b.leave();
    CHECK(square() == inside.back());
    b.leave();
  }
  CHECK(inside[0] != inside[1]);
  CHECK(inside[1] != inside[2]);
  const Id outside = square();
  CHECK(outside != inside[2]);
  b.open_branch();
  CHECK(square() == outside);
  b.leave();
}

TEST_CASE("two comparisons with a range from 0 are one", "[pure_values]") {
  nest::Builder b("ranges");
  const int words = b.buffer(nest::Storage::I64, false);
  const Id x = b.load(words, b.integer(0)), y = b.load(words, b.integer(1));
  const auto at_most = [&](Id p, Id q) { return b.pure(Opcode::SLe, Kind::Mask, {p, q}); };
  const auto both = [&](Id p, Id q) { return b.pure(Opcode::And, Kind::Mask, {p, q}); };
  const Id zero = b.integer(0), last = b.integer(9);
  const Id one = b.pure(Opcode::ULe, Kind::Mask, {x, last});
  CHECK(both(at_most(zero, x), at_most(x, last)) == one);
  CHECK(both(at_most(x, last), at_most(zero, x)) == one);
  // Other values, a range from 1, a negative end and an end that is not known.
  std::vector<Id> others;
  for (const auto& [low, p, q, high] : {std::array{zero, y, x, last},
                                        {b.integer(1), x, x, last},
                                        {zero, x, x, b.integer(-9)},
                                        {zero, x, x, y}})
    others.push_back(both(at_most(low, p), at_most(q, high)));
  const nest::Kernel k = b.finish(0, 0, nest::Vector::inner);
  for (Id v : others) CHECK(k.insts[v].op == Opcode::And);
}

TEST_CASE("discarded instructions are not used again", "[pure_values]") {
  nest::Builder b("discarded");
  const Id x = b.index(0);
  const BlockId block = b.open_branch();
  const Id inside = b.pure(Opcode::Mul, Kind::I64, {x, x});
  b.leave();
  b.discard(block);
  const Id now = b.pure(Opcode::Mul, Kind::I64, {x, x});
  CHECK(now != inside);
  CHECK(b.pure(Opcode::Mul, Kind::I64, {x, x}) == now);
}

TEST_CASE("the time for branches with equal instructions grows linearly", "[pure_values]") {
  const auto clocks = [](int branches) {
    std::clock_t least = 0;
    for (int round = 0; round < 3; ++round) {
      const std::clock_t start = std::clock();
      nest::Builder b("branches");
      const Id x = b.index(0);
      for (int k = 0; k < branches; ++k) {
        b.open_branch();
        for (int64_t n = 1; n < 8; ++n) b.pure(Opcode::Mul, Kind::I64, {x, b.integer(n)});
        b.leave();
      }
      const std::clock_t t = std::clock() - start;
      least = round == 0 ? t : std::min(least, t);
    }
    return static_cast<double>(least);
  };
  // 16 times if it is linear, and 256 times if it grows with the square.
  CHECK(clocks(16'000) < 64 * clocks(1000));
}

TEST_CASE("a loop does not repeat a branch or a loop that it does not change", "[pure_values]") {
  nest::Builder b("invariants");
  const int in = b.buffer(nest::Storage::F32, false), out = b.buffer(nest::Storage::F32, true);
  const Id zero = b.integer(0), n = b.integer(8), x = b.load(in, zero),
           none = b.constant(Kind::F32, 0), positive = b.pure(Opcode::Lt, Kind::Mask, {none, x});
  // Squares v if x is positive.
  const auto square_if = [&](Id v) {
    const BlockId then = b.open_branch();
    b.yield({b.pure(Opcode::Mul, Kind::F32, {v, v})});
    b.leave();
    const BlockId otherwise = b.open_branch();
    b.yield({v});
    b.leave();
    return b.branch(positive, then, otherwise)[0];
  };
  const auto sum_of = [&](const auto& term) {
    const BlockId body = b.open({Kind::I64});
    b.yield({term(b.param(body, 0))});
    b.leave();
    return b.fold(n, {none}, {nest::Combine::Add}, body, true)[0];
  };
  // The condition ends the loop at once. The compiler does not know that.
  const auto looped = [&](Id v) {
    const BlockId test = b.open({Kind::F32});
    b.yield({b.pure(Opcode::Lt, Kind::Mask, {b.param(test, 0), none})});
    b.leave();
    const BlockId body = b.open({Kind::F32});
    b.yield({b.param(body, 0)});
    b.leave();
    return b.loop_while({v}, test, body)[0];
  };
  std::vector<Id> before, inside, in_branch;
  const Id all = sum_of([&](Id i) {
    before.push_back(square_if(x));
    before.push_back(sum_of([&](Id) { return before[0]; }));
    before.push_back(sum_of([&](Id k) { return b.load(in, k); }));
    inside.push_back(square_if(b.load(in, i)));
    inside.push_back(looped(x));
    inside.push_back(square_if(b.load(out, zero)));
    const BlockId then = b.open_branch();
    in_branch.push_back(square_if(x));
    b.yield({in_branch[0]});
    b.leave();
    const BlockId otherwise = b.open_branch();
    b.yield({x});
    b.leave();
    const Id mask = b.pure(Opcode::SLt, Kind::Mask, {zero, i});
    inside.push_back(b.branch(mask, then, otherwise)[0]);
    return inside.back();
  });
  b.store(out, zero, all);
  const auto depth = [&](Id v) { return b.depth(v); };
  for (const Id v : before) CHECK(depth(v) == 0);
  for (const Id v : inside) CHECK(depth(v) == 1);
  for (const Id v : in_branch) CHECK(depth(v) == 2);
  // The folds that were terms of the fold are before it.
  CHECK(b.inst(b.inst(all).args[0]).imm == 0);
  CHECK(verify(b.finish(0, 0, nest::Vector::none)) == "");
}
