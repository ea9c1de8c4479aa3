// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/strides_test.cpp: strides of indices along axes of the grid and along loops, and the
// ranges of indices (core/loops/strides.h, core/loops/nest_bounds.h).
#include "core/loops/strides.h"

#include "core/loops/nest_bounds.h"
#include "tests/support/catch.h"

using namespace weft;
using nest::BlockId, nest::Id, nest::Kind, nest::Opcode, nest::Range;

namespace {

struct Written {
  nest::Builder b{"test"};
  Id i = b.index(0), j = b.index(1);
  Id integer(int64_t x) { return b.integer(x); }
  Id two(Opcode op, Id x, Id y) { return b.pure(op, Kind::I64, {x, y}); }
  // Stores x, because a value without a use is not in any block.
  void read(Id x) { b.store(out, integer(0), x); }
  int out = b.buffer(nest::Storage::I64, true);
  nest::Kernel finish() { return b.finish(2, 1, {}); }
};

}  // namespace

TEST_CASE("strides along an axis of the grid are sums of products", "[strides]") {
  Written w;
  const Id row = w.two(Opcode::Mul, w.i, w.integer(100));
  const Id at = w.two(Opcode::Add, row, w.two(Opcode::Sub, w.integer(7), w.j));
  const Id scaled = w.two(Opcode::Mul, w.i, w.b.extent(0));
  const Id squared = w.two(Opcode::Mul, w.i, w.i);
  const Id shifted = w.two(Opcode::Shl, w.i, w.integer(3));
  const nest::Kernel k = w.finish();
  CHECK(stride_along(k, at, {.axis = 0}) == 100);
  CHECK(stride_along(k, at, {.axis = 1}) == -1);
  // The stride is known only at run time.
  CHECK(stride_along(k, scaled, {.axis = 0}) == std::nullopt);
  CHECK(stride_along(k, scaled, {.axis = 1}) == 0);
  CHECK(stride_along(k, squared, {.axis = 0}) == std::nullopt);
  CHECK(stride_along(k, shifted, {.axis = 0}) == 8);
}

TEST_CASE("digits of an index within blocks", "[strides]") {
  Written w;
  const Id digit = w.two(Opcode::SRem, w.i, w.integer(32)),
           rest = w.two(Opcode::SDiv, w.i, w.integer(32)),
           other = w.two(Opcode::SRem, w.j, w.integer(32));
  const nest::Kernel k = w.finish();
  CHECK(stride_along(k, digit, {.axis = 0, .tile = 16}) == 1);
  CHECK(stride_along(k, rest, {.axis = 0, .tile = 16}) == 0);
  CHECK(stride_along(k, digit, {.axis = 0, .tile = 24}) == std::nullopt);
  CHECK(stride_along(k, digit, {.axis = 0}) == std::nullopt);
  CHECK(stride_along(k, other, {.axis = 0, .tile = 16}) == 0);
}

TEST_CASE("strides along a loop treat outer indices as constants", "[strides]") {
  Written w;
  const int buffer = w.b.buffer(nest::Storage::F32, false);
  const BlockId body = w.b.open({Kind::I64});
  const Id t = w.b.param(body, 0);
  const Id at =
      w.two(Opcode::Add, w.two(Opcode::Mul, w.i, w.j), w.two(Opcode::Mul, t, w.integer(4)));
  const Id x = w.b.load(buffer, at);
  w.b.yield({});
  w.b.leave();
  w.b.loop(w.integer(0), w.integer(10), 1, {}, body);
  const nest::Kernel k = w.finish();
  const Id index = k.insts[static_cast<size_t>(x)].args[0];
  CHECK(stride_along(k, index, {.index = t, .block = body}) == 4);
  // In neighboring rows the same trip reads elements whose distance is j.
  CHECK(stride_along(k, index, {.axis = 0}) == std::nullopt);
  CHECK(ranges_of(k)[static_cast<size_t>(t)] == Range{0, 9});
}

TEST_CASE("ranges hold for whatever a kernel is run with", "[strides]") {
  Written w;
  const Id digit = w.two(Opcode::SRem, w.i, w.integer(32));
  const Id at = w.two(Opcode::Add, w.two(Opcode::Mul, digit, w.integer(3)), w.integer(-1));
  const Id clamped = w.two(Opcode::SMin, w.b.extent(0), w.integer(5));
  w.read(at);
  w.read(clamped);
  const nest::Kernel k = w.finish();
  const auto ranges = ranges_of(k);
  CHECK(ranges[static_cast<size_t>(at)] == Range{-1, 92});
  CHECK(ranges[static_cast<size_t>(clamped)] == Range{0, 5});
  CHECK(ranges[static_cast<size_t>(w.i)].low == 0);
}
