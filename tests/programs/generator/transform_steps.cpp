// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/transform_steps.cpp: steps that are transforms of functions, stacks of
// transforms around a function, and the choice of the next step.
#include <algorithm>

#include "core/param.h"
#include "programs/generator/generator.h"
#include "weft/device.h"

namespace weft::programs {
namespace {

const std::vector<std::string> axis_names = {"i", "j", "k", "l"};

// Returns the surroundings of the body of a derivative.
Around differentiated(Around a, const Step& s) {
  --a.depth;
  ++a.derivatives;
  a.names.clear();
  a.forward = a.forward || s.kind == Kind::jvp || s.kind == Kind::linearize ||
              (s.kind == Kind::jacobian && s.variant != 1);
  a.reverse = a.reverse || s.kind == Kind::grad || s.kind == Kind::vjp ||
              (s.kind == Kind::jacobian && s.variant > 0);
  return a;
}
bool in_chunks(const Step& s) { return s.chunk > 0 || s.budget > 0; }
void choose_chunks(Dice& dice, Step& s) {
  if (dice.one_in(3))
    s.budget = 1 + dice.below(int64_t{10000});
  else
    s.chunk = 1 + dice.below(s.size);
}
Around mapped(Around a, const Step& s) {
  --a.depth;
  a.lanes *= std::max<int64_t>(1, s.size);
  if (!s.name.empty()) {
    // A name refers to the innermost axis with that name.
    std::erase_if(a.names, [&](const Around::Name& n) { return n.name == s.name; });
    a.names.push_back({s.name, s.size, in_chunks(s)});
  }
  return a;
}
void map_results(Dice& dice, Step& s, const Fn& f) {
  for (int v : f.out) {
    const Type t = f.values()[static_cast<size_t>(v)];
    const bool shared =
        v < static_cast<int>(f.in.size()) &&
        (v >= static_cast<int>(s.in_axes.size()) || !s.in_axes[static_cast<size_t>(v)]);
    if (shared && s.size > 0 && dice.one_in(2))
      s.out_axes.push_back(std::nullopt);
    else
      s.out_axes.push_back(dice.one_in(2) ? 0 : dice.below(t.ndim() + 1));
  }
}
void choose_options(Dice& dice, Step& s) {
  if (dice.one_in(2)) s.name = dice.pick(axis_names);
  if (dice.one_in(4) && s.size > 0) choose_chunks(dice, s);
}
bool reduced(Kind k) { return k == Kind::grad; }

}  // namespace

bool FunctionGenerator::add_vmap() {
  Step s;
  s.kind = Kind::vmap;
  const int first = any();
  Type t = type(first);
  const int64_t room = std::max<int64_t>(1, 60 / around_.lanes);
  std::vector<int> axes;
  for (int a = 0; a < t.ndim(); ++a)
    if (t.shape()[a] <= room) axes.push_back(a);
  Types in;
  const auto take = [&](int v, MaybeAxis a) {
    s.in.push_back(v);
    s.in_axes.push_back(a);
    in.push_back(a ? type(v).with_shape(type(v).shape().erased(*a)) : type(v));
  };
  if (axes.empty()) {
    s.size = 1 + dice_.below(std::min<int64_t>(room, 4));
    take(fit(first, t.with_shape(t.shape().inserted(0, s.size))), 0);
  } else {
    const int a = dice_.pick(axes);
    s.size = t.shape()[a];
    take(first, a);
  }
  for (int n = dice_.below(3); n > 0; --n) {
    const int v = any();
    MaybeAxis at;
    for (int a = 0; a < type(v).ndim(); ++a)
      if (type(v).shape()[a] == s.size && dice_.below(3)) at = a;
    take(v, at);
  }
  s.captured = captures();
  choose_options(dice_, s);
  s.bodies.push_back(body(in, s.captured, mapped(around_, s), 1 + dice_.below(5), nullptr));
  map_results(dice_, s, s.bodies[0]);
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_derivative() {
  if (around_.derivatives >= 2) return false;
  static const std::vector<Kind> kinds = {Kind::grad, Kind::grad,      Kind::vjp,
                                          Kind::jvp,  Kind::linearize, Kind::jacobian};
  Step s;
  s.kind = dice_.pick(kinds);
  s.variant = s.kind == Kind::jacobian ? dice_.below(3) : s.kind == Kind::grad ? dice_.below(2) : 0;
  const Around a = differentiated(around_, s);
  Types in;
  for (s.count = 1 + dice_.below(2); static_cast<int64_t>(s.in.size()) < s.count;) {
    int v = any_float();
    if (s.kind == Kind::jacobian)
      v = fit(v, type(v).with_shape(Shape{1 + dice_.below(int64_t{4})}));
    s.in.push_back(v);
    in.push_back(type(v));
    if (s.kind == Kind::jacobian) s.count = 1;
  }
  if (dice_.one_in(2)) {
    s.in.push_back(any());
    in.push_back(type(s.in.back()));
  }
  s.captured = captures();
  Fn f = body(in, s.captured, a, 1 + dice_.below(5), nullptr);
  FunctionGenerator end(dice_, std::move(f), a);
  if (s.kind == Kind::grad || (s.kind == Kind::jacobian && s.variant == 2))
    end.end_with_loss();
  else
    end.end_with_floats();
  if (s.kind == Kind::jacobian) {
    end.results().resize(1);
    const int v = end.results()[0];
    end.results()[0] =
        end.fit(v, Type(in[0].dtype(), s.variant == 2 ? Shape{} : end.type(v).shape()));
  }
  f = end.take();
  if (s.kind == Kind::vjp)
    for (const Type& t : f.out_types()) s.in.push_back(fit(any(), t));
  if (s.kind == Kind::jvp || s.kind == Kind::linearize)
    for (int64_t k = 0; k < s.count; ++k) s.in.push_back(fit(any(), in[static_cast<size_t>(k)]));
  s.bodies.push_back(std::move(f));
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_nested() {
  if (around_.depth <= 0) return false;
  switch (dice_.below(11)) {
    case 0:
    case 1: return add_cond();
    case 2: return add_while();
    case 3: return add_fori();
    case 4:
    case 5: return add_scan();
    case 6:
    case 7: return add_called();
    case 8:
    case 9: return add_vmap();
    default: return add_derivative();
  }
}

void FunctionGenerator::fill(int steps) {
  for (; steps > 0 && dice_.budget > 0; --steps) try {
      add_any();
    } catch (const TooLarge&) {
    }
}
void FunctionGenerator::add_checked_end() {
  Step s;
  s.kind = Kind::checked_end;
  s.in = {ending};
  const int end = add(std::move(s));
  // The result is used, so that the derivative needs it too.
  if (dice_.below(3) == 0) return;
  const int v = any_float();
  op("mul", {v, fit(end, type(v))});
}
// Effects that a reverse-mode derivative would repeat are refused, so that there are no calls in
// it.
bool FunctionGenerator::add_effect() {
  Step s;
  s.kind = Kind::effect;
  s.variant = prints;
  if (!around_.reverse && !detail::default_elsewhere() && dice_.one_in(3)) {
    s.variant = calls;
  } else if (dice_.loose) {
    s.variant = prints_anywhere;
  } else if (dice_.one_in(4)) {
    s.variant = checks;
    constexpr double bounds[] = {.5, 2, 8, 1000};
    s.number = bounds[dice_.below(4)];
  }
  s.count = ++dice_.effects;
  s.in = {any()};
  return add(std::move(s)) >= 0;
}
void FunctionGenerator::add_any() {
  if (dice_.acts && !around_.quiet && dice_.one_in(4) && add_effect()) return;
  if (dice_.acts && around_.depth > 0 && dice_.one_in(6) && add_called()) return;
  if (ending >= 0 && dice_.one_in(3)) return add_checked_end();
  if (ending >= 0 && dice_.one_in(3) && add_nested()) return;
  if (!around_.names.empty() && dice_.one_in(5) && add_collective()) return;
  switch (dice_.below(17)) {
    case 0:
    case 1:
    case 2:
    case 3: add_plain(); break;
    case 4:
    case 5:
    case 6: add_structure(); break;
    case 7:
    case 8: add_index(); break;
    case 9:
    case 10: add_fold(); break;
    case 11: add_number(); break;
    case 12: add_collective(); break;
    case 13: add_function(); break;
    default: add_nested();
  }
}

// ---- stacks

Fn wrapped(Dice& dice, Kind k, Fn f, const Around& a) {
  Step s;
  s.kind = k;
  if (k >= Kind::grad) {
    s.variant = k == Kind::grad ? dice.below(2) : k == Kind::jacobian ? dice.below(3) : 0;
    s.count = 1;
    if (k != Kind::jacobian && f.in.size() > 1 && is_floating(f.in[1].dtype()) && dice.one_in(2))
      s.count = 2;
    FunctionGenerator end(dice, std::move(f), differentiated(a, s));
    if (reduced(k) || (k == Kind::jacobian && s.variant == 2))
      end.end_with_loss();
    else
      end.end_with_floats();
    f = end.take();
  }
  Fn w;
  for (size_t i = 0; i < f.in.size(); ++i) s.in.push_back(static_cast<int>(i));
  w.in = f.in;
  const auto also = [&](const Type& t) {
    s.in.push_back(static_cast<int>(w.in.size()));
    w.in.push_back(t);
  };
  if (k == Kind::vmap) {
    bool any = false;
    for (Type& t : w.in) {
      const bool mapped = dice.below(3) || (&t == &w.in.back() && !any);
      any = any || mapped;
      s.in_axes.push_back(mapped ? MaybeAxis(dice.below(t.ndim() + 1)) : std::nullopt);
      if (mapped) t = t.with_shape(t.shape().inserted(*s.in_axes.back(), a.lanes));
    }
    s.size = a.lanes;
    s.name = a.names.empty() ? "" : a.names.back().name;
    if (!a.names.empty() && a.names.back().chunked) choose_chunks(dice, s);
    map_results(dice, s, f);
  } else if (k == Kind::vjp) {
    for (const Type& t : f.out_types()) also(t);
  } else if (k == Kind::jvp || k == Kind::linearize) {
    for (int64_t i = 0; i < s.count; ++i) also(f.in[static_cast<size_t>(i)]);
  } else if (k == Kind::jacobian) {
    FunctionGenerator end(dice, std::move(f), differentiated(a, s));
    end.results().resize(1);
    const int v = end.results()[0];
    end.results()[0] = end.fit(v, Type(w.in[0].dtype(), end.type(v).shape()));
    f = end.take();
  }
  s.bodies.push_back(std::move(f));
  FunctionGenerator d(dice, w.in, a);
  const int first = d.add(std::move(s));
  if (first < 0) throw InternalError("a transform does not fit the function it is put around");
  std::vector<int> out;
  for (int v = first; v < d.size(); ++v) out.push_back(v);
  return d.finish(std::move(out));
}

namespace {

struct Layer {
  Kind kind;
  Around around;  // of vmap: its own lanes and name
};

std::vector<Layer> stack_of(Dice& dice, Around& inner) {
  static const std::vector<Kind> kinds = {Kind::vmap, Kind::vmap, Kind::vmap,      Kind::vmap,
                                          Kind::call, Kind::call, Kind::grad,      Kind::grad,
                                          Kind::vjp,  Kind::jvp,  Kind::linearize, Kind::jacobian};
  std::vector<Layer> r;
  for (int n = dice.below(4); n > 0; --n) {
    Kind k = dice.pick(kinds);
    const bool jacobian =
        std::any_of(r.begin(), r.end(), [](const Layer& l) { return l.kind == Kind::jacobian; });
    if (k >= Kind::grad && (inner.derivatives >= 2 || (jacobian && k == Kind::jacobian)))
      k = Kind::vmap;
    Step s;
    s.kind = k;
    s.variant = 2;
    Around own = inner;
    if (k == Kind::vmap) {
      const Ints sizes = {1, 2, 3, 3, 4, 5, 0, 8, 9, 16, 17};
      s.size = dice.pick(sizes);
      // Inside a Jacobian, each lane adds a column.
      if (s.size * inner.lanes > 40 || jacobian) s.size = 2;
      choose_options(dice, s);
      own.lanes = s.size;
      own.names.clear();
      if (!s.name.empty() || in_chunks(s)) own.names.push_back({s.name, s.size, in_chunks(s)});
      inner = mapped(inner, s);
      if (s.name.empty() && in_chunks(s)) own.names.back().name.clear();
    } else if (k >= Kind::grad) {
      inner = differentiated(inner, s);
    }
    inner.depth = 2;
    r.push_back({k, own});
  }
  return r;
}

// Makes a program. With a stack it has the same function as under every other stack.
Program attempt(uint64_t seed, int stack, uint64_t number) {
  Dice dice{Random((seed * 64 + number) * 0x9e3779b97f4a7c15u + 7), {}, 0};
  Dice other{
      Random((seed * 64 + number) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(stack)), {}, 0};
  Program p;
  p.seed = seed;
  p.stack = stack;
  p.smooth = dice.one_in(4);
  dice.acts = stack < 0 && seed % 3 == 2;
  dice.loose = dice.acts && seed % 2 == 1;
  for (int k = 0; k < 3; ++k) dice.pool.push_back(dice.new_extent());
  // Now and then there are enough elements for several threads.
  if (dice.one_in(30)) dice.pool[0] = 1000 + dice.below(5000);
  // Or a lane has more elements than a stack frame can hold.
  if (dice.one_in(15)) {
    dice.full_lanes = true;
    dice.pool[0] = dice.one_in(2) ? 100 + dice.below(900) : 1000;
  }
  dice.budget = 12 + dice.below(30);
  Around a;
  // All derivatives of smooth programs are measured.
  a.smooth = a.reverse = a.forward = p.smooth;
  Around inner = a;
  std::vector<Layer> layers;
  if (stack >= 0) {
    inner.reverse = inner.forward = true;
    inner.derivatives = 1;  // the requirements of some stacks apply to all
    inner.lanes = 10;
    Around outer;
    layers = stack_of(other, outer);
  } else {
    layers = stack_of(dice, inner);
  }
  Types in;
  static const std::vector<DType> dtypes = {F32,  F32, F32, F32, F64, I32, I32,
                                            Bool, U8,  I64, F16, C64, U32, BF16};
  for (int n = 2 + dice.below(3); n > 0; --n) {
    const DType d = p.smooth ? F64 : in.empty() ? (dice.one_in(4) ? F64 : F32) : dice.pick(dtypes);
    Shape s = dice.shape();
    const bool jacobian = std::any_of(layers.begin(), layers.end(),
                                      [](const Layer& l) { return l.kind == Kind::jacobian; });
    if ((jacobian || stack >= 0) && in.empty()) s = Shape{1 + dice.below(int64_t{4})};
    in.emplace_back(d, s);
  }
  FunctionGenerator d(dice, in, inner);
  d.fill(3 + dice.below(10));
  Fn f = d.finish();
  Dice& last = stack >= 0 ? other : dice;
  for (size_t k = layers.size(); k-- > 0;)
    f = wrapped(last, layers[k].kind, std::move(f), layers[k].around);
  p.f = std::move(f);
  return p;
}

}  // namespace

Program generate(uint64_t seed) { return generate(seed, -1); }
Program generate(uint64_t seed, int stack) {
  for (uint64_t number = 0;; ++number) try {
      return attempt(seed, stack, number);
    } catch (const TooLarge&) {
    }
}

}  // namespace weft::programs
