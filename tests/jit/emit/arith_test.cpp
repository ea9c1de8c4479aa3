// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/arith_test.cpp: every arithmetic instruction on edge values, and every storage.
#include "jit/emit/compare.h"
#include "jit/schedule/choose/choose.h"

namespace weft::compiler {
namespace {

Storage storage_of(Kind k) {
  switch (k) {
    case Kind::Mask: return Storage::Bool;
    case Kind::I8: return Storage::I8;
    case Kind::I16: return Storage::I16;
    case Kind::I32: return Storage::I32;
    case Kind::I64: return Storage::I64;
    case Kind::F32: return Storage::F32;
    default: return Storage::F64;
  }
}

// Computes out[i] = op(in0[i], in1[i], ...).
nest::Kernel elementwise(Opcode op, Kind result, const std::vector<Kind>& args, Vector v) {
  Builder b("elementwise");
  std::vector<Id> x;
  for (Kind k : args) {
    const int in = b.buffer(storage_of(k), false);
    x.push_back(b.load(in, b.index(0)));
  }
  const Id y = x.size() == 1   ? b.pure(op, result, {x[0]})
               : x.size() == 2 ? b.pure(op, result, {x[0], x[1]})
                               : b.pure(op, result, {x[0], x[1], x[2]});
  const int out = b.buffer(storage_of(result), true);
  b.store(out, b.index(0), y);
  return b.finish(1, 0, v);
}

void check(Opcode op, Kind result, const std::vector<Kind>& args) {
  for (const TargetInfo& t : targets())
    for (auto v : {Vector::grid, Vector::none}) {
      const nest::Kernel k = elementwise(op, result, args, v);
      Run run;
      const int64_t n = 509;
      unsigned seed = 1;
      for (Kind a : args) run.contents.push_back(patterns(storage_of(a), n, seed++));
      run.contents.push_back(zeros(storage_of(result), n));
      run.range = {0, 1, 0, n};
      INFO(t.cpu);
      CHECK(difference(k, run, t) == "");
    }
}

const std::vector<Kind> integers{Kind::I8, Kind::I16, Kind::I32, Kind::I64},
    floats{Kind::F32, Kind::F64};

}  // namespace

TEST_CASE("integer arithmetic", "[jit][arith]") {
  for (Kind k : integers) {
    for (auto op :
         {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::SMin, Opcode::SMax, Opcode::UMin,
          Opcode::UMax, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::MulHiS, Opcode::MulHiU})
      check(op, k, {k, k});
    for (auto op : {Opcode::Neg, Opcode::Not, Opcode::Popcount, Opcode::Clz}) check(op, k, {k});
    for (auto op : {Opcode::Eq, Opcode::Ne, Opcode::SLt, Opcode::SLe, Opcode::ULt, Opcode::ULe})
      check(op, Kind::Mask, {k, k});
  }
}

TEST_CASE("integer division is total", "[jit][arith]") {
  for (Kind k : integers)
    for (auto op : {Opcode::SDiv, Opcode::UDiv, Opcode::SRem, Opcode::URem}) check(op, k, {k, k});
}

TEST_CASE("shifts past the width", "[jit][arith]") {
  for (Kind k : integers)
    for (auto op : {Opcode::Shl, Opcode::Shr, Opcode::Sar}) check(op, k, {k, k});
}

TEST_CASE("float arithmetic", "[jit][arith]") {
  for (Kind k : floats) {
    for (auto op : {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Div, Opcode::FMin, Opcode::FMax})
      check(op, k, {k, k});
    for (auto op : {Opcode::Neg, Opcode::Sqrt, Opcode::Abs, Opcode::Floor, Opcode::Ceil,
                    Opcode::Trunc, Opcode::RoundEven})
      check(op, k, {k});
    for (auto op : {Opcode::Eq, Opcode::Ne, Opcode::Lt, Opcode::Le}) check(op, Kind::Mask, {k, k});
    check(Opcode::Fma, k, {k, k, k});
    check(Opcode::Rem, k, {k, k});
  }
  check(Opcode::RoundBF16, Kind::F32, {Kind::F32});
  check(Opcode::RoundF16, Kind::F32, {Kind::F32});
}

namespace {
// Pairs (x, y): x is a multiple of y, or one of the neighbours of a multiple. Some are subnormal.
template <class T>
void check_remainders() {
  constexpr int digits = std::numeric_limits<T>::digits;
  std::mt19937_64 g(11);
  std::vector<T> x, y;
  for (int i = 0; i < 4096; ++i) {
    const int exponent =
        i % 4 == 0 ? std::numeric_limits<T>::min_exponent - 3 : static_cast<int>(g() % 60) - 30;
    const T unit = std::ldexp(static_cast<T>(g() >> (64 - digits)), exponent - digits);
    const T times = static_cast<T>(g() >> (64 - 1 - static_cast<int>(g() % (digits + 1))));
    T top = unit * times;
    for (auto k = g() % 3; k > 0; --k) top = std::nextafter(top, g() % 2 ? T(0) : unit + top);
    x.push_back(g() % 2 ? top : -top);
    y.push_back(g() % 2 ? unit : -unit);
  }
  const Kind kind = sizeof(T) == 4 ? Kind::F32 : Kind::F64;
  const auto n = static_cast<int64_t>(x.size());
  const Run run{{raw(x), raw(y), zeros(storage_of(kind), n)}, {}, {0, 1, 0, n}};
  for (const TargetInfo& t : targets())
    for (auto v : {Vector::grid, Vector::none}) {
      INFO(t.cpu);
      CHECK(difference(elementwise(Opcode::Rem, kind, {kind, kind}, v), run, t) == "");
    }
}
}  // namespace

TEST_CASE("remainders at multiples and beside them", "[jit][arith]") {
  check_remainders<float>();
  check_remainders<double>();
}

TEST_CASE("minima and maxima with numbers", "[jit][arith]") {
  const auto number = [](Builder& b, Kind k, double x) {
    return k == Kind::F32 ? b.constant(k, std::bit_cast<uint32_t>(static_cast<float>(x)))
                          : b.constant(k, std::bit_cast<uint64_t>(x));
  };
  const double inf = std::numeric_limits<double>::infinity();
  for (Kind k : floats)
    for (double x : {0., -0., 1., -2.5, inf, -inf, std::nan("")})
      for (auto op : {Opcode::FMin, Opcode::FMax})
        for (bool left : {false, true}) {
          Builder b("extreme");
          const Id v = b.load(b.buffer(storage_of(k), false), b.index(0)), c = number(b, k, x);
          b.store(b.buffer(storage_of(k), true), b.index(0),
                  left ? b.pure(op, k, {c, v}) : b.pure(op, k, {v, c}));
          const nest::Kernel kernel = b.finish(1, 0, Vector::grid);
          const int64_t n = 509;
          const Run run{{patterns(storage_of(k), n, 1), zeros(storage_of(k), n)}, {}, {0, 1, 0, n}};
          for (const TargetInfo& t : targets()) CHECK(difference(kernel, run, t) == "");
        }
}

TEST_CASE("masks and selects", "[jit][arith]") {
  for (auto op : {Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Eq, Opcode::Ne})
    check(op, Kind::Mask, {Kind::Mask, Kind::Mask});
  check(Opcode::Not, Kind::Mask, {Kind::Mask});
  for (Kind k : {Kind::Mask, Kind::I8, Kind::I16, Kind::I32, Kind::I64, Kind::F32, Kind::F64})
    check(Opcode::Select, k, {Kind::Mask, k, k});
  for (Kind k : integers) check(Opcode::MaskToInt, k, {Kind::Mask});
}

TEST_CASE("conversions saturate", "[jit][arith]") {
  for (Kind f : floats)
    for (Kind i : integers) {
      check(Opcode::FToS, i, {f});
      check(Opcode::FToU, i, {f});
      check(Opcode::SToF, f, {i});
      check(Opcode::UToF, f, {i});
    }
  check(Opcode::FConv, Kind::F64, {Kind::F32});
  check(Opcode::FConv, Kind::F32, {Kind::F64});
  for (size_t a = 0; a < integers.size(); ++a)
    for (size_t b = a + 1; b < integers.size(); ++b) {
      check(Opcode::SExt, integers[b], {integers[a]});
      check(Opcode::ZExt, integers[b], {integers[a]});
      check(Opcode::Narrow, integers[a], {integers[b]});
    }
  check(Opcode::Bitcast, Kind::I32, {Kind::F32});
  check(Opcode::Bitcast, Kind::F32, {Kind::I32});
  check(Opcode::Bitcast, Kind::I64, {Kind::F64});
  check(Opcode::Bitcast, Kind::F64, {Kind::I64});
}

TEST_CASE("every storage is read and written", "[jit][arith]") {
  for (Storage s : {Storage::Bool, Storage::I8, Storage::I16, Storage::I32, Storage::I64,
                    Storage::BF16, Storage::F16, Storage::F32, Storage::F64})
    for (const TargetInfo& t : targets())
      for (int64_t n : grid_sizes)
        for (int64_t stride : {1, -1, 2, 3}) {
          // Copies in[first + i * stride] to out[i], and back, which tests gathers, reversals and
          // scatters.
          Builder b("copy");
          const int in = b.buffer(s, false), out = b.buffer(s, true), spread = b.buffer(s, true);
          const Id i = b.index(0);
          const Id at = b.pure(Opcode::Add, Kind::I64,
                               {b.integer(stride < 0 ? 508 : 0),
                                b.pure(Opcode::Mul, Kind::I64, {i, b.integer(stride)})});
          const Id x = b.load(in, at);
          b.store(out, i, x);
          b.store(spread, at, x);
          const nest::Kernel k = b.finish(1, 0, Vector::grid);
          Run run;
          run.contents = {
              patterns(s, std::max<int64_t>(stride < 0 ? 509 : (n - 1) * stride + 1, 0), 3),
              zeros(s, n), zeros(s, 509 * 3)};
          run.range = {0, 1, 0, n};
          INFO(t.cpu << " n=" << n << " stride=" << stride << " storage=" << static_cast<int>(s));
          CHECK(difference(k, run, t) == "");
        }
  // The narrow floats round every float correctly.
  for (Storage s : {Storage::BF16, Storage::F16})
    for (const TargetInfo& t : targets()) {
      Builder b("round");
      const int in = b.buffer(Storage::F32, false), out = b.buffer(s, true);
      b.store(out, b.index(0), b.load(in, b.index(0)));
      Run run{{patterns(Storage::F32, 4099, 5), zeros(s, 4099)}, {}, {0, 1, 0, 4099}};
      CHECK(difference(b.finish(1, 0, Vector::grid), run, t) == "");
    }
}

TEST_CASE("two grid axes, run-time strides, division of the index", "[jit][arith]") {
  for (auto v : {Vector::grid, Vector::none, Vector::inner})
    for (const TargetInfo& t : targets())
      for (int64_t columns : {1, 3, 16, 40}) {
        Builder b("transpose");
        const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true),
                  quotient = b.buffer(Storage::I64, true);
        const Id i = b.index(0), j = b.index(1), rows = b.extent(0), cols = b.extent(1);
        const auto op = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::I64, {x, y}); };
        const Id flat = op(Opcode::Add, op(Opcode::Mul, i, cols), j);
        const Id x = b.load(in, op(Opcode::Add, op(Opcode::Mul, j, rows), i)), row = b.load(in, i),
                 column = b.load(in, j);
        b.store(out, flat,
                b.pure(Opcode::Add, Kind::F32, {b.pure(Opcode::Mul, Kind::F32, {x, row}), column}));
        const Id three = b.integer(3), d = op(Opcode::Add, i, b.integer(1));
        b.store(quotient, flat,
                op(Opcode::Add,
                   op(Opcode::Mul, op(Opcode::UDiv, flat, three), op(Opcode::SRem, flat, d)),
                   op(Opcode::Shl, op(Opcode::SDiv, flat, rows), three)));
        const nest::Kernel k = b.finish(2, 2, v);
        const int64_t n = 5;
        Run run{{patterns(Storage::F32, n * columns, 9), zeros(Storage::F32, n * columns),
                 zeros(Storage::I64, n * columns)},
                {n, columns},
                {0, n, 0, columns}};
        INFO(t.cpu << " columns=" << columns);
        CHECK(difference(k, run, t) == "");
        run.range = {1, 4, 1, columns};
        CHECK(difference(k, run, t) == "");
      }
}

TEST_CASE("gathers by offsets of 32 and of 64 bits", "[jit][arith]") {
  for (const TargetInfo& t : targets())
    for (auto storage : {Storage::F32, Storage::F64, Storage::I8}) {
      Builder b("gather");
      const int where = b.buffer(Storage::I32, false), in = b.buffer(storage, false),
                out = b.buffer(storage, true), far = b.buffer(Storage::I64, false);
      const Id i = b.index(0), j = b.index(1), n = b.extent(0);
      const auto op = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::I64, {x, y}); };
      // The indices are clamped as in a gather: in[i][clamp(where[j], 0, n - 1)] and in[far[j]].
      // Stores use the same indices.
      const Id wild = b.pure(Opcode::SExt, Kind::I64, {b.load(where, j)});
      const Id at =
          op(Opcode::SMin, op(Opcode::SMax, wild, b.integer(0)), op(Opcode::Sub, n, b.integer(1)));
      const Id flat = op(Opcode::Add, op(Opcode::Mul, i, n), j), row = op(Opcode::Mul, i, n);
      const Id x = b.load(in, op(Opcode::Add, row, at)), y = b.load(in, at),
               z = b.load(in, b.load(far, j));
      b.store(out, op(Opcode::Add, flat, b.integer(0)), x);
      b.store(
          out,
          op(Opcode::Add, op(Opcode::Mul, b.extent(1), n), op(Opcode::Add, row, b.load(far, j))),
          y);
      b.store(out,
              op(Opcode::Add, op(Opcode::Mul, op(Opcode::Mul, b.extent(1), b.integer(2)), n), flat),
              z);
      const nest::Kernel k = b.finish(2, 2, Vector::grid);
      const int64_t rows = 3;
      for (int64_t columns : {1, 16, 53}) {
        std::vector<int64_t> turned;
        for (int64_t c = 0; c < columns; ++c) turned.push_back(columns - 1 - c);
        Run run{{patterns(Storage::I32, columns, 3), patterns(storage, rows * columns, 4),
                 zeros(storage, 3 * rows * columns), raw(turned)},
                {columns, rows},
                {0, rows, 0, columns}};
        INFO(t.cpu << " columns=" << columns);
        CHECK(difference(k, run, t) == "");
      }
    }
}

// LLVM once took a minute for a kernel of 256 loads that had a branch for each vector element of
// each load.
TEST_CASE("lanes that gather narrow numbers do not branch one by one", "[jit][arith]") {
  for (const TargetInfo& t : targets())
    for (auto storage : {Storage::I8, Storage::I16}) {
      Builder b("narrow");
      const int in = b.buffer(storage, false), out = b.buffer(Storage::F32, true);
      const Id i = b.index(0), five = b.integer(5);
      const Id x = b.load(in, b.pure(Opcode::Mul, Kind::I64, {i, five}));
      b.store(out, i, b.pure(Opcode::SToF, Kind::F32, {x}));
      const nest::Kernel k = b.finish(1, 0, Vector::grid);
      const std::string code = compile(k, choose_schedule(k, t), t)->assembly();
      int branches = 0;
      for (size_t at = 0; (at = code.find("\tj", at)) != code.npos; ++at)
        branches += code.compare(at, 4, "\tjmp") != 0;
      INFO(t.cpu << "\n" << code);
      CHECK(branches < 12);
    }
}

TEST_CASE("division of a grid index by every small number", "[jit][arith]") {
  for (const TargetInfo& t : targets()) {
    Builder b("index");
    const int out = b.buffer(Storage::I64, true);
    const Id i = b.index(0), d = b.extent(0),
             shifted = b.pure(Opcode::Add, Kind::I64, {i, b.extent(1)});
    int64_t slot = 0;
    for (auto op : {Opcode::SDiv, Opcode::UDiv, Opcode::SRem, Opcode::URem}) {
      const Id at = b.pure(Opcode::Add, Kind::I64,
                           {b.pure(Opcode::Mul, Kind::I64, {i, b.integer(4)}), b.integer(slot++)});
      b.store(out, at, b.pure(op, Kind::I64, {shifted, d}));
    }
    const nest::Kernel k = b.finish(1, 2, Vector::grid);
    for (int interleave : {1, 2})
      for (int64_t divisor : {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 100, 1 << 30})
        for (int64_t start : {int64_t{0}, int64_t{13}, (int64_t{1} << 40) - 20}) {
          INFO(t.cpu << " d=" << divisor << " start=" << start);
          CHECK(difference(k, Run{{zeros(Storage::I64, 4 * 75)}, {divisor, start}, {0, 1, 0, 75}},
                           t, {Options::Use::automatic, interleave}) == "");
        }
  }
}

}  // namespace weft::compiler
