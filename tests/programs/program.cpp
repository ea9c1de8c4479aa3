// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/program.cpp: the types of a program, its arguments, and visits of its steps.
#include "programs/program.h"

#include <weft/weft.h>

#include "weft/error.h"

namespace weft::programs {
namespace {

[[noreturn]] void impossible(const char* why) { throw ShapeError(why); }
void require(bool right, const char* why) {
  if (!right) impossible(why);
}

Types sublist(const Types& t, size_t from, size_t to) {
  require(from <= to && to <= t.size(), "too few operands");
  return {t.begin() + static_cast<std::ptrdiff_t>(from),
          t.begin() + static_cast<std::ptrdiff_t>(to)};
}
Types concat_lists(Types a, const Types& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const Type scalar_bool(Bool, {}), scalar_i32(I32, {});

bool derives(Kind k) { return k >= Kind::grad; }

// Returns the types that the bodies take, without captured values. `primals` of a derivative is the
// number of operands that are not cotangents or tangents.
Types body_inputs(const Step& s, const Types& in, size_t primals) {
  switch (s.kind) {
    case Kind::cond:
      require(!in.empty() && in[0] == (s.variant == 0 ? scalar_bool : scalar_i32), "no predicate");
      return sublist(in, 1, in.size());
    case Kind::fori:
      require(in.size() >= 2 && in[0] == scalar_i32 && in[1] == scalar_i32, "no bounds");
      return concat_lists({scalar_i32}, sublist(in, 2, in.size()));
    case Kind::scan: {
      const auto carry = static_cast<size_t>(s.count);
      Types t = sublist(in, 0, carry);
      for (const Type& row : sublist(in, carry, in.size())) {
        require(row.ndim() > 0 && row.shape()[0] == s.length, "rows of another length");
        t.push_back(row.with_shape(row.shape().erased(0)));
      }
      return t;
    }
    case Kind::vmap: {
      Types t;
      require(in.size() == s.in_axes.size(), "axes of other operands");
      for (size_t k = 0; k < in.size(); ++k) {
        const MaybeAxis a = s.in_axes[k];
        require(!a || (*a < in[k].ndim() && in[k].shape()[*a] == s.size), "lanes of another size");
        t.push_back(a ? in[k].with_shape(in[k].shape().erased(*a)) : in[k]);
      }
      return t;
    }
    default: return derives(s.kind) ? sublist(in, 0, primals) : in;
  }
}

Types mapped_results(const Step& s, const Types& body) {
  require(body.size() == s.out_axes.size(), "axes of other results");
  Types out;
  for (size_t k = 0; k < body.size(); ++k) {
    const MaybeAxis a = s.out_axes[k];
    require(!a || *a <= body[k].ndim(), "no such axis of a result");
    out.push_back(a ? body[k].with_shape(body[k].shape().inserted(*a, s.size)) : body[k]);
  }
  return out;
}
Types derivative_results(const Step& s, const Types& in, const Types& body, size_t primals) {
  const auto wrt = static_cast<size_t>(s.count);
  require(wrt >= 1 && wrt <= primals && !body.empty(), "derivatives of nothing");
  const Types d = sublist(in, 0, wrt), more = sublist(in, primals, in.size());
  for (const Types& all : {d, body})
    for (const Type& t : all) require(is_floating(t.dtype()), "derivatives of integers");
  const bool scalar = body.size() == 1 && body[0].ndim() == 0;
  switch (s.kind) {
    case Kind::grad:
      require(scalar && more.empty(), "no loss");
      return s.variant ? concat_lists(body, d) : d;
    case Kind::vjp: require(more == body, "other cotangents"); return concat_lists(body, d);
    case Kind::jacobian: {
      require(body.size() == 1 && more.empty() && d[0].dtype() == body[0].dtype(), "no Jacobian");
      require(s.variant != 2 || scalar, "no Hessian");
      Ints sizes = s.variant == 2 ? d[0].shape().sizes() : body[0].shape().sizes();
      sizes.insert(sizes.end(), d[0].shape().begin(), d[0].shape().end());
      return {body[0].with_shape(sizes)};
    }
    default: require(more == d, "other tangents"); return concat_lists(body, body);
  }
}

Types results(const Step& s, const Types& in, size_t primals) {
  const Types body = s.bodies.empty() ? Types{} : s.bodies.back().out_types();
  switch (s.kind) {
    case Kind::cond:
      for (const Fn& f : s.bodies) require(f.out_types() == body, "branches of different types");
      return body;
    case Kind::while_loop:
      require(s.bodies[0].out_types() == Types{scalar_bool} && body == in, "no loop");
      return body;
    case Kind::fori: require(body == sublist(in, 2, in.size()), "another carry"); return body;
    case Kind::scan: {
      const auto carry = static_cast<size_t>(s.count);
      Types out = sublist(body, 0, carry);
      require(out == sublist(in, 0, carry), "another carry");
      for (const Type& t : sublist(body, carry, body.size()))
        out.push_back(t.with_shape(t.shape().inserted(0, s.length)));
      return out;
    }
    case Kind::vmap: return mapped_results(s, body);
    default: return derives(s.kind) ? derivative_results(s, in, body, primals) : body;
  }
}
Types simple_results(const Step& s, const Types& in) {
  switch (s.kind) {
    case Kind::op: return s.op->type(in, s.params);
    case Kind::constant: return s.out;
    case Kind::number: require(is_floating(in.at(0).dtype()), "no float"); return in;
    case Kind::function: {
      Arrays x;
      for (const Type& t : in) x.push_back(base::zeros(t));
      const Composed& f = composed()[static_cast<size_t>(s.variant)];
      return make_jaxpr([&](Arrays a) { return f.run(a); })(x).jaxpr->out_types();
    }
    case Kind::checked_end:
      require(in == Types{Type(in.at(0).dtype(), {})}, "no scalar");
      return in;
    case Kind::effect: {
      const DType d = in.at(0).dtype();
      require(is_number(d) || is_bool(d), "no number");
      return s.variant == calls ? Types{Type(is_complex(d) ? real_part(d) : d, {})} : Types{};
    }
    default: break;
  }
  if (s.variant == axis_index) return {scalar_i32};
  const Type& t = in.at(0);
  if (s.variant == psum_scatter || s.variant == pswapaxes)
    require(t.ndim() > 0 && t.shape()[0] == s.size, "no entry a lane");
  switch (s.variant) {
    case all_gather: return {t.with_shape(t.shape().inserted(0, s.size))};
    case grouped_gather: return {t.with_shape(t.shape().inserted(0, s.count))};
    case psum_scatter: return {t.with_shape(t.shape().erased(0))};
    default: return {t};
  }
}

}  // namespace

std::vector<Ints> groups_of(const Step& s) {
  std::vector<Ints> groups;
  for (size_t k = 0; k < s.order.size(); ++k) {
    if (k % static_cast<size_t>(s.count) == 0) groups.emplace_back();
    groups.back().push_back(s.order[k]);
  }
  return groups;
}

void complete(Step& s, const Types& in, const Types& captured) {
  if (s.kind == Kind::op || s.kind == Kind::constant || s.kind == Kind::number ||
      s.kind == Kind::function || s.kind == Kind::checked_end || s.kind == Kind::effect ||
      s.kind == Kind::collective) {
    s.out = simple_results(s, in);
    return;
  }
  const size_t primals = s.bodies[0].in.size() - captured.size();
  const Types want = concat_lists(body_inputs(s, in, primals), captured);
  for (Fn& f : s.bodies) {
    require(f.in.size() == want.size(), "a body of other operands");
    if (f.in != want) {
      f.in = want;
      retype(f);
    }
  }
  s.out = results(s, in, primals);
}

void retype(Fn& f) {
  Types t = f.in;
  const auto chosen = [&](const std::vector<int>& which) {
    Types r;
    for (int v : which) r.push_back(t.at(static_cast<size_t>(v)));
    return r;
  };
  for (Step& s : f.steps) {
    complete(s, chosen(s.in), chosen(s.captured));
    t.insert(t.end(), s.out.begin(), s.out.end());
  }
  for (int v : f.out) require(v >= 0 && v < static_cast<int>(t.size()), "no such result");
}

Types Fn::values() const {
  Types t = in;
  for (const Step& s : steps) t.insert(t.end(), s.out.begin(), s.out.end());
  return t;
}
Types Fn::out_types() const {
  const Types t = values();
  Types r;
  for (int v : out) r.push_back(t[static_cast<size_t>(v)]);
  return r;
}

void for_each_step(const Fn& f, FunctionRef<void(const Step&)> visit) {
  for (const Step& s : f.steps) {
    visit(s);
    for (const Fn& b : s.bodies) for_each_step(b, visit);
  }
}
Fn without_effects(Fn f) {
  std::erase_if(f.steps, [](const Step& s) { return s.kind == Kind::effect && s.out.empty(); });
  for (Step& s : f.steps)
    for (Fn& b : s.bodies) b = without_effects(std::move(b));
  return f;
}
int64_t count_steps(const Fn& f) {
  int64_t n = 0;
  for_each_step(f, [&](const Step&) { ++n; });
  return n;
}
bool holds(const Fn& f, Kind k) {
  bool any = false;
  for_each_step(f, [&](const Step& s) { any = any || s.kind == k; });
  return any;
}

// ---- numbers

Array made(const Type& t, uint64_t seed, double lo, double hi) {
  Random r(seed);
  Fresh f = fresh_array(t);
  const auto n = static_cast<size_t>(t.elements());
  const auto number = [&] { return std::nearbyint(r.uniform(lo, hi) * 64) / 64; };
  with_dtype(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    auto* to = static_cast<T*>(f.data);
    for (size_t i = 0; i < n; ++i) {
      if constexpr (is_complex(dtype_of_v<T>)) {
        to[i].re = static_cast<decltype(T{}.re)>(number());
        to[i].im = static_cast<decltype(T{}.im)>(number());
      } else if constexpr (laws::floats<T>) {
        if constexpr (std::is_same_v<T, double>)
          to[i] = number();
        else
          to[i] = T(static_cast<float>(number()));
      } else if constexpr (std::is_same_v<T, bool>) {
        to[i] = r.word() % 2;
      } else if (is_key(t.dtype())) {
        to[i] = static_cast<T>(r.word());
      } else {
        const double least = static_cast<double>(std::numeric_limits<T>::min());
        to[i] = static_cast<T>(std::floor(r.uniform(std::max(lo, least), hi + 1)));
      }
    }
  });
  return f.array;
}
Arrays made(const Types& t, uint64_t seed) {
  Arrays x;
  for (size_t k = 0; k < t.size(); ++k)
    x.push_back(made(t[k], seed * 1000003 + k, -2, is_integer(t[k].dtype()) ? 6 : 2));
  return x;
}

}  // namespace weft::programs
