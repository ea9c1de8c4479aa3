// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/run.cpp: runs a program with the public functions of Weft.
#include <weft/weft.h>

#include "programs/effects.h"

namespace weft::programs {
namespace {

// A body with its captured values.
struct Body {
  const Fn* f;
  Arrays captured;
  Arrays operator()(Arrays x) const { return run(*f, concat_lists(std::move(x), captured)); }
};

Axes axes(const MaybeAxes& a) {
  std::vector<Axes> r;
  for (const MaybeAxis& i : a) r.push_back(i ? Axes(*i) : Axes(none));
  return Axes(std::move(r));
}
Axes one_argument(Axes a) { return Axes(std::vector<Axes>{std::move(a)}); }

Arrays branch(const Step& s, const Arrays& x, const std::vector<Body>& body) {
  const Arrays operands = sublist(x, 1, x.size());
  if (s.variant == 0) return cond(x[0], body[1], body[0], operands);
  if (body.size() == 1) return switch_(x[0], std::tuple{body[0]}, operands);
  if (body.size() == 2) return switch_(x[0], std::tuple{body[0], body[1]}, operands);
  return switch_(x[0], std::tuple{body[0], body[1], body[2]}, operands);
}
Arrays loop(const Step& s, const Arrays& x, const std::vector<Body>& body) {
  WhileOptions o;
  if (s.count > 0) o.max_trips = s.count;
  return while_loop([&](Arrays c) { return body[0](c)[0]; }, body[1], x, o);
}
Arrays counted(const Arrays& x, const Body& body) {
  return fori_loop(
      x[0], x[1], [&](Array i, Arrays c) { return body(concat_lists({i}, c)); },
      sublist(x, 2, x.size()));
}
Arrays scanned(const Step& s, const Arrays& x, const Body& body) {
  const auto carry = static_cast<size_t>(s.count);
  ScanOptions o;
  o.length = s.length;
  o.reverse = s.reverse;
  o.unroll = s.unroll;
  const auto [c, ys] = scan(
      [&](Arrays c, Arrays rows) {
        const Arrays out = body(concat_lists(c, rows));
        return std::pair{sublist(out, 0, carry), sublist(out, carry, out.size())};
      },
      sublist(x, 0, carry), sublist(x, carry, x.size()), o);
  return concat_lists(c, ys);
}

// ---- functions with rules that define the same derivatives and maps as without rules

Arrays with_forward_rule(const Arrays& x, const Body& body) {
  using One = std::tuple<Arrays>;
  return custom_jvp(
      body, [body](One p, One t) -> std::pair<Arrays, Arrays> { return jvp(body, p, t); })(x);
}
// The derivative does not repeat the effects of the body.
Arrays with_reverse_rule(const Arrays& x, const Body& body) {
  const Fn quiet = without_effects(*body.f);
  return custom_vjp(
      body, [body](Arrays a) { return std::pair{body(a), a}; },
      [quiet, captured = body.captured](Arrays residuals, Arrays ct) {
        return vjp(Body{&quiet, captured}, residuals).second(ct);
      })(x);
}
Arrays with_map_rule(const Arrays& x, const Body& body) {
  return custom_vmap(body, [body](int64_t size, tree::Mask mapped, Arrays a) {
    MaybeAxes in;
    for (size_t k = 0; k < a.size(); ++k) in.push_back(mapped[k] ? MaybeAxis(0) : std::nullopt);
    VmapOptions o;
    o.axis_size = size;
    return std::pair{vmap(body, one_argument(axes(in)), 0, o)(a), true};
  })(x);
}
// The loop ends if s <= 0.5, and for no other s.
Array checked_end(const Array& s) {
  return while_loop([](Array q) { return q * q > .01; },
                    [](Array q) { return where(q > .5, q, q * .5); }, s);
}

// ---- transforms

Arrays mapped(const Step& s, const Arrays& x, const Body& body) {
  VmapOptions o;
  o.axis_name = s.name;
  o.axis_size = s.size;
  o.chunk_size = s.chunk;
  o.memory_budget = s.budget;
  return vmap(body, one_argument(axes(s.in_axes)), axes(s.out_axes), o)(x);
}
Arrays derivative(const Step& s, const Arrays& x, const Body& body) {
  const auto wrt = static_cast<size_t>(s.count);
  const size_t primals = s.bodies[0].in.size() - s.captured.size();
  const Arrays d = sublist(x, 0, wrt), rest = sublist(x, wrt, primals),
               more = sublist(x, primals, x.size());
  const auto f = [body, rest](Arrays a) { return body(concat_lists(std::move(a), rest)); };
  const auto scalar = [f](Arrays a) { return f(std::move(a))[0]; };
  const auto first = [f, d](Array a) {
    Arrays all = d;
    all[0] = a;
    return f(all)[0];
  };
  switch (s.kind) {
    case Kind::grad: {
      if (s.variant == 0) return grad(scalar)(d);
      const auto [value, g] = value_and_grad(scalar)(d);
      return concat_lists({value}, g);
    }
    case Kind::vjp: {
      const auto [out, back] = vjp(f, d);
      return concat_lists(out, std::get<0>(back(more)));
    }
    case Kind::jvp: {
      const auto [out, tangent] = jvp(f, std::make_tuple(d), std::make_tuple(more));
      return concat_lists(out, tangent);
    }
    case Kind::linearize: {
      const auto [out, linear] = linearize(f, d);
      return concat_lists(out, linear(more));
    }
    default:
      if (s.variant == 0) return {jacfwd(first)(d[0])};
      if (s.variant == 1) return {jacrev(first)(d[0])};
      return {hessian(first)(d[0])};
  }
}

LanePairs pairs_of(const Ints& order) {
  LanePairs r;
  for (size_t to = 0; to < order.size(); ++to)
    if (order[to] >= 0) r.emplace_back(order[to], static_cast<int64_t>(to));
  return r;
}
Array across(const Step& s, const Array& x) {
  switch (s.variant) {
    case psum: return weft::psum(x, s.name);
    case pmean: return weft::pmean(x, s.name);
    case pmax: return weft::pmax(x, s.name);
    case pmin: return weft::pmin(x, s.name);
    case all_gather: return weft::all_gather(x, s.name);
    case psum_scatter: return weft::psum_scatter(x, s.name);
    case pswapaxes: return weft::pswapaxes(x, s.name, 0);
    case pbroadcast: return weft::pbroadcast(x, s.name, s.count);
    case permuted: return weft::ppermute(x, s.name, pairs_of(s.order));
    case grouped_sum: return weft::psum(x, s.name, {groups_of(s)});
    case grouped_gather: return weft::all_gather(x, s.name, {groups_of(s)});
    default: return weft::axis_index(s.name);
  }
}
Array with_number(const Step& s, const Array& x) {
  switch (s.name[0]) {
    case '+': return x + s.number;
    case '-': return s.number - x;
    case '*': return x * s.number;
    default: return x / s.number;
  }
}

Arrays step(const Step& s, const Arrays& env) {
  const Arrays x = filter_list(env, s.in);
  std::vector<Body> body;
  for (const Fn& b : s.bodies) body.push_back({&b, filter_list(env, s.captured)});
  switch (s.kind) {
    case Kind::op: return call_op(*s.op, x, s.params);
    case Kind::constant: return {made(s.out[0], s.seed, s.lo, s.hi)};
    case Kind::number: return {with_number(s, x[0])};
    case Kind::function: return {composed()[static_cast<size_t>(s.variant)].run(x)};
    case Kind::collective: return {across(s, x.empty() ? Array() : x[0])};
    case Kind::call: return jit(body[0])(x);
    case Kind::cond: return branch(s, x, body);
    case Kind::while_loop: return loop(s, x, body);
    case Kind::fori: return counted(x, body[0]);
    case Kind::scan: return scanned(s, x, body[0]);
    case Kind::custom_jvp: return with_forward_rule(x, body[0]);
    case Kind::custom_vjp: return with_reverse_rule(x, body[0]);
    case Kind::custom_vmap: return with_map_rule(x, body[0]);
    case Kind::sequential: return sequential_vmap(body[0])(x);
    case Kind::checkpoint:
      return checkpoint(
          body[0],
          {.policy = checkpoint_policies_drawn()[static_cast<size_t>(s.variant)].policy})(x);
    case Kind::checked_end: return {checked_end(x[0])};
    case Kind::effect: return act(s, x[0]);
    case Kind::vmap: return mapped(s, x, body[0]);
    default: return derivative(s, x, body[0]);
  }
}

}  // namespace

const std::vector<NamedPolicy>& checkpoint_policies_drawn() {
  namespace policies = checkpoint_policies;
  static const std::vector<NamedPolicy> all{
      {"nothing_saveable", policies::nothing_saveable},
      {"everything_saveable", policies::everything_saveable},
      {"dots_saveable", policies::dots_saveable},
      {"save_only_these_names(\"a\")", policies::save_only_these_names("a")},
      {"save_anything_except_these_names(\"a\")", policies::save_anything_except_these_names("a")}};
  return all;
}

Arrays run(const Fn& f, const Arrays& x) {
  Arrays env = x;
  for (const Step& s : f.steps) {
    const Arrays out = step(s, env);
    env.insert(env.end(), out.begin(), out.end());
  }
  return filter_list(env, f.out);
}

}  // namespace weft::programs
