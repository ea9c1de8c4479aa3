// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/row_test.cpp: loops along rows, with one row per lane. Blocks of steps are read and
// written as pieces of rows, and the rest is done separately.
#include <algorithm>
#include <string>
#include <vector>

#include "jit/emit/compare.h"
#include "support/share.h"

namespace weft::compiler {
namespace {

bool in_blocks(const nest::Kernel& k, const TargetInfo& t = host_target()) {
  const auto code = compile(k, t);
  const auto& loops = code->schedule().loops;
  return std::ranges::any_of(loops,
                             [](const auto& l) { return l.second.how == LoopSchedule::How::rows; });
}

struct Form {
  Storage storage = Storage::F32;
  bool reverse = false;   // from the last step down
  bool mirrored = false;  // step i reads element n - 1 - i
  bool large_output = false;
  int loops = 1;  // how many loops, one after the other
};

// Computes two outputs from rows of n elements with that `stride` between rows. They are a running
// xor or maximum, and a running sum that includes a second operand.
nest::Kernel running(const Form& f, int64_t n, int64_t stride) {
  Builder b("running");
  const int in = b.buffer(f.storage, false), other = b.buffer(Storage::I8, false),
            out = b.buffer(f.storage, true), wide = b.buffer(Storage::I64, true);
  const Id row = b.pure(Opcode::Mul, Kind::I64, {b.index(0), b.integer(stride)});
  const Kind k = b.kind(b.load(in, row));
  const bool is_float = k == Kind::F32 || k == Kind::F64;
  const auto add = [&](Id x, Id y) { return b.pure(Opcode::Add, Kind::I64, {x, y}); };
  std::vector<Id> carry{b.constant(k, 0), b.integer(1)};
  for (int l = 0; l < f.loops; ++l) {
    const auto body = b.open({Kind::I64, k, Kind::I64});
    const Id i = b.param(body, 0);
    const Id from =
        f.mirrored ? b.pure(Opcode::Sub, Kind::I64, {add(row, b.integer(n - 1)), i}) : add(row, i);
    const Id x = b.load(in, from);
    const Id next = b.pure(is_float ? Opcode::FMax : Opcode::Xor, k, {b.param(body, 1), x});
    const Id y = b.pure(Opcode::SExt, Kind::I64, {b.load(other, add(row, i))});
    const Id sum = add(b.pure(Opcode::Mul, Kind::I64, {b.param(body, 2), b.integer(3)}), y);
    b.store(out, add(row, i), next);
    b.store(wide, add(row, i), sum);
    b.yield({next, sum});
    b.leave();
    carry = b.loop(b.integer(0), b.integer(n), f.reverse ? -1 : 1, carry, body);
  }
  nest::Kernel kernel = b.finish(1, 0, {});
  kernel.buffers[static_cast<size_t>(out)].large_output = f.large_output;
  return kernel;
}

Run rows_of(const Form& f, int64_t rows, int64_t stride, int64_t begin = 0) {
  const auto n = static_cast<size_t>(rows * stride);
  return {{patterns(f.storage, n, 3), patterns(Storage::I8, n, 4), zeros(f.storage, n),
           zeros(Storage::I64, n)},
          {},
          {0, 1, begin, rows}};
}

}  // namespace

TEST_CASE("running folds of rows of every length", "[jit][row][share]") {
  Share share(3);
  for (int64_t n = 1; n <= 70; ++n)
    for (bool reverse : {false, true}) {
      if (!share.next()) continue;
      const Form f{Storage::F32, reverse, (n % 3) == 0, (n % 2) == 0};
      const nest::Kernel k = running(f, n, n);
      REQUIRE(nest::verify(k) == "");
      for (int64_t rows : {1, 2, 7, 8, 15, 16, 17, 33, 70}) {
        INFO("rows " << rows << " steps " << n << " reverse " << reverse);
        CHECK(difference(k, rows_of(f, rows, n)) == "");
      }
    }
}

TEST_CASE("running folds of any number of rows", "[jit][row]") {
  const Form f;
  const nest::Kernel k = running(f, 67, 80);
  for (int64_t rows = 1; rows <= 70; ++rows)
    for (int64_t begin : {0, 1}) {
      INFO("rows " << rows << " from " << begin);
      CHECK(difference(k, rows_of(f, rows, 80, begin)) == "");
    }
}

TEST_CASE("rows of every storage, direction and target", "[jit][row][share]") {
  Share share(8);
  for (const TargetInfo& t : targets())
    for (Storage s : {Storage::Bool, Storage::I8, Storage::I16, Storage::BF16, Storage::F16,
                      Storage::I32, Storage::F32, Storage::I64, Storage::F64})
      for (int form = 0; form < 8; ++form) {
        if (!share.next()) continue;
        const Form f{s, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
        const nest::Kernel k = running(f, 150, 192);
        INFO(t.cpu << " storage " << static_cast<int>(s) << " form " << form);
        for (int interleave : {0, 1, 2}) {
          const Options o{Options::Use::never, interleave};
          for (int64_t rows : {5, 16, 70}) CHECK(difference(k, rows_of(f, rows, 192), t, o) == "");
        }
        CHECK(in_blocks(k, t));
      }
}

TEST_CASE("pieces of rows have one frame, whatever the number of loops", "[jit][row][share]") {
  Share share(5);
  for (const TargetInfo& t : targets())
    for (const Storage s : {Storage::F32, Storage::F64})
      for (const int loops : {1, 2, 5, 12}) {
        if (!share.next()) continue;
        Form f{s};
        f.loops = loops;
        const nest::Kernel k = running(f, 150, 192);
        INFO(t.cpu << " loops " << loops);
        CHECK(in_blocks(k, t));
        CHECK(compile(k, t)->frame_bytes() > 1 << 10);
        CHECK(compile(k, t)->frame_bytes() <= 64 << 10);
        CHECK(difference(k, rows_of(f, 70, 192), t, {}) == "");
      }
}

TEST_CASE("loops that do not run along rows are left alone", "[jit][row]") {
  CHECK(!in_blocks(running({}, 7, 7)));    // shorter than a block
  CHECK(!in_blocks(running({}, 150, 1)));  // lanes are contiguous
}

TEST_CASE("rows in part of the lanes and loops in branches", "[jit][row]") {
  // Only lanes whose row begins with an odd number run the loop. The gaps are gathered.
  Builder b("gaps");
  const int in = b.buffer(Storage::I32, false), out = b.buffer(Storage::I32, true);
  const int64_t n = 40;
  const Id row = b.pure(Opcode::Mul, Kind::I64, {b.index(0), b.integer(n)});
  const Id odd = b.pure(Opcode::Ne, Kind::Mask,
                        {b.pure(Opcode::And, Kind::I32, {b.load(in, row), b.integer(1, Kind::I32)}),
                         b.integer(0, Kind::I32)});
  const auto then = b.open_branch();
  const auto body = b.open({Kind::I64, Kind::I32});
  const Id at = b.pure(Opcode::Add, Kind::I64, {row, b.param(body, 0)});
  const Id next = b.pure(Opcode::Add, Kind::I32, {b.param(body, 1), b.load(in, at)});
  b.store(out, at, next);
  b.yield({next});
  b.leave();
  b.loop(b.integer(0), b.integer(n), 1, {b.integer(0, Kind::I32)}, body);
  b.yield({});
  b.leave();
  const auto otherwise = b.open_branch();
  b.yield({});
  b.leave();
  b.branch(odd, then, otherwise);
  const nest::Kernel k = b.finish(1, 0, {});
  REQUIRE(nest::verify(k) == "");
  CHECK(in_blocks(k));
  for (unsigned seed = 0; seed < 6; ++seed)
    for (int64_t rows : {1, 9, 16, 50}) {
      std::vector<int32_t> x;
      std::mt19937 g(seed);
      for (int64_t i = 0; i < rows * n; ++i) {
        // The mask has all, none, the first, or random lanes.
        const int64_t r = i / n;
        const bool yes = seed == 0 || (seed == 2 && r < 5) || (seed > 2 && g() % 2);
        x.push_back(static_cast<int32_t>(g() << 1) + (i % n == 0 && yes ? 1 : 0));
      }
      INFO("seed " << seed << " rows " << rows);
      CHECK(difference(k, Run{{raw(x), zeros(Storage::I32, x.size())}, {}, {0, 1, 0, rows}}) == "");
    }
}

}  // namespace weft::compiler
