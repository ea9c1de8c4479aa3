// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/control_steps.cpp: steps with bodies: branches, loops, calls and
// functions with rules.
#include <algorithm>

#include "core/param.h"
#include "programs/generator/generator.h"

namespace weft::programs {

std::vector<int> FunctionGenerator::captures() {
  std::vector<int> c;
  for (int n = dice_.below(3); n > 0 && size() > 0; --n) {
    const int v = dice_.below(size());
    if (std::find(c.begin(), c.end(), v) == c.end() && v != ending) c.push_back(v);
  }
  // The bodies may capture the value that ends checked_end, too.
  if (ending >= 0 && dice_.below(4)) c.push_back(ending);
  return c;
}

// Returns the value that is compared with 0.5 before a body runs. It is the sine of another value,
// so that it is finite if the comparison is true.
int FunctionGenerator::guarding() {
  return op("sin", {op("stop_gradient", {scalar(around_.smooth ? F64 : F32)})});
}
void FunctionGenerator::capture_guard(Step& s, int guard) const {
  std::erase(s.captured, ending);
  std::erase(s.captured, guard);
  s.captured.push_back(guard);
}

// Returns how many values a loop carries: few, or enough to exceed the memory of a lane.
int FunctionGenerator::carries(int least) {
  return dice_.one_in(dice_.full_lanes ? 2 : 20) ? 3 + dice_.below(8)
                                                 : least + dice_.below(3 - least);
}

Fn FunctionGenerator::body(const Types& in, const std::vector<int>& captured, const Around& a,
                           int steps, const Types* want) {
  Types all = in;
  for (int v : captured) all.push_back(type(v));
  FunctionGenerator inner(dice_, all, a);
  if (!captured.empty() && captured.back() == ending && ending >= 0)
    inner.ending = static_cast<int>(all.size()) - 1;
  inner.fill(steps);
  if (!want) return inner.finish();
  std::vector<int> out;
  for (size_t k = 0; k < want->size(); ++k) {
    // Now and then a carry is passed through unchanged.
    const bool same = k < in.size() && in[k] == (*want)[k] && dice_.one_in(6);
    out.push_back(same ? static_cast<int>(k) : inner.fit(inner.any(), (*want)[k]));
  }
  return inner.finish(std::move(out));
}

namespace {
Around deeper(Around a, bool all_lanes) {
  --a.depth;
  if (!all_lanes) a.names.clear();
  return a;
}
}  // namespace

bool FunctionGenerator::add_cond() {
  Step s;
  s.kind = Kind::cond;
  const Around a = deeper(around_, false);
  std::vector<int> operands;
  for (int n = 1 + dice_.below(2); n > 0; --n) operands.push_back(any());
  Types in;
  for (int v : operands) in.push_back(type(v));
  s.captured = captures();
  s.variant = dice_.one_in(3);
  const int branches = s.variant ? 1 + dice_.below(3) : 2;
  int guard = -1;
  if (s.variant) {
    s.in = {scalar(I32)};
  } else {
    const int v = guarding();
    s.in = {greater(v, 0.5)};
    if (dice_.one_in(2)) guard = v;
  }
  s.in.insert(s.in.end(), operands.begin(), operands.end());
  const int before = ending;
  if (guard >= 0) {
    capture_guard(s, guard);
    ending = guard;
  }
  s.bodies.push_back(body(in, s.captured, a, 1 + dice_.below(3), nullptr));
  ending = guard >= 0 ? -1 : before;
  const Types want = s.bodies[0].out_types();
  while (static_cast<int>(s.bodies.size()) < branches)
    s.bodies.push_back(body(in, s.captured, a, dice_.below(4), &want));
  ending = before;
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_while() {
  Step s;
  s.kind = Kind::while_loop;
  const Around a = deeper(around_, false);
  // The loop has a counter unless its trips are bounded. Only bounded loops have a reverse-mode
  // derivative.
  const bool counted = !around_.reverse && dice_.one_in(2);
  s.count = counted ? 0 : 1 + dice_.below(5);
  Types in;
  if (counted) {
    s.in.push_back(constant(Type(I32, {}), -2, 3));
    in.emplace_back(I32, Shape{});
  }
  for (int n = carries(1); n > 0; --n) {
    s.in.push_back(any());
    in.push_back(type(s.in.back()));
  }
  int guard = -1;
  const int before = ending;
  if (dice_.one_in(3)) guard = guarding();
  s.captured = captures();
  if (guard >= 0) capture_guard(s, guard);
  Types all = in;
  for (int v : s.captured) all.push_back(type(v));
  // The condition also runs for lanes whose guard fails, so that it must not rely on the guard.
  FunctionGenerator test(dice_, all, a);
  if (guard < 0 && before >= 0 && !s.captured.empty() && s.captured.back() == before)
    test.ending = static_cast<int>(all.size()) - 1;
  test.fill(dice_.below(3));
  if (test.ending >= 0 && dice_.one_in(2)) test.add_checked_end();
  int go = test.greater(test.fit(test.any_float(), Type(F64, {})), dice_.below(5) - 3);
  if (counted) {
    const int more = test.op("lt", {0, test.constant(Type(I32, {}), 1, 4)});
    go = dice_.one_in(2) ? more : test.op("and", {more, go});
  }
  if (guard >= 0) {
    const int g = static_cast<int>(all.size()) - 1;
    go = test.op("and", {go, test.op("not", {test.greater(g, 0.5)})});
  }
  s.bodies.push_back(test.finish({go}));
  if (guard >= 0) ending = guard;
  Fn step = body(in, s.captured, a, 1 + dice_.below(3), &in);
  ending = before;
  if (counted) {
    FunctionGenerator up(dice_, std::move(step), a);
    up.results()[0] = up.op("add", {0, up.constant(Type(I32, {}), 1, 1)});
    step = up.take();
  }
  s.bodies.push_back(std::move(step));
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_fori() {
  Step s;
  s.kind = Kind::fori;
  const Around a = deeper(around_, false);
  const int lo = constant(Type(I32, {}), -1, 2);
  // The bounds may differ between lanes if no reverse-mode derivative is needed.
  const int hi = around_.reverse || dice_.one_in(2)
                     ? constant(Type(I32, {}), 0, 5)
                     : op("rem", {scalar(I32), constant(Type(I32, {}), 5, 5)});
  s.in = {lo, hi};
  Types carry;
  for (int n = carries(1); n > 0; --n) {
    s.in.push_back(any());
    carry.push_back(type(s.in.back()));
  }
  s.captured = captures();
  Types in = carry;
  in.insert(in.begin(), Type(I32, {}));
  s.bodies.push_back(body(in, s.captured, a, 1 + dice_.below(3), &carry));
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_scan() {
  Step s;
  s.kind = Kind::scan;
  const Around a = deeper(around_, true);
  s.length = dice_.one_in(8) ? 0 : dice_.one_in(3) ? 1 + dice_.below(9) : 1 + dice_.below(4);
  // If an existing axis is short enough, the scan runs along it.
  for (int tries = 0; tries < 4; ++tries) {
    const Type& t = type(any());
    if (t.ndim() > 0 && t.shape()[0] <= 9) s.length = t.shape()[0];
  }
  s.reverse = dice_.one_in(3);
  if (dice_.one_in(5)) s.unroll = dice_.below(4);
  Types in;
  for (s.count = carries(0); static_cast<int64_t>(s.in.size()) < s.count;) {
    s.in.push_back(any());
    in.push_back(type(s.in.back()));
  }
  const Types carry = in;
  for (int n = s.count == 0 ? 1 : dice_.below(3); n > 0; --n) {
    const Type t = type(any());
    const Shape rest = t.ndim() > 0 ? t.shape().erased(0) : t.shape();
    s.in.push_back(fit(any(), t.with_shape(rest.inserted(0, s.length))));
    in.push_back(t.with_shape(rest));
  }
  s.captured = captures();
  // Loops in a body that never runs need not end.
  const int before = ending;
  if (s.length == 0) {
    ending = guarding();
    capture_guard(s, ending);
  }
  Types want = carry;
  for (int n = s.count == 0 ? 1 : dice_.below(3); n > 0; --n) want.push_back(dice_.pick(in));
  s.bodies.push_back(body(in, s.captured, a, 1 + dice_.below(3), &want));
  ending = before;
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_called() {
  static const std::vector<Kind> kinds = {Kind::call,       Kind::call,        Kind::custom_jvp,
                                          Kind::custom_vjp, Kind::custom_vmap, Kind::sequential,
                                          Kind::checkpoint, Kind::checkpoint};
  Step s;
  s.kind = dice_.pick(kinds);
  // These functions run their bodies with effects through the rules of others.
  if (dice_.acts && dice_.one_in(2))
    s.kind = dice_.pick(std::vector{Kind::custom_vjp, Kind::custom_vmap, Kind::sequential});
  // These may capture any value.
  const bool plain = s.kind == Kind::call || s.kind == Kind::checkpoint;
  if (s.kind == Kind::checkpoint)
    s.variant = dice_.below(static_cast<int>(checkpoint_policies_drawn().size()));
  // Functions with a reverse-mode rule have no forward-mode derivative.
  if (s.kind == Kind::custom_vjp && around_.forward) s.kind = Kind::custom_jvp;
  const bool derivative_rule = s.kind == Kind::custom_jvp || s.kind == Kind::custom_vjp;
  const Around a = [&] {
    Around b = deeper(around_, plain);
    if (s.kind == Kind::custom_vjp) b.reverse = true;
    if (derivative_rule) ++b.derivatives;
    // A vmap rule or a loop over lanes runs for all lanes together. Its effects would come between
    // those of the lanes before and after it.
    const bool for_maps = s.kind == Kind::custom_vmap || s.kind == Kind::sequential;
    b.quiet = b.quiet || (for_maps && !dice_.loose);
    return b;
  }();
  Types in;
  for (int n = 1 + dice_.below(2); n > 0; --n) {
    s.in.push_back(derivative_rule ? any_float() : any());
    in.push_back(type(s.in.back()));
  }
  // Rules capture no traced values.
  int guard = -1;
  if (plain) {
    s.captured = captures();
  } else {
    for (size_t k = 0; k < f_.steps.size(); ++k)
      if (f_.steps[k].kind == Kind::constant && s.captured.size() < 2 && dice_.one_in(3))
        s.captured.push_back(constant_of(k));
    if (dice_.one_in(3)) s.captured.push_back(constant(Type(F32, dice_.shape(2))));
    if (ending >= 0 && dice_.below(4)) {
      guard = static_cast<int>(in.size());
      s.in.push_back(ending);
      in.push_back(type(ending));
    }
  }
  Types all = in;
  for (int v : s.captured) all.push_back(type(v));
  FunctionGenerator inner(dice_, all, a);
  // The loop that it guards has no reverse-mode derivative.
  inner.ending = guard >= 0 && derivative_rule ? inner.op("stop_gradient", {guard}) : guard;
  if (plain && !s.captured.empty() && s.captured.back() == ending && ending >= 0)
    inner.ending = static_cast<int>(all.size()) - 1;
  if (dice_.acts && !a.quiet && !plain) inner.add_effect();
  inner.fill(1 + dice_.below(4));
  Fn f = inner.finish();
  if (derivative_rule) {
    FunctionGenerator floats(dice_, std::move(f), a);
    floats.end_with_floats();
    f = floats.take();
  }
  s.bodies.push_back(std::move(f));
  return add(std::move(s)) >= 0;
}

}  // namespace weft::programs
