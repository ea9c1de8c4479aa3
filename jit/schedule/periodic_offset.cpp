// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/periodic_offset.cpp: finds the period of an expression of one index, and evaluates
// it for each index of a period.
#include "jit/schedule/periodic_offset.h"

#include <numeric>

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

class Expression {
 public:
  Expression(const Kernel& k, const Divergence& d, int64_t longest)
      : k_(k), d_(d), longest_(longest) {}

  // After `period` indices a value has grown by `advance`.
  struct Repeats {
    int64_t period, advance;
  };
  std::optional<Repeats> repeats(Id v) {
    constexpr int deepest = 16;
    const Inst& i = k_.insts[v];
    if (const auto c = constant(v)) return Repeats{1, 0};
    const nest::Variance& s = d_.variance[v];
    if (!s.varying && s.known && s.stride == 1) {
      if (index != no_id && index != v) return {};
      index = v;
      return Repeats{1, 1};
    }
    if (i.kind != Kind::I64 || i.args.size() != 2 || ++depth_ > deepest) return {};
    const auto a = repeats(i.args[0]);
    const auto b = a ? repeats(i.args[1]) : std::nullopt;
    --depth_;
    if (!a || !b) return {};
    if (i.op == Opcode::Add) {
      const int64_t period = std::lcm(a->period, b->period);
      return within({period, period / a->period * a->advance + period / b->period * b->advance});
    }
    const auto by = constant(i.args[1]);
    if (!by || *by < 1) return {};
    if (i.op == Opcode::Mul) return within({a->period, a->advance * *by});
    if (i.op != Opcode::SDiv && i.op != Opcode::SRem) return {};
    const int64_t times = *by / std::gcd(a->advance, *by);
    const Repeats whole{a->period * times, a->advance * times / *by};
    return within(i.op == Opcode::SDiv ? whole : Repeats{whole.period, 0});
  }
  int64_t at(Id v, int64_t x) const {
    if (v == index) return x;
    if (const auto c = constant(v)) return *c;
    const Inst& i = k_.insts[v];
    const int64_t a = at(i.args[0], x), b = at(i.args[1], x);
    return i.op == Opcode::Add    ? a + b
           : i.op == Opcode::Mul  ? a * b
           : i.op == Opcode::SDiv ? a / b
                                  : a % b;
  }

  Id index = no_id;

 private:
  // No value is negative, so that divisions round down.
  std::optional<int64_t> constant(Id v) const {
    const auto c = static_cast<int64_t>(k_.insts[v].imm);
    if (k_.insts[v].op != Opcode::Const || c < 0 || c >= large) return {};
    return c;
  }
  std::optional<Repeats> within(const Repeats& r) const {
    if (r.period > longest_ || r.advance >= large) return {};
    return r;
  }
  static constexpr int64_t large = int64_t{1} << 31;

  const Kernel& k_;
  const Divergence& d_;
  const int64_t longest_;
  int depth_ = 0;
};

}  // namespace

std::optional<PeriodicOffset> periodic_offset(const Kernel& k, const Divergence& d, Id offset,
                                              int64_t longest) {
  PeriodicOffset out;
  std::vector<Id> terms, sums{offset};
  while (!sums.empty()) {
    const Id v = sums.back();
    sums.pop_back();
    const Inst& i = k.insts[v];
    if (d.variance[v].uniform())
      out.uniform.push_back(v);
    else if (i.op == Opcode::Add)
      sums.insert(sums.end(), i.args.begin(), i.args.end());
    else
      terms.push_back(v);
  }
  Expression e(k, d, longest);
  for (const Id v : terms) {
    const auto r = e.repeats(v);
    if (!r) return {};
    const int64_t period = std::lcm(out.period, r->period);
    if (period > longest) return {};
    out.advance = period / out.period * out.advance + period / r->period * r->advance;
    out.period = period;
  }
  if (e.index == no_id) return {};
  out.index = e.index;
  for (int64_t x = 0; x < out.period; ++x) {
    int64_t sum = 0;
    for (const Id v : terms) sum += e.at(v, x);
    out.values.push_back(sum);
  }
  return out;
}

}  // namespace weft::compiler
