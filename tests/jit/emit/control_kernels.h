// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/control_kernels.h: kernels with control flow, used on the CPU and for PTX. Each
// reads buffer 0 (I32 or F32, one element per point) and writes buffer 1.
#pragma once
#include <functional>

#include "jit/emit/compare.h"

namespace weft::compiler {

inline Run control_run(const nest::Kernel& k, int64_t n) {
  std::mt19937 g(7);
  Run run;
  std::vector<float> f;
  std::vector<int32_t> i;
  for (int64_t p = 0; p < n; ++p) {
    i.push_back(static_cast<int32_t>(g() % 97));
    f.push_back(std::uniform_real_distribution<float>(-2, 1)(g));
  }
  run.contents.push_back(k.buffers[0].storage == Storage::F32 ? raw(f) : raw(i));
  run.contents.push_back(zeros(k.buffers[1].storage, n));
  run.extents = {n};
  run.range = {0, 1, 0, n};
  return run;
}

struct Unary : Builder {
  int in, out;
  Id i, x;
  Unary(const char* name, Storage from, Storage to) : Builder(name) {
    in = buffer(from, false);
    out = buffer(to, true);
    i = index(0);
    x = load(in, i);
  }
  nest::Kernel done(Id y, Vector v) {
    store(out, i, y);
    return finish(1, 1, v);
  }
  Id c(int64_t v) { return integer(v, Kind::I32); }
  Id op(Opcode o, Id a, Id b2) { return pure(o, kind(a), {a, b2}); }
  Id test(Opcode o, Id a, Id b2) { return pure(o, Kind::Mask, {a, b2}); }
};

inline nest::Kernel collatz(Vector v) {
  Unary b("collatz", Storage::I32, Storage::I32);
  const Id start = b.op(Opcode::Add, b.x, b.c(1));
  const auto test = b.open({Kind::I32, Kind::I32});
  b.yield({b.test(Opcode::Ne, b.param(test, 0), b.c(1))});
  b.leave();
  const auto body = b.open({Kind::I32, Kind::I32});
  const Id m = b.param(body, 0), odd = b.test(Opcode::Ne, b.op(Opcode::And, m, b.c(1)), b.c(0));
  const Id up = b.op(Opcode::Add, b.op(Opcode::Mul, m, b.c(3)), b.c(1)),
           down = b.op(Opcode::Shr, m, b.c(1));
  b.yield({b.pure(Opcode::Select, Kind::I32, {odd, up, down}),
           b.op(Opcode::Add, b.param(body, 1), b.c(1))});
  b.leave();
  const auto r = b.loop_while({start, b.c(0)}, test, body);
  return b.done(b.op(Opcode::Add, r[1], b.op(Opcode::Mul, r[0], b.c(1000))), v);
}

inline nest::Kernel mandelbrot(Vector v) {
  Unary b("mandelbrot", Storage::F32, Storage::I32);
  const auto f = [&](float x) { return b.constant(Kind::F32, std::bit_cast<uint32_t>(x)); };
  const Id cy = b.op(Opcode::Mul, b.x, f(0.25f));
  const std::vector<Kind> kinds{Kind::F32, Kind::F32, Kind::I32};
  const auto test = b.open(kinds);
  const Id p = b.param(test, 0), q = b.param(test, 1);
  const Id size = b.op(Opcode::Add, b.op(Opcode::Mul, p, p), b.op(Opcode::Mul, q, q));
  b.yield({b.op(Opcode::And, b.test(Opcode::Lt, size, f(4)),
                b.test(Opcode::SLt, b.param(test, 2), b.c(300)))});
  b.leave();
  const auto body = b.open(kinds);
  const Id a = b.param(body, 0), c = b.param(body, 1);
  const Id na =
      b.op(Opcode::Add, b.op(Opcode::Sub, b.op(Opcode::Mul, a, a), b.op(Opcode::Mul, c, c)), b.x);
  const Id nc = b.op(Opcode::Add, b.op(Opcode::Mul, b.op(Opcode::Add, a, a), c), cy);
  b.yield({na, nc, b.op(Opcode::Add, b.param(body, 2), b.c(1))});
  b.leave();
  const auto r = b.loop_while({f(0), f(0), b.c(0)}, test, body);
  return b.done(r[2], v);
}

// for t < 5: if (x & (1 << t)) s = while (s % 7 != t) s += t + 1; else s += x
inline nest::Kernel nested(Vector v) {
  Unary b("nested", Storage::I32, Storage::I32);
  const auto body = b.open({Kind::I64, Kind::I32});
  const Id t = b.pure(Opcode::Narrow, Kind::I32, {b.param(body, 0)}), s = b.param(body, 1);
  const Id bit = b.op(Opcode::And, b.x, b.op(Opcode::Shl, b.c(1), t));
  const auto yes = b.open_branch();
  const auto test = b.open({Kind::I32, Kind::I32});
  const Id more = b.test(Opcode::Ne, b.op(Opcode::SRem, b.param(test, 0), b.c(7)), t);
  b.yield({b.op(Opcode::And, more, b.test(Opcode::SLt, b.param(test, 1), b.c(40)))});
  b.leave();
  const auto step = b.open({Kind::I32, Kind::I32});
  b.yield({b.op(Opcode::Add, b.param(step, 0), b.op(Opcode::Add, t, b.c(1))),
           b.op(Opcode::Add, b.param(step, 1), b.c(1))});
  b.leave();
  const auto inner = b.loop_while({s, b.c(0)}, test, step);
  b.yield({inner[0]});
  b.leave();
  const auto no = b.open_branch();
  b.yield({b.op(Opcode::Add, s, b.x)});
  b.leave();
  const auto r = b.branch(b.test(Opcode::Ne, bit, b.c(0)), yes, no);
  b.yield({r[0]});
  b.leave();
  const auto out = b.loop(b.integer(0), b.integer(5), 1, {b.x}, body);
  return b.done(out[0], v);
}

// The condition x > 1000 is never true, so that its endless loop does not run.
inline nest::Kernel endless_branch(Vector v) {
  Unary b("endless", Storage::I32, Storage::I32);
  const auto yes = b.open_branch();
  const auto test = b.open({Kind::I32});
  b.yield({b.test(Opcode::SLt, b.c(0), b.op(Opcode::Or, b.param(test, 0), b.c(1)))});
  b.leave();
  const auto body = b.open({Kind::I32});
  b.yield({b.op(Opcode::And, b.op(Opcode::Add, b.param(body, 0), b.x), b.c(0xff))});
  b.leave();
  const auto r = b.loop_while({b.x}, test, body);
  b.yield({r[0]});
  b.leave();
  const auto no = b.open_branch();
  b.yield({b.op(Opcode::Mul, b.x, b.x)});
  b.leave();
  const auto r2 = b.branch(b.test(Opcode::SLt, b.c(1000), b.x), yes, no);
  return b.done(r2[0], v);
}

// Sums over j in [i % 5, x), ascending: s = s + j * j - s / 3. Then the same, descending from x to
// i % 5.
inline nest::Kernel triangle(Vector v) {
  Unary b("triangle", Storage::I32, Storage::I32);
  const Id lo = b.pure(Opcode::URem, Kind::I64, {b.i, b.integer(5)}),
           hi = b.pure(Opcode::SExt, Kind::I64, {b.x});
  Id s = b.c(0);
  for (int step : {1, -1}) {
    const auto body = b.open({Kind::I64, Kind::I32});
    const Id j = b.pure(Opcode::Narrow, Kind::I32, {b.param(body, 0)});
    b.yield({b.op(Opcode::Sub, b.op(Opcode::Add, b.param(body, 1), b.op(Opcode::Mul, j, j)),
                  b.op(Opcode::SDiv, b.param(body, 1), b.c(3)))});
    b.leave();
    s = b.loop(lo, hi, step, {s}, body)[0];
  }
  // The bounds of all lanes differ from each other by the same amount: the trip count is uniform,
  // and the index is not.
  const auto body = b.open({Kind::I64, Kind::I32});
  b.yield({b.op(Opcode::Xor, b.op(Opcode::Mul, b.param(body, 1), b.c(3)),
                b.pure(Opcode::Narrow, Kind::I32, {b.param(body, 0)}))});
  b.leave();
  s = b.loop(b.i, b.pure(Opcode::Add, Kind::I64, {b.i, b.integer(4)}), 1, {s}, body)[0];
  return b.done(s, v);
}

// Each lane does one of five kinds of work, which a chain of branches chooses. There are a loop, a
// while, and an array of the lane that another branch writes. The others divide the index, or do
// nothing.
inline nest::Kernel kinds(Vector v) {
  Unary b("kinds", Storage::I32, Storage::I32);
  const Id kind = b.op(Opcode::URem, b.x, b.c(5));
  const auto narrow = [&](Id i) { return b.pure(Opcode::Narrow, Kind::I32, {i}); };
  const auto mix = [&](Id s, Id t) { return b.op(Opcode::Xor, b.op(Opcode::Mul, s, b.c(3)), t); };
  const auto loop = [&] {
    const auto body = b.open({Kind::I64, Kind::I32});
    b.yield({mix(b.param(body, 1), narrow(b.param(body, 0)))});
    b.leave();
    return b.loop(b.integer(0), b.integer(9), 1, {b.x}, body)[0];
  };
  const auto steps = [&] {
    const auto test = b.open({Kind::I32, Kind::I32});
    b.yield({b.test(Opcode::SLt, b.c(0), b.param(test, 0))});
    b.leave();
    const auto body = b.open({Kind::I32, Kind::I32});
    b.yield({b.op(Opcode::Sub, b.param(body, 0), b.c(7)), mix(b.param(body, 1), b.param(body, 0))});
    b.leave();
    return b.loop_while({b.x, b.c(1)}, test, body)[1];
  };
  const auto array = [&] {
    const Id last = b.pure(Opcode::Sub, Kind::I64, {b.extent(0), b.integer(1)});
    const Id other = b.load(b.in, b.pure(Opcode::Sub, Kind::I64, {last, b.i}));
    const Id l = b.local(Kind::I32, 4);
    for (int t = 0; t < 4; ++t) b.local_store(l, b.integer(t), b.op(Opcode::Add, other, b.c(t)));
    const Id at =
        b.pure(Opcode::And, Kind::I64, {b.pure(Opcode::SExt, Kind::I64, {b.x}), b.integer(3)});
    const auto odd = b.open_branch();
    b.local_store(l, at, mix(other, b.x));
    b.yield({});
    b.leave();
    const auto even = b.open_branch();
    b.yield({});
    b.leave();
    b.branch(b.test(Opcode::Ne, b.op(Opcode::And, b.x, b.c(1)), b.c(0)), odd, even);
    return b.op(Opcode::Add, b.local_load(l, b.integer(1)), b.local_load(l, at));
  };
  const auto divisions = [&] {
    const Id by = b.pure(Opcode::SDiv, Kind::I64, {b.i, b.integer(7)});
    const Id rest = b.pure(Opcode::SRem, Kind::I64, {b.i, b.extent(0)});
    return mix(narrow(by), narrow(rest));
  };
  const std::vector<std::function<Id()>> sides{loop, steps, array, divisions, [&] { return b.x; }};
  const std::function<Id(size_t)> chain = [&](size_t n) {
    if (n + 1 == sides.size()) return sides[n]();
    const Id here = b.test(Opcode::SLe, kind, b.c(static_cast<int64_t>(n)));
    const auto yes = b.open_branch();
    b.yield({sides[n]()});
    b.leave();
    const auto no = b.open_branch();
    b.yield({chain(n + 1)});
    b.leave();
    return b.branch(here, yes, no)[0];
  };
  return b.done(b.op(Opcode::Add, chain(0), kind), v);
}

// Points of rows that take one of two sides. The condition is a branch itself, and depends on the
// row.
inline nest::Kernel kinds_of_rows() {
  Builder b("kinds_of_rows");
  const int in = b.buffer(Storage::F64, false), out = b.buffer(Storage::F64, true);
  const Id row = b.index(0), column = b.index(1);
  const Id at =
      b.pure(Opcode::Add, Kind::I64, {b.pure(Opcode::Mul, Kind::I64, {row, b.extent(0)}), column});
  const Id x = b.load(in, at);
  const auto f = [&](double y) { return b.constant(Kind::F64, std::bit_cast<uint64_t>(y)); };
  const auto op = [&](Opcode o, Id y, Id z) { return b.pure(o, Kind::F64, {y, z}); };
  const auto side = [&](const std::function<Id()>& write) {
    const auto block = b.open_branch();
    b.yield({write()});
    b.leave();
    return block;
  };
  const auto negative = side([&] { return b.pure(Opcode::Neg, Kind::F64, {x}); });
  const auto positive = side([&] { return op(Opcode::Mul, x, f(0.5)); });
  const Id low = b.branch(b.pure(Opcode::Lt, Kind::Mask, {x, f(0)}), negative, positive)[0];
  const Id limit = op(Opcode::Mul, b.pure(Opcode::SToF, Kind::F64, {row}), f(0.3));
  const auto slow = side([&] {
    const auto body = b.open({Kind::I64, Kind::F64});
    b.yield({b.pure(Opcode::Sqrt, Kind::F64,
                    {op(Opcode::Add, op(Opcode::Mul, b.param(body, 1), x), low)})});
    b.leave();
    return b.loop(b.integer(0), b.integer(20), 1, {f(1)}, body)[0];
  });
  const auto fast = side([&] { return x; });
  const Id y = b.branch(b.pure(Opcode::Lt, Kind::Mask, {low, limit}), slow, fast)[0];
  b.store(out, at, y);
  return b.finish(2, 1, Vector::grid);
}

// Writes 8 elements in order, and one more if x is odd. Each lane reads them back in its own order.
inline nest::Kernel arrays(Vector v) {
  Unary b("arrays", Storage::I32, Storage::I32);
  const Id l = b.local(Kind::I32, 8);
  const auto fill = b.open({Kind::I64});
  b.local_store(l, b.param(fill, 0),
                b.op(Opcode::Add, b.x, b.pure(Opcode::Narrow, Kind::I32, {b.param(fill, 0)})));
  b.leave();
  b.loop(b.integer(0), b.integer(8), 1, {}, fill);
  const Id where =
      b.pure(Opcode::And, Kind::I64, {b.pure(Opcode::SExt, Kind::I64, {b.x}), b.integer(7)});
  const auto yes = b.open_branch();
  b.local_store(l, where, b.c(1000));
  b.local_store(l, b.integer(3), b.c(-5));
  b.yield({});
  b.leave();
  const auto no = b.open_branch();
  b.yield({});
  b.leave();
  b.branch(b.test(Opcode::Ne, b.op(Opcode::And, b.x, b.c(1)), b.c(0)), yes, no);
  const Id flags = b.local(Kind::Mask, 2);
  b.local_store(flags, b.integer(0), b.test(Opcode::SLt, b.x, b.c(50)));
  b.local_store(flags, b.integer(1), b.constant(Kind::Mask, 1));
  const auto body = b.open({Kind::I64, Kind::I32});
  const Id at = b.pure(Opcode::And, Kind::I64,
                       {b.pure(Opcode::Add, Kind::I64, {where, b.param(body, 0)}), b.integer(7)});
  b.yield({b.op(Opcode::Add, b.op(Opcode::Mul, b.param(body, 1), b.c(5)), b.local_load(l, at))});
  b.leave();
  const Id s = b.loop(b.integer(0), b.integer(8), 1, {b.c(0)}, body)[0];
  const Id flag = b.local_load(flags, b.pure(Opcode::And, Kind::I64, {where, b.integer(1)}));
  return b.done(b.pure(Opcode::Select, Kind::I32, {flag, s, b.op(Opcode::Sub, b.c(0), s)}), v);
}

// Each lane writes and reads elements of an array by a clamped number, one of `count`. Some writes
// are by some lanes only.
template <int64_t count, bool wide>
nest::Kernel clamped(Vector v) {
  Unary b("clamped", Storage::I32, Storage::I32);
  constexpr int64_t least = -2, step = 3, first = 1, size = first + step * (count - 1) + 2;
  const Id l = b.local(Kind::I32, size);
  const auto fill = b.open({Kind::I64});
  b.local_store(l, b.param(fill, 0),
                b.op(Opcode::Mul, b.x, b.pure(Opcode::Narrow, Kind::I32, {b.param(fill, 0)})));
  b.leave();
  b.loop(b.integer(0), b.integer(size), 1, {}, fill);
  const auto op = [&](Opcode o, Id x, int64_t y) {
    return b.pure(o, Kind::I64, {x, b.integer(y)});
  };
  Id value = b.pure(Opcode::SExt, Kind::I64, {b.op(Opcode::Sub, b.x, b.c(40))});
  if (wide) value = op(Opcode::Mul, value, int64_t{1} << 31);
  const Id held = op(Opcode::SMin, op(Opcode::SMax, value, least), least + count - 1);
  const Id at = op(Opcode::Add, op(Opcode::Mul, held, step), first - step * least);
  const auto yes = b.open_branch();
  b.local_store(l, at, b.c(1000));
  b.yield({});
  b.leave();
  const auto no = b.open_branch();
  b.yield({});
  b.leave();
  b.branch(b.test(Opcode::Ne, b.op(Opcode::And, b.x, b.c(1)), b.c(0)), yes, no);
  b.local_store(l, op(Opcode::Add, at, 1), b.x);
  const auto body = b.open({Kind::I64, Kind::I32});
  b.yield({b.op(Opcode::Add, b.op(Opcode::Mul, b.param(body, 1), b.c(5)),
                b.local_load(l, b.param(body, 0)))});
  b.leave();
  const Id all = b.loop(b.integer(0), b.integer(size), 1, {b.c(0)}, body)[0];
  return b.done(b.op(Opcode::Add, b.op(Opcode::Mul, all, b.c(3)), b.local_load(l, at)), v);
}

// An array has `count` rows of 20 elements. Each lane changes and sums one row, which a clamped
// number selects, element by element in a loop.
template <int64_t count>
nest::Kernel row_of(Vector v) {
  Unary b("row_of", Storage::I32, Storage::I32);
  constexpr int64_t columns = 20, size = columns * count;
  const Id l = b.local(Kind::I32, size);
  const auto narrow = [&](Id i) { return b.pure(Opcode::Narrow, Kind::I32, {i}); };
  const auto fill = b.open({Kind::I64});
  b.local_store(l, b.param(fill, 0), b.op(Opcode::Mul, b.x, narrow(b.param(fill, 0))));
  b.leave();
  b.loop(b.integer(0), b.integer(size), 1, {}, fill);
  const auto op = [&](Opcode o, Id x, Id y) { return b.pure(o, Kind::I64, {x, y}); };
  const Id wide = b.pure(Opcode::SExt, Kind::I64, {b.op(Opcode::Sub, b.x, b.c(40))});
  const Id row =
      op(Opcode::Mul, op(Opcode::SMin, op(Opcode::SMax, wide, b.integer(0)), b.integer(count - 1)),
         b.integer(columns));
  const auto body = b.open({Kind::I64, Kind::I32});
  const Id at = op(Opcode::Add, row, b.param(body, 0));
  const Id old = b.local_load(l, at);
  b.local_store(l, at, b.op(Opcode::Add, old, narrow(b.param(body, 0))));
  b.yield({b.op(Opcode::Add, b.op(Opcode::Mul, b.param(body, 1), b.c(5)), old)});
  b.leave();
  const Id first = b.loop(b.integer(0), b.integer(columns), 1, {b.c(0)}, body)[0];
  const auto all = b.open({Kind::I64, Kind::I32});
  b.yield({b.op(Opcode::Add, b.op(Opcode::Mul, b.param(all, 1), b.c(3)),
                b.local_load(l, b.param(all, 0)))});
  b.leave();
  return b.done(b.loop(b.integer(0), b.integer(size), 1, {first}, all)[0], v);
}

// A while loop reads and writes an array by a number that was clamped before the loop.
inline nest::Kernel while_clamped(Vector v) {
  Unary b("while_clamped", Storage::I32, Storage::I32);
  const Id l = b.local(Kind::I32, 4);
  for (int t = 0; t < 4; ++t) b.local_store(l, b.integer(t), b.op(Opcode::Add, b.x, b.c(t)));
  const Id wide = b.pure(Opcode::SExt, Kind::I64, {b.op(Opcode::Sub, b.x, b.c(40))});
  const Id low = b.pure(Opcode::SMax, Kind::I64, {wide, b.integer(0)}),
           at = b.pure(Opcode::SMin, Kind::I64, {low, b.integer(3)});
  const auto test = b.open({Kind::I32});
  b.yield({b.test(Opcode::SLt, b.param(test, 0), b.x)});
  b.leave();
  const auto body = b.open({Kind::I32});
  b.local_store(l, at, b.op(Opcode::Add, b.op(Opcode::Mul, b.local_load(l, at), b.c(3)), b.c(1)));
  b.yield({b.op(Opcode::Add, b.param(body, 0), b.c(1))});
  b.leave();
  Id s = b.loop_while({b.c(0)}, test, body)[0];
  for (int j = 0; j < 4; ++j)
    s = b.op(Opcode::Add, b.op(Opcode::Mul, s, b.c(7)), b.local_load(l, b.integer(j)));
  return b.done(s, v);
}

// Two for_eachs write an array, the second one a part of it, and a fold reads it.
inline nest::Kernel each(Vector v) {
  Unary b("each", Storage::I32, Storage::I32);
  const Id l = b.local(Kind::I32, 128);
  const Id part = b.integer(77);
  for (const Id extent : {b.integer(128), part}) {
    const auto fill = b.open({Kind::I64});
    const Id j = b.pure(Opcode::Narrow, Kind::I32, {b.param(fill, 0)});
    b.local_store(l, b.param(fill, 0), b.op(Opcode::Mul, j, extent == part ? b.x : b.c(2)));
    b.leave();
    b.for_each(extent, fill);
  }
  const auto body = b.open({Kind::I64});
  b.yield({b.local_load(l, b.param(body, 0))});
  b.leave();
  const Id s = b.fold(b.integer(128), {b.c(0)}, {Combine::Add}, body)[0];
  return b.done(s, v);
}

// A while loop keeps the last four values in an array: the state of a lane is not only in carries.
inline nest::Kernel while_array(Vector v) {
  Unary b("while_array", Storage::I32, Storage::I32);
  const Id l = b.local(Kind::I32, 4);
  for (int t = 0; t < 4; ++t) b.local_store(l, b.integer(t), b.op(Opcode::Add, b.x, b.c(t)));
  const auto test = b.open({Kind::I64});
  const Id limit = b.pure(Opcode::SExt, Kind::I64, {b.x});
  b.yield({b.test(Opcode::SLt, b.param(test, 0), limit)});
  b.leave();
  const auto body = b.open({Kind::I64});
  const Id t = b.param(body, 0), slot = b.pure(Opcode::And, Kind::I64, {t, b.integer(3)});
  const Id next = b.pure(Opcode::And, Kind::I64,
                         {b.pure(Opcode::Add, Kind::I64, {t, b.integer(1)}), b.integer(3)});
  b.local_store(
      l, slot,
      b.op(Opcode::Add, b.op(Opcode::Mul, b.local_load(l, slot), b.c(3)), b.local_load(l, next)));
  b.yield({b.pure(Opcode::Add, Kind::I64, {t, b.integer(1)})});
  b.leave();
  const auto r = b.loop_while({b.integer(0)}, test, body);
  Id s = b.pure(Opcode::Narrow, Kind::I32, {r[0]});
  for (int j = 0; j < 4; ++j)
    s = b.op(Opcode::Add, b.op(Opcode::Mul, s, b.c(7)), b.local_load(l, b.integer(j)));
  return b.done(s, v);
}

}  // namespace weft::compiler
