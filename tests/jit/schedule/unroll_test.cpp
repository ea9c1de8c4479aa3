// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/schedule/unroll_test.cpp: which loops over arrays are unrolled, and the code of loops
// over as many elements as a vector has.
#include "jit/emit/compare.h"
#include "jit/schedule/choose/choose.h"
#include "support/check.h"

namespace weft::compiler {
namespace {

Id add(Builder& b, Id x, Id y) { return b.pure(Opcode::Add, Kind::I64, {x, y}); }

// A loop of eight trips writes squares of squares into an array of `n` numbers. Its sum is the sum
// of eight elements, read at constant indices or at the indices of a fold's terms.
nest::Kernel array_of_a_loop(int64_t n, bool folded) {
  Builder b("array_of_a_loop");
  const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true);
  const Id l = b.local(Kind::F32, n), i = b.index(0), eight = b.integer(8);
  const Id start = b.pure(Opcode::Mul, Kind::I64, {i, eight});
  const auto body = b.open({Kind::I64});
  Id x = b.load(in, add(b, start, b.param(body, 0)));
  for (int k = 0; k < 30; ++k) x = b.pure(Opcode::Fma, Kind::F32, {x, x, x});
  b.local_store(l, b.param(body, 0), x);
  b.yield({});
  b.leave();
  b.loop(b.integer(0), eight, 1, {}, body);
  Id sum = b.constant(Kind::F32, 0);
  if (folded) {
    const auto term = b.open({Kind::I64});
    b.yield({b.local_load(l, b.param(term, 0))});
    b.leave();
    sum = b.fold(eight, {sum}, {Combine::Add}, term)[0];
  } else {
    for (int64_t k = 0; k < 8; ++k)
      sum = b.pure(Opcode::Add, Kind::F32, {sum, b.local_load(l, b.integer(k))});
  }
  b.store(out, i, sum);
  return b.finish(1, 0, Vector::grid);
}

// Each point copies n numbers, as vectors of its own.
nest::Kernel copies(int64_t n) {
  Builder b("copies");
  const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true);
  const Id start = b.pure(Opcode::Mul, Kind::I64, {b.index(0), b.integer(n)});
  const auto body = b.open({Kind::I64});
  const Id at = add(b, start, b.param(body, 0));
  b.store(out, at, b.load(in, at));
  b.leave();
  b.for_each(b.integer(n), body);
  return b.finish(1, 0, Vector::inner);
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("loops are unrolled for arrays that become registers", "[jit][schedule]") {
  const auto unrolled = [](bool folded) {
    return has(to_string(choose_schedule(array_of_a_loop(8, folded), host_target(), {})),
               "unrolled");
  };
  CHECK(unrolled(false));
  CHECK_FALSE(unrolled(true));
}

TEST_CASE("whole vectors need neither a loop nor masks", "[jit][schedule]") {
  const int64_t width = host_target().vector_width;
  const auto code = [](int64_t n) { return compile(copies(n))->llvm_ir(); };
  CHECK_FALSE(has(code(width), "each:"));
  CHECK_FALSE(has(code(width), "masked"));
  CHECK_FALSE(has(code(4 * width), "each:"));
  CHECK(has(code(5 * width), "each:"));
  CHECK_FALSE(has(code(5 * width), "masked"));
  CHECK_FALSE(has(code(width - 1), "each:"));
  CHECK(has(code(width - 1), "masked"));
  CHECK_FALSE(has(code(width + 1), "each:"));
  CHECK(has(code(width + 1), "masked"));
  for (int64_t n :
       {width - 1, width, width + 1, 3 * width - 1, 4 * width, 5 * width, 5 * width + 1})
    for (const TargetInfo& t : targets()) {
      CAPTURE(n, t.cpu);
      Run run{{patterns(Storage::F32, 5 * n, 13), zeros(Storage::F32, 5 * n)}, {}, {0, 1, 0, 5}};
      CHECK(difference(copies(n), run, t) == "");
    }
}

}  // namespace weft::compiler
