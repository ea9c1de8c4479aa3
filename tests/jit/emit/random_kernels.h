// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/random_kernels.h: random well-formed nests that end and stay in bounds.
#pragma once
#include <map>

#include "jit/emit/compare.h"

namespace weft::compiler {

// Every lane reads any elements of the inputs. It writes only its own elements: element i of the
// outputs, and elements 8 i ... 8 i + 7 of the wide output in a for_each.
class RandomKernel {
 public:
  static constexpr int64_t max_points = 600, elements = 2 * max_points + 64, width = 8;

  RandomKernel(unsigned seed, Vector v, bool one_while) : g(seed), b("random") {
    for (Storage s : {Storage::Bool, Storage::I8, Storage::I16, Storage::I32, Storage::I64,
                      Storage::BF16, Storage::F16, Storage::F32, Storage::F64})
      inputs.emplace_back(b.buffer(s, false), s);
    for (Storage s : {Storage::I32, Storage::F32, Storage::F64, Storage::I64, Storage::BF16,
                      Storage::I8, Storage::Bool})
      outputs.emplace_back(b.buffer(s, true), s);
    wide = b.buffer(Storage::I32, true);
    const int rank = static_cast<int>(g() % 2) + 1;
    point = rank == 1
                ? b.index(0)
                : b.pure(Opcode::Add, Kind::I64,
                         {b.pure(Opcode::Mul, Kind::I64, {b.index(0), b.extent(0)}), b.index(1)});
    add(point);
    add(b.extent(0));
    add(b.index(rank - 1));
    for (Kind k : {Kind::Mask, Kind::I8, Kind::I16, Kind::I32, Kind::I64})
      add(b.constant(k, g() & (k == Kind::Mask ? 1 : 0x7f)));
    add(b.constant(Kind::F32, 0x3fc00000));
    add(b.constant(Kind::F64, std::bit_cast<uint64_t>(-2.75)));
    for (int i = 0; i < 6; ++i) load();
    if (one_while) {
      for (int i = 0; i < 4; ++i) step(0, false);
      loop_while(1);
      for (int i = 0; i < 4; ++i) step(0, false);
    } else {
      fill(3, 12);
    }
    for (auto [buffer, s] : outputs) b.store(buffer, point, pick(nest::loaded_kind(s)));
    kernel = b.finish(rank, 1, v);
  }

  Run run(int64_t n) {
    Run r;
    const bool two = kernel.rank == 2;
    const int64_t rows = two ? 3 : 1, columns = two ? (n + 2) / 3 : n;
    for (auto [buffer, s] : inputs)
      r.contents.push_back(patterns(s, elements, static_cast<unsigned>(g())));
    for (auto [buffer, s] : outputs)
      r.contents.push_back(patterns(s, static_cast<size_t>(rows * columns), 1));
    r.contents.push_back(zeros(Storage::I32, static_cast<size_t>(rows * columns * width)));
    r.extents = {columns};
    r.range = {0, rows, 0, columns};
    return r;
  }

  nest::Kernel kernel;

 private:
  using Pool = std::map<Kind, std::vector<Id>>;

  void add(Id v) { pool[b.kind(v)].push_back(v); }
  Id pick(Kind k) {
    auto& p = pool[k];
    // Recent values are chosen more often, so that programs get deep.
    const size_t n = p.size(), back = std::min<size_t>(n - 1, g() % 2 ? g() % 4 : g() % n);
    return p[n - 1 - back];
  }
  Kind any_kind() {
    return std::vector<Kind>{Kind::Mask, Kind::I8,  Kind::I16, Kind::I32, Kind::I32,
                             Kind::I64,  Kind::F32, Kind::F32, Kind::F64}[g() % 9];
  }
  Id i64(Opcode op, Id x, Id y) { return b.pure(op, Kind::I64, {x, y}); }
  Id below(int64_t power_of_two) {
    return i64(Opcode::And, pick(Kind::I64), b.integer(power_of_two - 1));
  }

  Id offset() {
    switch (g() % 6) {
      case 0: return below(64);
      case 1: return i64(Opcode::Mul, point, b.integer(2));
      case 2: return i64(Opcode::Add, point, b.integer(static_cast<int64_t>(g() % 60)));
      case 3: return i64(Opcode::Sub, b.integer(max_points), point);
      case 4: return i64(Opcode::Add, below(16), below(32));
      default: return point;
    }
  }
  void load() {
    if (g() % 6 == 0) {
      const auto [buffer, s] = outputs[g() % outputs.size()];
      if (may_store) return add(b.load(buffer, point));
    }
    const auto [buffer, s] = inputs[g() % inputs.size()];
    add(b.load(buffer, offset()));
  }

  void arithmetic() {
    const Kind k = any_kind();
    const Id x = pick(k), y = pick(k);
    const auto one_of = [&](std::initializer_list<Opcode> ops) {
      return ops.begin()[g() % ops.size()];
    };
    if (g() % 6 == 0) return add(b.pure(Opcode::Select, k, {pick(Kind::Mask), x, y}));
    if (k == Kind::Mask)
      return add(b.pure(one_of({Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Eq}), k, {x, y}));
    if (k == Kind::F32 || k == Kind::F64) {
      if (g() % 4 == 0)
        return add(
            b.pure(one_of({Opcode::Lt, Opcode::Le, Opcode::Eq, Opcode::Ne}), Kind::Mask, {x, y}));
      if (g() % 4 == 0)
        return add(b.pure(
            one_of({Opcode::Neg, Opcode::Abs, Opcode::Sqrt, Opcode::Floor, Opcode::RoundEven}), k,
            {x}));
      if (g() % 4 == 0) return add(b.pure(Opcode::Fma, k, {x, y, pick(k)}));
      return add(b.pure(
          one_of({Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Div, Opcode::FMin, Opcode::FMax}),
          k, {x, y}));
    }
    if (g() % 4 == 0)
      return add(b.pure(one_of({Opcode::SLt, Opcode::SLe, Opcode::ULt, Opcode::Eq, Opcode::Ne}),
                        Kind::Mask, {x, y}));
    if (g() % 12 == 0)
      return add(
          b.pure(one_of({Opcode::SDiv, Opcode::UDiv, Opcode::SRem, Opcode::URem}), k, {x, y}));
    add(b.pure(
        one_of({Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::And, Opcode::Or, Opcode::Xor,
                Opcode::Shl, Opcode::Shr, Opcode::Sar, Opcode::SMin, Opcode::UMax, Opcode::MulHiS}),
        k, {x, y}));
  }

  void conversion() {
    const std::vector<Kind> ints{Kind::I8, Kind::I16, Kind::I32, Kind::I64},
        floats{Kind::F32, Kind::F64};
    const Kind i = ints[g() % 4], f = floats[g() % 2];
    switch (g() % 5) {
      case 0: return add(b.pure(g() % 2 ? Opcode::FToS : Opcode::FToU, i, {pick(f)}));
      case 1: return add(b.pure(g() % 2 ? Opcode::SToF : Opcode::UToF, f, {pick(i)}));
      case 2: return add(b.pure(Opcode::MaskToInt, i, {pick(Kind::Mask)}));
      case 3:
        return add(
            b.pure(g() % 2 ? Opcode::RoundBF16 : Opcode::RoundF16, Kind::F32, {pick(Kind::F32)}));
      default: {
        const Kind from = ints[g() % 4];
        if (from == i) return;
        return add(b.pure(from > i  ? Opcode::Narrow
                          : g() % 2 ? Opcode::SExt
                                    : Opcode::ZExt,
                          i, {pick(from)}));
      }
    }
  }

  void local() {
    if (locals.empty() || g() % 4 == 0) {
      const Kind k = any_kind();
      const Id l = b.local(k, width);
      for (int64_t i = 0; i < width; ++i) b.local_store(l, b.integer(i), pick(k));
      locals.emplace_back(l, level);
    }
    const auto [l, home] = locals[g() % locals.size()];
    if (g() % 2 && home >= store_level) b.local_store(l, below(width), pick(b.inst(l).kind));
    add(b.local_load(l, below(width)));
  }

  // Runs f in a new scope: later code does not use the values that f defines.
  template <class F>
  auto scoped(F&& f) {
    const Pool saved = pool;
    const auto saved_locals = locals;
    ++level;
    auto out = f();
    --level;
    pool = saved;
    locals = saved_locals;
    return out;
  }
  std::vector<Kind> kinds() {
    std::vector<Kind> out;
    for (size_t n = g() % 3 + 1; n > 0; --n) out.push_back(any_kind());
    return out;
  }
  std::vector<Id> picks(const std::vector<Kind>& ks) {
    std::vector<Id> out;
    for (Kind k : ks) out.push_back(pick(k));
    return out;
  }
  void add_all(const std::vector<Id>& vs) {
    for (Id v : vs) add(v);
  }

  void loop_while(int depth) {
    std::vector<Kind> ks = kinds();
    ks.insert(ks.begin(), Kind::I32);
    std::vector<Id> init = picks(ks);
    const Id trips = b.pure(Opcode::And, Kind::I32, {pick(Kind::I32), b.integer(15, Kind::I32)});
    init[0] = b.integer(0, Kind::I32);
    const auto test = scoped([&] {
      const auto t = b.open(ks);
      for (size_t r = 0; r < ks.size(); ++r) add(b.param(t, static_cast<int>(r)));
      arithmetic();
      const Id more = b.pure(Opcode::SLt, Kind::Mask, {b.param(t, 0), trips});
      b.yield({g() % 2 ? more : b.pure(Opcode::And, Kind::Mask, {more, pick(Kind::Mask)})});
      b.leave();
      return t;
    });
    const auto body = scoped([&] {
      const auto t = b.open(ks);
      for (size_t r = 0; r < ks.size(); ++r) add(b.param(t, static_cast<int>(r)));
      fill(depth - 1, 5);
      std::vector<Id> next = picks(ks);
      next[0] = b.pure(Opcode::Add, Kind::I32, {b.param(t, 0), b.integer(1, Kind::I32)});
      b.yield(next);
      b.leave();
      return t;
    });
    add_all(b.loop_while(init, test, body));
  }

  void loop_for(int depth) {
    const std::vector<Kind> ks = kinds();
    const std::vector<Id> init = picks(ks);
    const Id lo = g() % 2 ? b.integer(0) : below(4), hi = g() % 2 ? b.integer(5)
                                                          : g() % 2
                                                              ? below(8)
                                                              : i64(Opcode::Add, lo, b.integer(3));
    const auto body = scoped([&] {
      std::vector<Kind> params = ks;
      params.insert(params.begin(), Kind::I64);
      const auto t = b.open(params);
      for (size_t r = 0; r < params.size(); ++r) add(b.param(t, static_cast<int>(r)));
      fill(depth - 1, 5);
      b.yield(picks(ks));
      b.leave();
      return t;
    });
    add_all(b.loop(lo, hi, g() % 2 ? 1 : -1, init, body));
  }

  // The body of a fold or for_each has no effects outside of it.
  template <class F>
  nest::BlockId independent(F&& f) {
    return scoped([&] {
      const bool stores = std::exchange(may_store, false);
      const int saved = std::exchange(store_level, level);
      const auto t = b.open({Kind::I64});
      add(b.param(t, 0));
      f(t);
      b.leave();
      may_store = stores;
      store_level = saved;
      return t;
    });
  }
  void fold(int depth) {
    std::vector<Kind> ks, values;  // of results, of a term
    std::vector<Combine> cs;
    for (size_t n = g() % 2 + 1; n > 0; --n) {
      const Kind k = any_kind();
      const std::vector<Combine> of_mask{Combine::And, Combine::Or, Combine::Xor},
          of_float{Combine::Add, Combine::Mul, Combine::FMin, Combine::FMax, Combine::MulAdd};
      const std::vector<Combine> of_int{Combine::Add,  Combine::Mul,  Combine::SMin, Combine::SMax,
                                        Combine::UMin, Combine::UMax, Combine::Xor};
      const auto& from = k == Kind::Mask                    ? of_mask
                         : k == Kind::F32 || k == Kind::F64 ? of_float
                                                            : of_int;
      if (k != Kind::Mask && g() % 4 == 0) {
        ks.insert(ks.end(), {k, Kind::I64});
        values.insert(values.end(), {k, Kind::I64});
        cs.insert(cs.end(), {g() % 2 ? Combine::ArgMin : Combine::ArgMax, Combine::Second});
      } else {
        ks.push_back(k);
        cs.push_back(from[g() % from.size()]);
        values.insert(values.end(), nest::values_of_term(cs.back()), k);
      }
    }
    const std::vector<Id> identity = picks(ks);
    const int64_t lengths[] = {0, 1, 3, 16, 20};
    const Id n = b.integer(g() % 2 ? lengths[g() % 5] : static_cast<int64_t>(g() % 32));
    const auto body = independent([&](nest::BlockId) {
      fill(depth - 1, 3);
      b.yield(picks(values));
    });
    add_all(b.fold(n, identity, cs, body));
  }
  void for_each(int depth) {
    const bool stores = may_store;
    const Id n = b.integer(g() % 2 ? width : static_cast<int64_t>(g() % 8));
    const auto body = independent([&](nest::BlockId t) {
      fill(depth - 1, 3);
      if (stores)
        b.store(wide, i64(Opcode::Add, i64(Opcode::Mul, point, b.integer(width)), b.param(t, 0)),
                pick(Kind::I32));
      b.yield({});
    });
    b.for_each(n, body);
  }

  void branch(int depth) {
    const std::vector<Kind> ks = kinds();
    const Id m = pick(Kind::Mask);
    nest::BlockId sides[2];
    for (auto& side : sides)
      side = scoped([&] {
        const auto t = b.open_branch();
        fill(depth - 1, 4);
        b.yield(picks(ks));
        b.leave();
        return t;
      });
    add_all(b.branch(m, sides[0], sides[1]));
  }

  void step(int depth, bool effects = true) {
    const auto r = g() % 16;
    if (r < 6 || (r >= 11 && depth <= 0)) return arithmetic();
    if (r < 8) return conversion();
    if (r == 8) return load();
    if (r == 9 && may_store && effects) {
      const auto [buffer, s] = outputs[g() % outputs.size()];
      return b.store(buffer, point, pick(nest::loaded_kind(s)));
    }
    if (r == 9) return load();
    if (r == 10) return effects ? local() : arithmetic();
    if (r == 11) return loop_while(depth);
    if (r == 12) return loop_for(depth);
    if (r == 13) return fold(depth);
    if (r == 14) return for_each(depth);
    return branch(depth);
  }
  void fill(int depth, int n) {
    for (int i = 0; i < n; ++i) step(depth);
  }

  std::mt19937_64 g;
  Builder b;
  std::vector<std::pair<int, Storage>> inputs, outputs;
  int wide = 0;
  Id point = 0;
  Pool pool;
  std::vector<std::pair<Id, int>> locals;
  int level = 0, store_level = 0;
  bool may_store = true;
};

}  // namespace weft::compiler
