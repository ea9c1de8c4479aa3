// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/fold_test.cpp: the order of folds is the same in every schedule, for every extent.
#include "jit/emit/compare.h"
#include "support/share.h"

namespace weft::compiler {
namespace {

const std::vector<int64_t> extents{0, 1, 5, 15, 16, 17, 1000, 1023, 1024, 5000};
const std::vector<Vector> schedules{Vector::none, Vector::grid, Vector::inner};

struct Kinds {
  Kind kind;
  Storage storage;
  std::vector<Combine> combiners;
};
const std::vector<Kinds> all{
    {Kind::F32,
     Storage::F32,
     {Combine::Add, Combine::Mul, Combine::FMin, Combine::FMax, Combine::MulAdd}},
    {Kind::F64, Storage::F64, {Combine::MulAdd, Combine::Add, Combine::FMax}},
    {Kind::I32,
     Storage::I32,
     {Combine::Add, Combine::Mul, Combine::SMin, Combine::SMax, Combine::UMin, Combine::UMax,
      Combine::And, Combine::Or, Combine::Xor}},
    {Kind::I8, Storage::I8, {Combine::Add, Combine::SMax}},
    {Kind::I64, Storage::I64, {Combine::Add}},
    {Kind::F32, Storage::BF16, {Combine::Add, Combine::MulAdd}},
    {Kind::Mask, Storage::Bool, {Combine::And, Combine::Or, Combine::Xor}},
};

// Computes out[i] = fold over j < n of in[i * n + j] (or in[j * rows + i]). If a term has two
// factors, the result is the fold's magnitude.
nest::Kernel rows(const Kinds& kd, Combine c, Vector v, bool constant_extent, int64_t n,
                  bool columns) {
  Builder b("rows");
  const int in = b.buffer(kd.storage, false),
            out = b.buffer(kd.kind == Kind::F32 ? Storage::F32 : kd.storage, true);
  const Id length = constant_extent ? b.integer(n) : b.extent(0), i = b.index(0);
  const auto body = b.open({Kind::I64});
  const Id j = b.param(body, 0);
  const auto op = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::I64, {x, y}); };
  const Id at = columns ? op(Opcode::Add, op(Opcode::Mul, j, b.extent(1)), i)
                        : op(Opcode::Add, op(Opcode::Mul, i, length), j);
  const Id x = b.load(in, at);
  std::vector<Id> term{x};
  if (nest::values_of_term(c) == 2) term.push_back(b.pure(Opcode::Abs, kd.kind, {x}));
  b.yield(term);
  b.leave();
  b.store(out, i, b.fold(length, {b.constant(kd.kind, 0)}, {c}, body)[0]);
  return b.finish(1, 2, v);
}

}  // namespace

TEST_CASE("folds of rows and columns", "[jit][fold][share]") {
  Share share(6);
  for (const Kinds& kd : all)
    for (Combine c : kd.combiners)
      for (int64_t n : extents)
        for (auto v : schedules)
          for (bool columns : {false, true}) {
            const bool constant_extent = columns;
            if ((columns && c != kd.combiners[0]) || !share.next()) continue;
            const int64_t points = n > 100 ? 17 : 33;
            Run run{{patterns(kd.storage, n * points, 11),
                     zeros(kd.kind == Kind::F32 ? Storage::F32 : kd.storage, points)},
                    {n, points},
                    {0, 1, 0, points}};
            for (const TargetInfo& t : targets()) {
              if (t.vector_width != host_target().vector_width && c != kd.combiners[0]) continue;
              INFO(t.cpu << " n=" << n << " combine=" << static_cast<int>(c) << " kind="
                         << static_cast<int>(kd.kind) << " schedule=" << static_cast<int>(v));
              CHECK(difference(rows(kd, c, v, constant_extent, n, columns), run, t) == "");
            }
          }
}

TEST_CASE("folds of every number of interleaved vectors", "[jit][fold]") {
  constexpr int64_t n = 40, points = 200;
  for (const Kinds& kd : {all[0], all[2]})
    for (Combine c : kd.combiners)
      for (const int interleave : {1, 2, 3, 4}) {
        const Run run{{patterns(kd.storage, n * points, 11), zeros(kd.storage, points)},
                      {n, points},
                      {0, 1, 0, points}};
        CAPTURE(static_cast<int>(c), static_cast<int>(kd.kind), interleave);
        CHECK(difference(rows(kd, c, Vector::grid, true, n, true), run, host_target(),
                         {Options::Use::automatic, interleave}) == "");
      }
}

TEST_CASE("argmin and argmax, with a sum beside them", "[jit][fold][share]") {
  Share share(4);
  for (Combine c : {Combine::ArgMin, Combine::ArgMax})
    for (auto [kd, s] :
         {std::pair{Kind::F32, Storage::F32}, {Kind::I32, Storage::I32}, {Kind::F64, Storage::F64}})
      for (int64_t n : extents)
        for (auto v : schedules)
          for (const TargetInfo& t : targets()) {
            if (!share.next()) continue;
            Builder b("arg");
            const int in = b.buffer(s, false), best = b.buffer(s, true),
                      where = b.buffer(Storage::I64, true), sum = b.buffer(s, true);
            const Id length = b.extent(0), i = b.index(0);
            const auto body = b.open({Kind::I64});
            const Id x =
                b.load(in, b.pure(Opcode::Add, Kind::I64,
                                  {b.pure(Opcode::Mul, Kind::I64, {i, length}), b.param(body, 0)}));
            b.yield({x, b.param(body, 0), x});
            b.leave();
            const uint64_t worst =
                kd == Kind::F32
                    ? std::bit_cast<uint32_t>(c == Combine::ArgMin ? HUGE_VALF : -HUGE_VALF)
                : kd == Kind::F64
                    ? std::bit_cast<uint64_t>(c == Combine::ArgMin ? HUGE_VAL : -HUGE_VAL)
                : c == Combine::ArgMin ? 0x7fffffffu
                                       : 0x80000000u;
            const auto r =
                b.fold(length, {b.constant(kd, worst), b.integer(INT64_MAX), b.constant(kd, 0)},
                       {c, Combine::Second, Combine::Add}, body);
            b.store(best, i, r[0]);
            b.store(where, i, r[1]);
            b.store(sum, i, r[2]);
            const int64_t points = 17;
            Run run{{patterns(s, n * points, 13), zeros(s, points), zeros(Storage::I64, points),
                     zeros(s, points)},
                    {n},
                    {0, 1, 0, points}};
            INFO(t.cpu << " n=" << n << " schedule=" << static_cast<int>(v));
            CHECK(difference(b.finish(1, 1, v), run, t) == "");
          }
}

// The softmax of a row has a for_each that writes values which depend on the folds.
TEST_CASE("folds and for_each of one row", "[jit][fold]") {
  for (auto v : schedules)
    for (const TargetInfo& t : targets())
      for (int64_t n : extents) {
        Builder b("normalise");
        const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true),
                  reversed = b.buffer(Storage::F16, true);
        const Id length = b.extent(0), start = b.pure(Opcode::Mul, Kind::I64, {b.index(0), length});
        const auto at = [&](nest::BlockId body) {
          return b.pure(Opcode::Add, Kind::I64, {start, b.param(body, 0)});
        };
        auto body = b.open({Kind::I64});
        b.yield({b.load(in, at(body))});
        b.leave();
        const Id most =
            b.fold(length, {b.constant(Kind::F32, 0xff800000)}, {Combine::FMax}, body)[0];
        body = b.open({Kind::I64});
        const Id d = b.pure(Opcode::Sub, Kind::F32, {b.load(in, at(body)), most});
        b.yield({b.pure(Opcode::Mul, Kind::F32, {d, d}), b.constant(Kind::F32, 0x3f800000)});
        b.leave();
        const auto sums = b.fold(length, {b.constant(Kind::F32, 0), b.constant(Kind::F32, 0)},
                                 {Combine::Add, Combine::Add}, body);
        body = b.open({Kind::I64});
        const Id x = b.load(in, at(body)),
                 y = b.pure(Opcode::Div, Kind::F32,
                            {b.pure(Opcode::Mul, Kind::F32, {x, sums[1]}), sums[0]});
        b.store(out, at(body), y);
        const Id last = b.pure(Opcode::Sub, Kind::I64,
                               {b.pure(Opcode::Add, Kind::I64, {start, length}), b.integer(1)});
        b.store(reversed, b.pure(Opcode::Sub, Kind::I64, {last, b.param(body, 0)}), y);
        b.leave();
        b.for_each(length, body);
        const int64_t points = 3;
        std::vector<float> xs;
        for (int64_t p = 0; p < n * points; ++p)
          xs.push_back(static_cast<float>(std::sin(p) + 0.1));
        Run run{{raw(xs), zeros(Storage::F32, n * points), zeros(Storage::F16, n * points)},
                {n},
                {0, 1, 0, points}};
        INFO(t.cpu << " n=" << n << " schedule=" << static_cast<int>(v));
        CHECK(difference(b.finish(1, 1, v), run, t) == "");
      }
}

}  // namespace weft::compiler
