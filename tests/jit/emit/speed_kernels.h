// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/speed_kernels.h: kernels whose speed is known from hand-written code.
#pragma once
#include "jit/emit/compare.h"

namespace weft::compiler {

struct Floats : Builder {
  using Builder::Builder;
  Id f(float x) { return constant(Kind::F32, std::bit_cast<uint32_t>(x)); }
  Id op(Opcode o, Id a, Id b) { return pure(o, Kind::F32, {a, b}); }
  Id add(Id a, Id b) { return op(Opcode::Add, a, b); }
  Id sub(Id a, Id b) { return op(Opcode::Sub, a, b); }
  Id mul(Id a, Id b) { return op(Opcode::Mul, a, b); }
  Id fma(Id a, Id b, Id c) { return pure(Opcode::Fma, Kind::F32, {a, b, c}); }
  Id less(Id a, Id b) { return pure(Opcode::Lt, Kind::Mask, {a, b}); }
  Id in() { return load(buffer(Storage::F32, false), index(0)); }
};

inline nest::Kernel speed_mandelbrot() {
  Floats b("mandelbrot");
  const Id re = b.in(), im = b.in();
  const std::vector<Kind> kinds{Kind::F32, Kind::F32, Kind::I32};
  const auto test = b.open(kinds);
  const Id p = b.param(test, 0), q = b.param(test, 1);
  const Id inside = b.less(b.fma(p, p, b.mul(q, q)), b.f(4));
  b.yield({b.pure(
      Opcode::And, Kind::Mask,
      {inside, b.pure(Opcode::SLt, Kind::Mask, {b.param(test, 2), b.integer(1000, Kind::I32)})})});
  b.leave();
  const auto body = b.open(kinds);
  const Id x = b.param(body, 0), y = b.param(body, 1);
  const Id nx = b.add(b.fma(x, x, b.pure(Opcode::Neg, Kind::F32, {b.mul(y, y)})), re),
           ny = b.fma(b.add(x, x), y, im);
  b.yield({nx, ny, b.pure(Opcode::Add, Kind::I32, {b.param(body, 2), b.integer(1, Kind::I32)})});
  b.leave();
  const auto r = b.loop_while({b.f(0), b.f(0), b.integer(0, Kind::I32)}, test, body);
  b.store(b.buffer(Storage::I32, true), b.index(0), r[2]);
  return b.finish(1, 0, Vector::grid);
}

// Computes (err + 1e-10)^-0.2 by log2 and exp2 on the bits of the float.
inline Id speed_power(Floats& b, Id err) {
  const auto i32 = [&](Opcode o, Id p, Id q) { return b.pure(o, Kind::I32, {p, q}); };
  const auto n32 = [&](int64_t v) { return b.integer(v, Kind::I32); };
  const auto poly = [&](Id x, std::initializer_list<float> c) {
    Id s = nest::no_id;
    for (float k : c) s = s == nest::no_id ? b.f(k) : b.fma(s, x, b.f(k));
    return s;
  };
  const Id bits = b.pure(Opcode::Bitcast, Kind::I32, {b.add(err, b.f(1e-10f))});
  const Id e = b.pure(Opcode::SToF, Kind::F32,
                      {i32(Opcode::Sub, i32(Opcode::Shr, bits, n32(23)), n32(127))});
  const Id m =
      b.sub(b.pure(Opcode::Bitcast, Kind::F32,
                   {i32(Opcode::Or, i32(Opcode::And, bits, n32(0x7fffff)), n32(0x3f800000))}),
            b.f(1));
  const Id log2 =
      b.fma(poly(m, {-0.0258411228f, 0.1211796f, -.2776f, .4555f, -.7165f, 1.4425f}), m, e);
  const Id x = b.mul(b.f(-.2f), log2), whole = b.pure(Opcode::RoundEven, Kind::F32, {x}),
           rest = b.sub(x, whole);
  const Id scale =
      b.pure(Opcode::Bitcast, Kind::F32,
             {i32(Opcode::Shl, i32(Opcode::Add, b.pure(Opcode::FToS, Kind::I32, {whole}), n32(127)),
                  n32(23))});
  return b.mul(poly(rest, {0.0013333f, .0096181f, .0555041f, .2402265f, .6931472f, 1.f}), scale);
}

// Solves Van der Pol's equation by Dormand and Prince until t = 10. Every lane has its own step
// length. The power of the step control is exp2(-0.2 log2 e) by short polynomials, as in the
// hand-written kernel.
inline nest::Kernel speed_rk45() {
  Floats b("rk45");
  const Id mu = b.in(), y0 = b.in(), z0 = b.in();
  const std::vector<Kind> kinds{Kind::F32, Kind::F32, Kind::F32, Kind::F32, Kind::I32};
  const auto test = b.open(kinds);
  b.yield(
      {b.pure(Opcode::And, Kind::Mask,
              {b.less(b.param(test, 0), b.f(10)),
               b.pure(Opcode::SLt, Kind::Mask, {b.param(test, 4), b.integer(20000, Kind::I32)})})});
  b.leave();
  const auto body = b.open(kinds);
  const Id t = b.param(body, 0), y = b.param(body, 1), z = b.param(body, 2);
  const Id h = b.op(Opcode::FMin, b.param(body, 3), b.sub(b.f(10), t));
  Id ky[8], kz[8];
  const auto slope = [&](int s, Id yy, Id zz) {
    ky[s] = zz;
    kz[s] =
        b.fma(mu, b.mul(b.sub(b.f(1), b.mul(yy, yy)), zz), b.pure(Opcode::Neg, Kind::F32, {yy}));
  };
  const auto sum = [&](const Id* k, std::initializer_list<std::pair<int, float>> terms) {
    Id s = nest::no_id;
    for (auto [stage, c] : terms)
      s = s == nest::no_id ? b.mul(b.f(c), k[stage]) : b.fma(b.f(c), k[stage], s);
    return s;
  };
  const auto stage = [&](int s, std::initializer_list<std::pair<int, float>> terms) {
    slope(s, b.fma(h, sum(ky, terms), y), b.fma(h, sum(kz, terms), z));
  };
  slope(1, y, z);
  stage(2, {{1, .2f}});
  stage(3, {{1, .075f}, {2, .225f}});
  stage(4, {{1, 44 / 45.f}, {2, -56 / 15.f}, {3, 32 / 9.f}});
  stage(5, {{1, 19372 / 6561.f}, {2, -25360 / 2187.f}, {3, 64448 / 6561.f}, {4, -212 / 729.f}});
  stage(6, {{1, 9017 / 3168.f},
            {2, -355 / 33.f},
            {3, 46732 / 5247.f},
            {4, 49 / 176.f},
            {5, -5103 / 18656.f}});
  const std::initializer_list<std::pair<int, float>> last{
      {1, 35 / 384.f}, {3, 500 / 1113.f}, {4, 125 / 192.f}, {5, -2187 / 6784.f}, {6, 11 / 84.f}};
  const Id yn = b.fma(h, sum(ky, last), y), zn = b.fma(h, sum(kz, last), z);
  slope(7, yn, zn);
  const std::initializer_list<std::pair<int, float>> wrong{
      {1, 71 / 57600.f},      {3, -71 / 16695.f}, {4, 71 / 1920.f},
      {5, -17253 / 339200.f}, {6, 22 / 525.f},    {7, -1 / 40.f}};
  const auto abs = [&](Id x) { return b.pure(Opcode::Abs, Kind::F32, {x}); };
  const auto scaled = [&](Id e, Id from, Id to) {
    const Id size = b.op(Opcode::FMax, abs(from), abs(to));
    return b.op(Opcode::Div, b.mul(h, e), b.fma(b.f(1e-5f), size, b.f(1e-5f)));
  };
  const Id ey = scaled(sum(ky, wrong), y, yn), ez = scaled(sum(kz, wrong), z, zn);
  const Id err = b.pure(Opcode::Sqrt, Kind::F32, {b.mul(b.f(.5f), b.fma(ey, ey, b.mul(ez, ez)))});
  const Id ok = b.pure(Opcode::Le, Kind::Mask, {err, b.f(1)});
  const Id exp2 = speed_power(b, err);
  const Id hn =
      b.mul(h, b.op(Opcode::FMin, b.op(Opcode::FMax, b.mul(b.f(.9f), exp2), b.f(.2f)), b.f(5)));
  const auto pick = [&](Id yes, Id no) { return b.pure(Opcode::Select, Kind::F32, {ok, yes, no}); };
  b.yield({pick(b.add(t, h), t), pick(yn, y), pick(zn, z), hn,
           b.pure(Opcode::Add, Kind::I32, {b.param(body, 4), b.integer(1, Kind::I32)})});
  b.leave();
  const auto r = b.loop_while({b.f(0), y0, z0, b.f(.01f), b.integer(0, Kind::I32)}, test, body);
  b.store(b.buffer(Storage::F32, true), b.index(0), b.add(r[1], r[2]));
  return b.finish(1, 0, Vector::grid);
}

// Computes the square root by Newton's method, with four to eight trips of six instructions.
inline nest::Kernel speed_newton() {
  Floats b("newton");
  const Id a = b.in();
  const auto test = b.open({Kind::F32, Kind::F32});
  b.yield({b.less(b.f(1e-6f), b.pure(Opcode::Abs, Kind::F32, {b.param(test, 1)}))});
  b.leave();
  const auto body = b.open({Kind::F32, Kind::F32});
  const Id x = b.param(body, 0), next = b.mul(b.f(.5f), b.add(x, b.op(Opcode::Div, a, x)));
  b.yield({next, b.sub(next, x)});
  b.leave();
  const auto r = b.loop_while({a, b.f(1)}, test, body);
  b.store(b.buffer(Storage::F32, true), b.index(0), r[0]);
  return b.finish(1, 0, Vector::grid);
}

// Solves x'' = -x by Euler's method with 200 steps in every lane: a chain of dependent operations.
inline nest::Kernel speed_euler() {
  Floats b("euler");
  const Id x0 = b.in();
  const auto body = b.open({Kind::I64, Kind::F32, Kind::F32});
  const Id x = b.param(body, 1), v = b.fma(b.f(-.01f), x, b.param(body, 2));
  b.yield({b.fma(b.f(.01f), v, x), v});
  b.leave();
  const auto r = b.loop(b.integer(0), b.integer(200), 1, {x0, b.f(0)}, body);
  b.store(b.buffer(Storage::F32, true), b.index(0), r[0]);
  return b.finish(1, 0, Vector::grid);
}

inline nest::Kernel speed_row_sum(Vector v) {
  Builder b("row_sum");
  const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true);
  const Id n = b.extent(0), i = b.index(0), start = b.pure(Opcode::Mul, Kind::I64, {i, n});
  const auto body = b.open({Kind::I64});
  b.yield({b.load(in, b.pure(Opcode::Add, Kind::I64, {start, b.param(body, 0)}))});
  b.leave();
  b.store(out, i, b.fold(n, {b.constant(Kind::F32, 0)}, {Combine::Add}, body)[0]);
  return b.finish(1, 2, v);
}

inline nest::Kernel speed_matmul(Vector v) {
  Builder b("matmul");
  const int x = b.buffer(Storage::F32, false), y = b.buffer(Storage::F32, false),
            out = b.buffer(Storage::F32, true);
  const Id n = b.extent(0), i = b.index(0), j = b.index(1);
  const auto op = [&](Opcode o, Id p, Id q) { return b.pure(o, Kind::I64, {p, q}); };
  const Id row = op(Opcode::Mul, i, n);
  const auto body = b.open({Kind::I64});
  const Id k = b.param(body, 0);
  b.yield({b.pure(
      Opcode::Mul, Kind::F32,
      {b.load(x, op(Opcode::Add, row, k)), b.load(y, op(Opcode::Add, op(Opcode::Mul, k, n), j))})});
  b.leave();
  b.store(out, op(Opcode::Add, row, j),
          b.fold(n, {b.constant(Kind::F32, 0)}, {Combine::Add}, body)[0]);
  return b.finish(2, 1, v);
}

// Computes the Cholesky factor of an n x n matrix in every lane, in a per-lane array.
inline nest::Kernel speed_cholesky(int64_t n) {
  Floats b("cholesky");
  const int in = b.buffer(Storage::F32, false), out = b.buffer(Storage::F32, true);
  const auto i64 = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::I64, {x, y}); };
  const Id start = i64(Opcode::Mul, b.index(0), b.integer(n * n)), zero = b.integer(0),
           size = b.integer(n), one = b.integer(1);
  const Id l = b.local(Kind::F32, n * n);
  const auto at = [&](Id i, Id j) { return i64(Opcode::Add, i64(Opcode::Mul, i, size), j); };
  const auto each = [&](Id lo, Id hi, auto f) {
    const auto body = b.open({Kind::I64});
    f(b.param(body, 0));
    b.leave();
    b.loop(lo, hi, 1, {}, body);
  };
  // Returns s - sum over k < j of l[i, k] * l[j, k].
  const auto rest = [&](Id i, Id j) {
    const auto body = b.open({Kind::I64, Kind::F32});
    const Id k = b.param(body, 0);
    const Id minus = b.pure(Opcode::Neg, Kind::F32, {b.local_load(l, at(i, k))});
    b.yield({b.fma(minus, b.local_load(l, at(j, k)), b.param(body, 1))});
    b.leave();
    return b.loop(zero, j, 1, {b.local_load(l, at(i, j))}, body)[0];
  };
  each(zero, size, [&](Id i) {
    each(zero, i64(Opcode::Add, i, one),
         [&](Id j) { b.local_store(l, at(i, j), b.load(in, i64(Opcode::Add, start, at(i, j)))); });
  });
  each(zero, size, [&](Id j) {
    const Id d = b.pure(Opcode::Sqrt, Kind::F32, {rest(j, j)}),
             inverse = b.op(Opcode::Div, b.f(1), d);
    b.local_store(l, at(j, j), d);
    each(i64(Opcode::Add, j, one), size,
         [&](Id i) { b.local_store(l, at(i, j), b.mul(rest(i, j), inverse)); });
  });
  each(zero, size, [&](Id i) {
    each(zero, size, [&](Id j) {
      const auto yes = b.open_branch();
      b.yield({b.local_load(l, at(i, j))});
      b.leave();
      const auto no = b.open_branch();
      b.yield({b.f(0)});
      b.leave();
      b.store(out, i64(Opcode::Add, start, at(i, j)),
              b.branch(b.pure(Opcode::SLe, Kind::Mask, {j, i}), yes, no)[0]);
    });
  });
  return b.finish(1, 0, Vector::grid);
}

// Computes a * b + c. `salt` makes a distinct kernel.
inline nest::Kernel speed_elementwise(int salt) {
  Floats b("elementwise");
  Id y = b.add(b.mul(b.in(), b.in()), b.in());
  if (salt) y = b.add(y, b.f(static_cast<float>(salt)));
  b.store(b.buffer(Storage::F32, true), b.index(0), y);
  return b.finish(1, 0, Vector::grid);
}

}  // namespace weft::compiler
