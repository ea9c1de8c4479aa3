// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/lockstep_step.cpp: a while, scan or cond that mixes lanes: a native loop over compiled
// programs.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/op.h"
#include "weft/core/param_field.h"
#include "weft/jit/run/nans.h"
#include "weft/jit/run/steps.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/red_zones.h"
#include "weft/runtime/stop.h"
#include "weft/tracer/concrete.h"

namespace weft::compiler {
namespace {

// Values that live as long as the loop runs.
struct Room {
  std::optional<Temporaries> memory;
  std::vector<void*> ptrs;
  explicit Room(const Types& types) {
    if (types.empty()) return;
    memory.emplace(bytes(types));
    std::byte* at = memory->data();
    for (const Type& t : types) {
      ptrs.push_back(at);
      forbid_rest(at, t.bytes(), room_of(t.bytes()));
      at += room_of(t.bytes());
    }
  }
  static int64_t bytes(const Types& types) {
    int64_t n = 0;
    for (const Type& t : types) n += room_of(t.bytes());
    return n;
  }
};

class Lockstep final : public RunStep {
 public:
  Lockstep(const Program& p, const Step& s, Bodies bodies)
      : j_(p.j),
        e_(p.j->eqns[s.eqn]),
        form_(p.scope.lowering[s.eqn].loop),
        why_(s.why),
        programs_(std::move(bodies)) {
    for (int32_t k = 0; k < e_.n_out; ++k)
      out_types_.push_back(j_->types[static_cast<size_t>(e_.out + k)]);
  }
  void run(void* const* ptrs, const int32_t* stop) const override {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (Atom a : e_.in)
      in.push_back(a.is_literal() ? static_cast<const void*>(
                                        j_->literals[static_cast<size_t>(a.literal())].bits)
                                  : ptrs[a.index]);
    for (int32_t k = 0; k < e_.n_out; ++k) out.push_back(ptrs[e_.out + k]);
    switch (form_.kind) {
      case LoopForm::Kind::loop_while: run_while(in, out, stop); break;
      case LoopForm::Kind::scan: run_scan(in, out, stop); break;
      case LoopForm::Kind::cond: run_cond(in, out, stop); break;
      case LoopForm::Kind::call: run_call(in, out); break;
    }
  }
  std::string describe() const override {
    constexpr const char* kinds[] = {"while", "scan", "cond", "call"};
    std::string s = fmt::format("lockstep {} ({})", kinds[static_cast<int>(form_.kind)], why_);
    int in_place = 0;
    if (form_.kind != LoopForm::Kind::cond)
      for (int t = 0; t < form_.carry; ++t) in_place += stays(static_cast<size_t>(t));
    if (in_place) s += fmt::format(", {} of {} carries updated in place", in_place, form_.carry);
    for (const auto& p : programs_)
      for (const auto& step : p->steps()) s += "\n      " + step->describe();
    return s;
  }
  bool loops() const override { return true; }
  int64_t trips() const override { return form_.kind == LoopForm::Kind::scan ? form_.length : 1; }
  int64_t temporaries() const override {
    int64_t most = 0;
    for (const auto& p : programs_) most = std::max(most, p->temporaries());
    const int64_t mask = Type(Bool, Shape(form_.lanes)).bytes();
    if (form_.kind == LoopForm::Kind::call) return most;
    if (form_.kind != LoopForm::Kind::cond)
      return most + Room::bytes(moving(form_.carry)) + (form_.active() ? mask : 0);
    if (!form_.active()) return most;
    return most + Room::bytes(out_types_) + static_cast<int64_t>(programs_.size() - 1) * mask;
  }
  std::vector<const CompiledProgram*> inner() const override {
    std::vector<const CompiledProgram*> r;
    for (const auto& p : programs_) r.push_back(p.get());
    return r;
  }

 private:
  using In = std::vector<const void*>;
  using Out = std::vector<void*>;
  void run_while(const In& in, const Out& out, const int32_t* stop) const;
  void run_scan(const In& in, const Out& out, const int32_t* stop) const;
  void run_cond(const In& in, const Out& out, const int32_t* stop) const;
  void run_call(const In& in, const Out& out) const;
  // Carries alternate between the results' memory and a second place; those that the body may
  // write over stay where they are.
  struct Carries {
    Out now, next;
    Room spare;
    Carries(const Lockstep& s, const In& in, const Out& out, int first, int n)
        : now(out.begin(), out.begin() + n), spare(s.moving(n)) {
      next = spare.ptrs;
      for (size_t t = 0; t < now.size(); ++t) {
        const int64_t b = s.out_types_[t].bytes();
        const void* from = in[static_cast<size_t>(first) + t];
        if (b && from != now[t]) std::memcpy(now[t], from, static_cast<size_t>(b));
        if (s.stays(t)) next[t] = now[t];
      }
    }
    void flip() { std::swap(now, next); }
    void deliver(const Lockstep& s, const Out& out) const {
      for (size_t t = 0; t < now.size(); ++t)
        if (const int64_t b = s.out_types_[t].bytes(); b && now[t] != out[t])
          std::memcpy(out[t], now[t], static_cast<size_t>(b));
    }
  };

  // Whether the body writes carry t over the one it is given.
  bool stays(size_t t) const {
    const CompiledProgram& body = *programs_.back();
    const int first = body.jaxpr()->n_in - form_.rows - form_.carry;
    return body.in_place(t) == first + static_cast<int>(t);
  }
  // Types of the carries that need a second place.
  Types moving(int n) const {
    Types r(out_types_.begin(), out_types_.begin() + n);
    for (size_t t = 0; t < r.size(); ++t)
      if (stays(t)) r[t] = Type(Bool, Shape{0});
    return r;
  }

  Jaxpr j_;
  const Eqn& e_;
  LoopForm form_;
  std::string why_;
  Bodies programs_;
  Types out_types_;
};

void Lockstep::run_while(const In& in, const Out& out, const int32_t* stop) const {
  Carries c(*this, in, out, form_.first_carry(), form_.carry);
  bool go = false;
  Room active(form_.active() ? Types{Type(Bool, Shape(form_.lanes))} : Types{});
  for (;;) {
    In test;
    if (form_.enter) test.push_back(in[0]);
    for (int k = 0; k < form_.cond_consts; ++k)
      test.push_back(in[static_cast<size_t>(form_.first_cond_const() + k)]);
    test.insert(test.end(), c.now.begin(), c.now.end());
    Out answer{&go};
    if (form_.active()) answer.push_back(active.ptrs[0]);
    programs_[0]->run_inside(test.data(), answer.data(), stop);
    if (!go || __atomic_load_n(stop, __ATOMIC_RELAXED)) break;
    In step;
    if (form_.active()) step.push_back(active.ptrs[0]);
    for (int k = 0; k < form_.consts; ++k)
      step.push_back(in[static_cast<size_t>(form_.first_const() + k)]);
    step.insert(step.end(), c.now.begin(), c.now.end());
    programs_[1]->run_inside(step.data(), c.next.data(), stop);
    c.flip();
  }
  c.deliver(*this, out);
}

void Lockstep::run_scan(const In& in, const Out& out, const int32_t* stop) const {
  Carries c(*this, in, out, form_.first_carry(), form_.carry);
  int64_t steps = form_.length;
  if (form_.trips) {
    int64_t lanes = 1;
    for (int64_t n : form_.lanes) lanes *= n;
    const int32_t* trips = static_cast<const int32_t*>(in[0]);
    steps = 0;
    for (int64_t l = 0; l < lanes; ++l) steps = std::max<int64_t>(steps, trips[l]);
    steps = std::min(steps, form_.length);
    for (int k = form_.carry; k < form_.carry + form_.results; ++k)
      if (const int64_t b = out_types_[static_cast<size_t>(k)].bytes())
        std::memset(out[static_cast<size_t>(k)], 0, static_cast<size_t>(b));
  }
  const auto row_bytes = [](const Type& t) {
    return t.shape()[0] == 0 ? 0 : t.bytes() / t.shape()[0];
  };
  for (int64_t s = 0; s < steps && !__atomic_load_n(stop, __ATOMIC_RELAXED); ++s) {
    const int64_t t = form_.reverse ? steps - 1 - s : s;
    const int32_t number = static_cast<int32_t>(t);
    In args;
    if (form_.trips) {
      args.push_back(&number);
      args.push_back(in[0]);
    }
    for (int k = 0; k < form_.consts; ++k)
      args.push_back(in[static_cast<size_t>(form_.first_const() + k)]);
    args.insert(args.end(), c.now.begin(), c.now.end());
    for (int r = 0; r < form_.rows; ++r) {
      const auto k = static_cast<size_t>(form_.first_row() + r);
      args.push_back(static_cast<const std::byte*>(in[k]) + t * row_bytes(j_->type(e_.in[k])));
    }
    Out to = c.next;
    for (int k = 0; k < form_.results; ++k) {
      const auto r = static_cast<size_t>(form_.carry + k);
      to.push_back(static_cast<std::byte*>(out[r]) + t * row_bytes(out_types_[r]));
    }
    programs_[0]->run_inside(args.data(), to.data(), stop);
    c.flip();
  }
  c.deliver(*this, out);
}

void Lockstep::run_cond(const In& in, const Out& out, const int32_t* stop) const {
  const auto n = static_cast<size_t>(form_.consts),
             first = static_cast<size_t>(form_.first_const());
  const auto zero = [&] {
    for (size_t k = 0; k < out.size(); ++k)
      if (const int64_t b = out_types_[k].bytes()) std::memset(out[k], 0, static_cast<size_t>(b));
  };
  if (!form_.active()) {
    if (form_.enter && !*static_cast<const bool*>(in[1])) return zero();
    const int64_t index = std::clamp<int64_t>(*static_cast<const int32_t*>(in[0]), 0,
                                              static_cast<int64_t>(programs_.size()) - 1);
    programs_[static_cast<size_t>(index)]->run_inside(in.data() + first, out.data(), stop);
    return;
  }
  const size_t branches = programs_.size() - 1;
  std::vector<char> any(branches, 0);
  Room masks(Types(branches, Type(Bool, Shape(form_.lanes))));
  Out answer;
  for (size_t b = 0; b < branches; ++b) {
    answer.push_back(&any[b]);
    answer.push_back(masks.ptrs[b]);
  }
  programs_[0]->run_inside(in.data(), answer.data(), stop);
  zero();
  Room spare(out_types_);
  Out now = out, next = spare.ptrs;
  for (size_t b = 0; b < branches; ++b) {
    if (!any[b]) continue;  // no lane takes it: it is not run
    In args{masks.ptrs[b]};
    args.insert(args.end(), in.begin() + static_cast<std::ptrdiff_t>(first),
                in.begin() + static_cast<std::ptrdiff_t>(first + n));
    args.insert(args.end(), now.begin(), now.end());
    programs_[b + 1]->run_inside(args.data(), next.data(), stop);
    std::swap(now, next);
  }
  for (size_t k = 0; k < out.size(); ++k)
    if (const int64_t b = out_types_[k].bytes(); b && now[k] != out[k])
      std::memcpy(out[k], now[k], static_cast<size_t>(b));
}

// A call with a time limit or a check of its own.
void Lockstep::run_call(const In& in, const Out& out) const {
  const std::string name = param_field<std::string>(e_.params, "name").value_or(e_.op->name());
  const TimeLimit limit(param_field<double>(e_.params, "time_limit").value_or(0), name.c_str());
  const StopFlag flag;
  programs_[0]->run_inside(in.data(), out.data(), flag.word());
  limit.token().check(name.c_str());
  if (!param_field<bool>(e_.params, "check_nans").value_or(false)) return;
  Arrays operands, results;
  for (size_t i = 0; i < in.size(); ++i)
    operands.push_back(array_of_bytes(j_->type(e_.in[i]), in[i]));
  for (size_t k = 0; k < out.size(); ++k) results.push_back(array_of_bytes(out_types_[k], out[k]));
  weft::detail::check_nans(name, form_.bodies[0], operands, results);
}

}  // namespace

std::unique_ptr<RunStep> make_lockstep(const Program& p, const Step& s, Bodies bodies) {
  return std::make_unique<Lockstep>(p, s, std::move(bodies));
}

}  // namespace weft::compiler
