// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/random_jaxpr.h: makes random well-typed programs of all registered ops. They
// contain the samples of the ops, and calls, conditionals and loops around random bodies if those
// ops exist.
#pragma once
#include <cstring>
#include <random>

#include "core/op.h"
#include "core/param.h"
#include "weft/error.h"

namespace weft::testing {

class RandomJaxpr {
 public:
  explicit RandomJaxpr(uint64_t seed) : random_(seed) {
    for (const Op* op : all_ops())
      for (AnySample& s : op->samples())
        if (has_text(s)) samples_.push_back({op, std::move(s)});
  }
  // Makes a program in which no body has more than `equations` equations and bodies nest up to
  // `depth` deep.
  Jaxpr make(int equations = 12, int depth = 2) {
    OpenJaxpr d;
    const int n = below(equations + 1);
    for (int i = 0; i < n; ++i) add(d, depth);
    const int results = below(4);
    for (int i = 0; i < results && !d.types.empty(); ++i)
      d.out.push_back(Atom{below(static_cast<int>(d.types.size()))});
    if (below(3) == 0) d.out.push_back(literal(d, Type(F32, {}, below(2))));
    return finish(d, below(2) ? 0 : below(3));
  }
  // Makes a program with these input types and these result types.
  Jaxpr make(const Types& in, const Types& out, int depth) {
    OpenJaxpr d;
    for (const Type& t : in) input(d, t);
    d.closed = true;
    const int n = below(4);
    for (int i = 0; i < n; ++i) add(d, depth);
    for (const Type& t : out) d.out.push_back(operand(d, t));
    return finish(d, 0);
  }

 private:
  // C++ objects among the parameters cannot be read back from text.
  static bool has_text(const AnySample& s) {
    for (const ParamField& f : s.params->fields())
      if (const auto* o = std::get_if<Opaque>(&f.value); o && o->object) return false;
    return true;
  }
  struct OpSample {
    const Op* op;
    AnySample sample;
  };
  // Inputs and results are numbered in the order of their creation; finish() renumbers inputs to be
  // first.
  struct OpenJaxpr {
    Types types;
    std::vector<int32_t> inputs;
    std::vector<Literal> literals;
    std::vector<Eqn> eqns;
    std::vector<Atom> out;
    bool closed = false;  // no more inputs are added
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }

  Atom input(OpenJaxpr& d, const Type& t) {
    d.inputs.push_back(static_cast<int32_t>(d.types.size()));
    d.types.push_back(t);
    return {d.inputs.back()};
  }
  // Takes random bits, so that NaNs, infinities and subnormals are as likely as other values.
  Atom literal(OpenJaxpr& d, const Type& t) {
    Literal l{t.dtype(), t.weak(), {0, 0}};
    const int bytes = itemsize(t.dtype());
    for (int i = 0; i < bytes; ++i)
      reinterpret_cast<unsigned char*>(l.bits)[i] = static_cast<unsigned char>(random_());
    if (t.dtype() == Bool) l.bits[0] &= 1;
    if (below(2)) {
      // Takes a small number, as in programs written by people.
      const auto small = static_cast<uint64_t>(below(10));
      l.bits[0] = t.dtype() == Bool ? small & 1 : is_integer(t.dtype()) ? small : 0;
      l.bits[1] = 0;
    }
    d.literals.push_back(l);
    return {~static_cast<int32_t>(d.literals.size() - 1)};
  }
  // Returns an atom of type t: a variable, a literal, a new input, or a value that can always be
  // made.
  Atom operand(OpenJaxpr& d, const Type& t) {
    std::vector<int32_t> found;
    for (size_t v = 0; v < d.types.size(); ++v)
      if (d.types[v] == t) found.push_back(static_cast<int32_t>(v));
    if (!found.empty() && below(8))
      return {found[static_cast<size_t>(below(static_cast<int>(found.size())))]};
    if (t.ndim() == 0 && !is_key(t.dtype()) && (d.closed || below(2))) return literal(d, t);
    if (!d.closed) return input(d, t);
    if (!found.empty()) return {found[0]};
    Eqn e;
    e.op = find_op("broadcast_in_dim");
    e.params = e.op->parse_params({{"shape", t.shape().sizes()}, {"broadcast_dimensions", Ints{}}});
    e.in = {literal(d, Type(t.dtype(), {}, t.weak()))};
    return append(d, std::move(e), {t});
  }
  Atom append(OpenJaxpr& d, Eqn e, const Types& out) {
    e.out = static_cast<int32_t>(d.types.size());
    e.n_out = static_cast<int32_t>(out.size());
    d.types.insert(d.types.end(), out.begin(), out.end());
    d.eqns.push_back(std::move(e));
    return {d.eqns.back().out};
  }

  void add(OpenJaxpr& d, int depth) {
    if (depth > 0 && below(4) == 0 && add_nested(d, depth - 1)) return;
    if (samples_.empty()) return;
    const OpSample& s = samples_[static_cast<size_t>(below(static_cast<int>(samples_.size())))];
    bool makeable = true;
    for (const Type& t : s.sample.in) makeable = makeable && (!d.closed || !is_key(t.dtype()));
    if (!makeable) return;
    Eqn e;
    e.op = s.op;
    e.params = s.sample.params;
    Types in;
    for (const Type& t : s.sample.in) {
      // One operand in eight is weakly typed.
      e.in.push_back(
          operand(d, below(8) || is_key(t.dtype()) ? t : Type(t.dtype(), t.shape(), true)));
      in.push_back(type(d, e.in.back()));
    }
    try {
      const Types out = e.op->type(in, e.params);
      append(d, std::move(e), out);
    } catch (const Error&) {
      // This op does not accept weakly typed operands here.
    }
  }
  static Type type(const OpenJaxpr& d, Atom a) {
    return a.is_literal() ? d.literals[static_cast<size_t>(a.literal())].type()
                          : d.types[static_cast<size_t>(a.index)];
  }

  Types some_types(int n) {
    Types ts;
    for (int i = 0; i < n; ++i) {
      const Type all[] = {Type(F32, {}), Type(F32, {3}), Type(I32, {}), Type(F32, {2, 3})};
      ts.push_back(all[below(4)]);
    }
    return ts;
  }
  bool add_nested(OpenJaxpr& d, int depth) {
    const char* const names[] = {"jit", "cond", "while", "scan"};
    const int kind = below(4);
    if (!find_op(names[kind]) || !find_op("broadcast_in_dim")) return false;
    const Types carry = some_types(1 + below(3));
    Eqn e;
    e.op = find_op(names[kind]);
    Types in = carry;
    if (kind == 0) {
      e.params = e.op->parse_params({{"jaxpr", make(carry, some_types(below(3)), depth)},
                                     {"name", std::string(below(2) ? "f" : "a b'")}});
    } else if (kind == 1) {
      const Types out = some_types(below(3));
      std::vector<Jaxpr> branches;
      for (int i = 0, n = 1 + below(3); i < n; ++i) branches.push_back(make(carry, out, depth));
      e.params = e.op->parse_params({{"branches", branches}});
      in.insert(in.begin(), Type(I32, {}));
    } else if (kind == 2) {
      e.params = e.op->parse_params({{"cond_jaxpr", make(carry, {Type(Bool, {})}, depth)},
                                     {"body_jaxpr", make(carry, carry, depth)}});
    } else {
      const int64_t length = below(5);
      const Types xs = some_types(below(2));
      Types body_in = carry, body_out = carry;
      for (const Type& x : xs) {
        body_in.push_back(x);
        in.push_back(x.with_shape(x.shape().inserted(0, length)));
      }
      for (const Type& y : some_types(below(2))) body_out.push_back(y);
      e.params = e.op->parse_params({{"jaxpr", make(body_in, body_out, depth)},
                                     {"length", length},
                                     {"num_carry", static_cast<int64_t>(carry.size())}});
    }
    for (const Type& t : in) e.in.push_back(operand(d, t));
    const Types out = e.op->type(in, e.params);
    append(d, std::move(e), out);
    return true;
  }

  static Jaxpr finish(OpenJaxpr& d, int consts) {
    auto j = make_ref<JaxprData>();
    std::vector<int32_t> number(d.types.size());
    const auto define = [&](int32_t v) {
      number[static_cast<size_t>(v)] = static_cast<int32_t>(j->types.size());
      j->types.push_back(d.types[static_cast<size_t>(v)]);
    };
    for (int32_t v : d.inputs) define(v);
    j->n_in = static_cast<int>(j->types.size());
    j->n_const = std::min(consts, j->n_in);
    j->literals = std::move(d.literals);
    const auto renumber = [&](Atom& a) {
      if (!a.is_literal()) a.index = number[static_cast<size_t>(a.index)];
    };
    for (Eqn& e : d.eqns) {
      for (Atom& a : e.in) renumber(a);
      const int32_t first = static_cast<int32_t>(j->types.size());
      for (int32_t k = 0; k < e.n_out; ++k) define(e.out + k);
      e.out = first;
      j->eqns.push_back(std::move(e));
    }
    j->out = std::move(d.out);
    for (Atom& a : j->out) renumber(a);
    return intern(std::move(j));
  }

  std::mt19937_64 random_;
  std::vector<OpSample> samples_;
};

}  // namespace weft::testing
