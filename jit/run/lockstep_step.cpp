// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/lockstep_step.cpp: a while, scan, cond or call as a native loop over compiled programs.
// Loops that mix lanes run this way.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "core/op.h"
#include "core/param.h"
#include "jit/emit/compile/gpu_code.h"
#include "jit/run/memory_space.h"
#include "jit/run/nans.h"
#include "jit/run/steps.h"
#include "jit/schedule/target.h"
#include "tracer/concrete.h"
#include "weft/device/threads.h"
#include "weft/error.h"
#include "weft/stop.h"

namespace weft::compiler {
namespace {

using In = std::vector<const void*>;
using Out = std::vector<void*>;
using Operands = LoopValues<const void*>;

// The values of all lists, one list after another.
template <class... List>
In joined(const List&... lists) {
  In all;
  all.reserve((lists.size() + ...));
  (all.insert(all.end(), lists.begin(), lists.end()), ...);
  return all;
}

class Lockstep final : public RunStep {
 public:
  Lockstep(const Program& p, const Step& s, Bodies bodies)
      : j_(p.j),
        e_(p.j->eqns[s.eqn]),
        form_(p.scope.lowering[s.eqn].loop),
        why_(s.why),
        block_(param_field<int64_t>(e_.params, "block").value_or(0)),
        in_blocks_(param_field<Bools>(e_.params, "in_blocks").value_or(Bools())),
        counted_(param_field<bool>(e_.params, "counted").value_or(false)),
        target_(current_target()),
        place_(target_.device),
        programs_(std::move(bodies)) {
    for (int32_t k = 0; k < e_.n_out; ++k) out_types_.push_back(j_->types[e_.out + k]);
  }
  // Literals of the program are copied to its device once.
  void compile_code() override {
    if (place_.on_host()) return;
    if (nodes() >= 0 && launches() < 0) {
      try {
        setter_ = condition_setter(target_);
      } catch (const CompileError& e) {
        no_setter_ = e.what();
      }
    }
    literals_.emplace(place_, literals());
    auto at = literals_->ptrs.begin();
    for (Atom a : e_.in)
      if (a.is_literal()) place_.write(*at++, address(*j_, a, nullptr), j_->type(a).bytes());
  }
  void run(void* const* ptrs, const int32_t* stop) const override { run_in(nullptr, ptrs, stop); }
  int64_t workspace() const override {
    if (block_ > 0) return 0;  // each thread has its own
    int64_t most = 0;
    for (const auto& p : programs_)
      if (place_.on_host()) most = std::max(most, p->arena());
    return most;
  }
  void run_in(std::byte* workspace, void* const* ptrs, const int32_t* stop) const override {
    work({place_, stop, nullptr, place_.on_host() ? workspace : nullptr}, ptrs);
  }
  void launch(const LaunchContext& l, void* const* ptrs) const override {
    static const int32_t never = 0;
    work({place_, &never, &l.to, l.workspace}, ptrs);
  }
  int64_t launches() const override { return launches_of_scan(programs_[0]->launches()); }
  // Also counts a while, or a cond, whose condition the device evaluates.
  int64_t nodes() const override {
    using Kind = LoopForm::Kind;
    if (form_.kind == Kind::scan) return launches_of_scan(programs_[0]->nodes());
    if (form_.kind == Kind::call || place_.on_host() ||
        !static_cast<cuda::Device&>(place_.device()).has_conditions())
      return -1;
    const bool loop = form_.kind == Kind::loop_while;
    int64_t moved = 0, n = 2;
    for (const Type& t : loop ? moving() : out_types_) moved += t.bytes();
    for (const auto& p : programs_) {
      if (p->nodes() < 0) return -1;
      n += p->nodes() + 1 + static_cast<int64_t>(out_types_.size());
    }
    if (loop) n += programs_[0]->nodes();  // the test before the first trip
    return moved > max_moved || n > CompiledProgram::max_launches ? -1 : n;
  }
  std::string describe() const override {
    constexpr const char* kinds[] = {"while", "scan", "cond", "call"};
    std::string s =
        block_ > 0 ? fmt::format("blocks of {} of {} lanes{}", block_, lanes_in_blocks(),
                                 counted_ ? ", for those that take a branch" : "")
                   : fmt::format("lockstep {} ({})", kinds[static_cast<int>(form_.kind)], why_);
    int in_place = 0;
    if (form_.kind != LoopForm::Kind::cond)
      for (size_t t = 0; t < carries(); ++t) in_place += stays(t);
    if (in_place) s += fmt::format(", {} of {} carries updated in place", in_place, carries());
    for (const auto& p : programs_)
      for (const auto& step : p->steps()) s += "\n      " + step->describe();
    return s;
  }
  bool loops() const override { return true; }
  int64_t trips() const override { return form_.kind == LoopForm::Kind::scan ? form_.length : 1; }
  int64_t temporaries() const override {
    int64_t most = 0;
    for (const auto& p : programs_)
      most = std::max(most, p->temporaries() - (place_.on_host() ? p->arena() : 0));
    most += workspace() + TempBuffers::bytes(answers()) + TempBuffers::bytes(trip_numbers());
    switch (form_.kind) {
      case LoopForm::Kind::call:
        return block_ == 0 ? most
                           : programs_[0]->arena() *
                                 std::min<int64_t>(num_threads(), units(blocks(lanes_in_blocks())));
      case LoopForm::Kind::cond:
        return most + (form_.active() ? TempBuffers::bytes(out_types_) : 0);
      default: return most + TempBuffers::bytes(moving());
    }
  }
  std::vector<const CompiledProgram*> inner() const override {
    std::vector<const CompiledProgram*> r;
    for (const auto& p : programs_) r.push_back(p.get());
    return r;
  }

 private:
  // Returns the launches of a scan whose trips have `each` launches, or -1.
  int64_t launches_of_scan(int64_t each) const {
    if (place_.on_host() || form_.kind != LoopForm::Kind::scan || form_.trip_counts()) return -1;
    const int64_t all = each * form_.length + 2 * static_cast<int64_t>(carries());
    return each < 0 || form_.length > CompiledProgram::max_launches ||
                   all > CompiledProgram::max_launches
               ? -1
               : all;
  }
  // The most bytes of carries that a trip in a graph may copy back to their first place. A device
  // copies as many in the time of a launch.
  static constexpr int64_t max_moved = 4 << 20;
  // How a run executes: immediately, or only by launches (`to`). The workspace of launches holds
  // everything they need. The workspace of an immediate run on the host is for the inner programs,
  // which use it one after another.
  struct ExecutionMode {
    const MemorySpace& place;
    const int32_t* stop;
    cuda::Launcher* to;
    std::byte* workspace;
    // Takes buffers from the beginning of `workspace`, or allocates them; behind() has the rest.
    TempBuffers take(const Types& types) const {
      return to ? TempBuffers(place, types, workspace) : TempBuffers(place, types);
    }
    ExecutionMode behind(const Types& types) const {
      return {place, stop, to, to ? workspace + TempBuffers::bytes(types) : workspace};
    }
    ExecutionMode with(cuda::Launcher& other) const { return {place, stop, &other, workspace}; }
    void copy(void* at, const void* from, int64_t bytes) const {
      if (!to)
        place.copy(at, from, bytes);
      else if (at != from)
        to->copy_within(at, from, bytes);
    }
    void run(const CompiledProgram& p, const In& in, const Out& out) const {
      if (to)
        p.launch({*to, workspace}, in.data(), out.data());
      else
        p.run_inside(in.data(), out.data(), stop, workspace);
    }
  };
  void work(const ExecutionMode& how, void* const* ptrs) const {
    In operands;
    Out out;
    auto literal = literals_ ? literals_->ptrs.begin() : std::vector<void*>::const_iterator();
    for (Atom a : e_.in)
      operands.push_back(a.is_literal() && literals_ ? *literal++ : address(*j_, a, ptrs));
    for (int32_t k = 0; k < e_.n_out; ++k) out.push_back(ptrs[e_.out + k]);
    if (form_.kind == LoopForm::Kind::call)
      return block_ > 0 ? run_blocks(operands, out, how.stop)
                        : run_call(operands, out, how.workspace);
    const Operands in = form_.operands(operands);
    switch (form_.kind) {
      case LoopForm::Kind::loop_while:
        how.to ? launch_while(in, out, how) : run_while(in, out, how);
        break;
      case LoopForm::Kind::scan: run_scan(in, out, how); break;
      case LoopForm::Kind::cond: how.to ? launch_cond(in, out, how) : run_cond(in, out, how); break;
      case LoopForm::Kind::call: break;
    }
  }
  // The arguments of the test of a while, and of one trip after this answer of the test.
  static In test_arguments(const Operands& in, const Out& now) {
    return joined(in.control, in.cond_consts, now);
  }
  In trip_arguments(const Operands& in, const Out& now, const TempBuffers& answer) const {
    return joined(form_.active() ? In{answer.ptrs[1]} : In{}, in.body_consts, now);
  }
  void run_while(const Operands& in, const Out& out, const ExecutionMode& how) const;
  void launch_while(const Operands& in, const Out& out, const ExecutionMode& how) const;
  void launch_cond(const Operands& in, const Out& out, const ExecutionMode& how) const;
  void launch_branches(const Operands& in, const Out& out, const ExecutionMode& how) const;
  const cuda::Function& setter() const {
    if (setter_) return *setter_;
    throw DeviceError("the driver refuses the kernel that sets conditions of loops: " + no_setter_);
  }
  void run_scan(const Operands& in, const Out& out, const ExecutionMode& how) const;
  void run_cond(const Operands& in, const Out& out, const ExecutionMode& how) const;
  void run_call(const In& in, const Out& out, std::byte* workspace) const;
  void run_blocks(const In& in, const Out& out, const int32_t* stop) const;
  // Carries alternate between the results' memory and a second place. Carries that the body may
  // overwrite in place stay where they are.
  struct Carries {
    Out now, next;
    TempBuffers spare;
    Carries(const Lockstep& s, const ExecutionMode& how, const In& init, const Out& out)
        : now(out.begin(), out.begin() + std::ssize(init)), spare(how.take(s.moving())) {
      next = spare.ptrs;
      for (size_t t = 0; t < now.size(); ++t) {
        how.copy(now[t], init[t], s.out_types_[t].bytes());
        if (s.stays(t)) next[t] = now[t];
      }
    }
    void flip() { std::swap(now, next); }
    void deliver(const Lockstep& s, const ExecutionMode& how, const Out& out) const {
      for (size_t t = 0; t < now.size(); ++t) how.copy(out[t], now[t], s.out_types_[t].bytes());
    }
  };

  int64_t lanes_in_blocks() const { return out_types_[0].shape()[0]; }
  int64_t blocks(int64_t lanes) const { return (lanes + block_ - 1) / block_; }
  // The parts of work that threads can share. The last two blocks of all lanes may have lanes in
  // common, so one thread runs both.
  int64_t units(int64_t blocks) const {
    return blocks > 1 && blocks * block_ > lanes_in_blocks() ? blocks - 1 : blocks;
  }
  // The parts into which the units are divided. Threads that are free take the next one.
  int64_t tasks(int64_t units) const { return std::clamp<int64_t>(units, 1, 4 * num_threads()); }
  size_t carries() const { return form_.lane_axes.carry.size(); }
  // Returns true if the body writes carry t into the memory of its operand.
  bool stays(size_t t) const {
    const CompiledProgram& body = *programs_.back();
    const LoopRanges operands = form_.operands();
    const int first = body.jaxpr()->n_in - operands.xs.size - operands.carry.size;
    return body.in_place(t) == first + static_cast<int>(t);
  }
  // Returns true if a trip of a while loop may begin before its condition is known. If lanes have a
  // mask, one trip too many changes none of them. Without a mask the trip must not overwrite the
  // previous carries, nor rely on what the condition guarantees.
  bool runs_ahead() const {
    if (place_.on_host()) return false;
    bool loops = false, any_stays = false;
    for (const auto& p : programs_) {
      if (p->launches() < 0) return false;
      loops = loops || p->loops();
    }
    for (size_t t = 0; t < carries(); ++t) any_stays = any_stays || stays(t);
    return form_.active() || (!loops && !any_stays);
  }
  // Returns the types of the test's results: whether any lane goes on, and which lanes; for a cond
  // per branch.
  Types answers() const {
    Types r;
    const bool cond = form_.kind == LoopForm::Kind::cond;
    if (form_.kind != LoopForm::Kind::loop_while && !(cond && form_.active())) return r;
    for (size_t b = 0; b < (cond ? programs_.size() - 1 : 1); ++b) {
      r.emplace_back(Bool, Shape());
      if (form_.active()) r.emplace_back(Bool, Shape(form_.lanes));
    }
    return r;
  }
  Types literals() const {
    Types r;
    for (Atom a : e_.in)
      if (a.is_literal()) r.push_back(j_->type(a));
    return r;
  }
  // Returns the types of the trip numbers that a ragged scan passes to its body.
  Types trip_numbers() const {
    if (!form_.trip_counts()) return {};
    return {Type(I32, place_.on_host() ? Shape() : Shape{form_.length})};
  }
  // Returns the types of the carries that need a second place.
  Types moving() const {
    Types r(out_types_.begin(), out_types_.begin() + form_.results().first);
    for (size_t t = 0; t < r.size(); ++t)
      if (stays(t)) r[t] = Type(Bool, Shape{0});
    return r;
  }

  Jaxpr j_;
  const Eqn& e_;
  LoopForm form_;
  std::string why_;
  int64_t block_;    // of a call: the lanes of a block, or 0
  Bools in_blocks_;  // by operand
  bool counted_;     // operand 0 is the number of lanes that run
  const TargetInfo& target_;
  MemorySpace place_;
  Bodies programs_;
  Types out_types_;
  std::optional<TempBuffers> literals_;  // on a device
  std::shared_ptr<const cuda::Function> setter_;
  std::string no_setter_;  // why setter_ is null
};

// Launches a while as nodes of a graph. Each trip finds the carries in the same place as the first.
void Lockstep::launch_while(const Operands& in, const Out& out, const ExecutionMode& how) const {
  const Carries c(*this, how, in.carry, out);
  const ExecutionMode behind = how.behind(moving());
  const TempBuffers answer = behind.take(answers());
  const ExecutionMode inner = behind.behind(answers());
  const auto ask = [&](const ExecutionMode& h) {
    h.run(*programs_[0], test_arguments(in, c.now), answer.ptrs);
  };
  ask(inner);
  how.to->conditional(true, {setter(), answer.ptrs[0]}, [&](cuda::Launcher& to) {
    const ExecutionMode trip = inner.with(to);
    trip.run(*programs_[1], trip_arguments(in, c.now, answer), c.next);
    for (size_t t = 0; t < c.now.size(); ++t) trip.copy(c.now[t], c.next[t], out_types_[t].bytes());
    ask(trip);
  });
  c.deliver(*this, how, out);
}

void Lockstep::run_while(const Operands& in, const Out& out, const ExecutionMode& how) const {
  Carries c(*this, how, in.carry, out);
  const TempBuffers answer(place_, answers());
  // Tests the current carries.
  const auto ask = [&] {
    how.run(*programs_[0], test_arguments(in, c.now), answer.ptrs);
    return DeviceFuture<bool>(place_, answer.ptrs[0]);
  };
  const auto go = [&] {
    how.run(*programs_[1], trip_arguments(in, c.now, answer), c.next);
    c.flip();
  };
  const auto goes_on = [&](DeviceFuture<bool>& word) {
    return word.value() && !__atomic_load_n(how.stop, __ATOMIC_RELAXED);
  };
  DeviceFuture<bool> word = ask();
  if (!runs_ahead()) {
    for (; goes_on(word); word = ask()) go();
  } else if (goes_on(word)) {
    go();
    word = ask();
    for (;;) {  // begins the next trip before its condition is known
      go();
      DeviceFuture<bool> next = ask();
      if (!goes_on(word)) break;
      word = std::move(next);
    }
    c.flip();  // undoes the extra trip
  }
  c.deliver(*this, how, out);
}

void Lockstep::run_scan(const Operands& in, const Out& out, const ExecutionMode& how) const {
  Carries c(*this, how, in.carry, out);
  const ExecutionMode inner = how.behind(moving());
  int64_t steps = form_.length;
  const TempBuffers numbers(place_, trip_numbers());
  const bool ragged = form_.trip_counts();
  const ValueRange results = form_.results();
  if (ragged) {
    std::vector<int32_t> trips(static_cast<size_t>(Shape(form_.lanes).elements()));
    place_.read(trips.data(), in.control[0], static_cast<int64_t>(trips.size() * sizeof(int32_t)));
    steps = 0;
    for (const int32_t n : trips) steps = std::max<int64_t>(steps, n);
    steps = std::min(steps, form_.length);
    if (!place_.on_host()) {  // all together: a copy per trip would wait for the previous one
      trips.resize(steps);
      std::iota(trips.begin(), trips.end(), 0);
      place_.write(numbers.ptrs[0], trips.data(), steps * static_cast<int64_t>(sizeof(int32_t)));
    }
    for (int k = results.first; k < results.end(); ++k)
      place_.clear(out[static_cast<size_t>(k)], out_types_[static_cast<size_t>(k)].bytes());
  }
  const ValueRange xs = form_.operands().xs;
  const auto row_bytes = [](const Type& t) {
    return t.shape()[0] == 0 ? 0 : t.bytes() / t.shape()[0];
  };
  for (int64_t s = 0; s < steps && !__atomic_load_n(how.stop, __ATOMIC_RELAXED); ++s) {
    const int64_t t = form_.reverse ? steps - 1 - s : s;
    In control, rows;
    if (ragged) {
      auto* number = static_cast<int32_t*>(numbers.ptrs[0]);
      if (place_.on_host())
        *number = static_cast<int32_t>(t);
      else
        number += t;
      control = {number, in.control[0]};
    }
    for (size_t k = 0; k < in.xs.size(); ++k) {
      const Type& x = j_->type(e_.in[static_cast<size_t>(xs.first) + k]);
      rows.push_back(static_cast<const std::byte*>(in.xs[k]) + t * row_bytes(x));
    }
    Out to = c.next;
    for (int k = results.first; k < results.end(); ++k) {
      const auto r = static_cast<size_t>(k);
      to.push_back(static_cast<std::byte*>(out[r]) + t * row_bytes(out_types_[r]));
    }
    inner.run(*programs_[0], joined(control, in.body_consts, c.now, rows), to);
    c.flip();
  }
  c.deliver(*this, how, out);
}

void Lockstep::run_cond(const Operands& in, const Out& out, const ExecutionMode& how) const {
  const auto zero = [&] {
    for (size_t k = 0; k < out.size(); ++k) place_.clear(out[k], out_types_[k].bytes());
  };
  if (!form_.active()) {
    DeviceFuture<int32_t> asked(place_, in.control.front());
    if (form_.entry_mask() && !DeviceFuture<bool>(place_, in.control.back()).value()) return zero();
    const int64_t branch =
        std::clamp<int64_t>(asked.value(), 0, static_cast<int64_t>(programs_.size()) - 1);
    how.run(*programs_[static_cast<size_t>(branch)], in.body_consts, out);
    return;
  }
  const size_t branches = programs_.size() - 1;
  const TempBuffers answer(place_, answers());
  how.run(*programs_[0], in.control, answer.ptrs);
  std::vector<DeviceFuture<bool>> taken;
  for (size_t b = 0; b < branches; ++b) taken.emplace_back(place_, answer.ptrs[2 * b]);
  zero();
  TempBuffers spare(place_, out_types_);
  Out now = out, next = spare.ptrs;
  for (size_t b = 0; b < branches; ++b) {
    if (!taken[b].value()) continue;  // no lane takes it, so it does not run
    how.run(*programs_[b + 1], joined(In{answer.ptrs[2 * b + 1]}, in.body_consts, now), next);
    std::swap(now, next);
  }
  for (size_t k = 0; k < out.size(); ++k) place_.copy(out[k], now[k], out_types_[k].bytes());
}

// Launches the branches of a scalar index or of lanes.
void Lockstep::launch_cond(const Operands& in, const Out& out, const ExecutionMode& how) const {
  if (form_.active() || form_.entry_mask())
    for (size_t k = 0; k < out.size(); ++k) how.to->clear(out[k], out_types_[k].bytes());
  if (form_.active()) return launch_branches(in, out, how);
  const size_t n = programs_.size();
  const auto choose = [&](cuda::Launcher& to) {
    for (size_t b = 0; b < n; ++b)
      to.conditional(
          false, {setter(), in.control.front(), static_cast<int64_t>(b), static_cast<int64_t>(n)},
          [&](cuda::Launcher& inner) { how.with(inner).run(*programs_[b], in.body_consts, out); });
  };
  if (form_.entry_mask())
    how.to->conditional(false, {setter(), in.control.back()}, choose);
  else
    choose(*how.to);
}

void Lockstep::launch_branches(const Operands& in, const Out& out, const ExecutionMode& how) const {
  const TempBuffers answer = how.take(answers());
  const ExecutionMode behind = how.behind(answers());
  const TempBuffers spare = behind.take(out_types_);
  const ExecutionMode inner = behind.behind(out_types_);
  inner.run(*programs_[0], in.control, answer.ptrs);
  for (size_t b = 0; b + 1 < programs_.size(); ++b) {
    const In args = joined(In{answer.ptrs[2 * b + 1]}, in.body_consts, out);
    how.to->conditional(false, {setter(), answer.ptrs[2 * b]}, [&](cuda::Launcher& to) {
      const ExecutionMode h = inner.with(to);
      h.run(*programs_[b + 1], args, spare.ptrs);
      for (size_t k = 0; k < out.size(); ++k) h.copy(out[k], spare.ptrs[k], out_types_[k].bytes());
    });
  }
}

// Runs a call that has a time limit or check_nans.
void Lockstep::run_call(const In& in, const Out& out, std::byte* workspace) const {
  const std::string name = param_field<std::string>(e_.params, "name").value_or(e_.op->name());
  const TimeLimit limit(param_field<double>(e_.params, "time_limit").value_or(0), name.c_str());
  const StopFlag flag;
  programs_[0]->run_inside(in.data(), out.data(), flag.word(), workspace);
  place_.wait();
  limit.token().check(name.c_str());
  if (!param_field<bool>(e_.params, "check_nans").value_or(false)) return;
  Arrays operands, results;
  const auto array_at = [&](const Type& t, const void* at) {
    std::vector<std::byte> bytes(t.bytes());
    place_.read(bytes.data(), at, t.bytes());
    return array_of_bytes(t, bytes.data());
  };
  for (size_t i = 0; i < in.size(); ++i) operands.push_back(array_at(j_->type(e_.in[i]), in[i]));
  for (size_t k = 0; k < out.size(); ++k) results.push_back(array_at(out_types_[k], out[k]));
  weft::detail::check_nans(name, form_.bodies[0], operands, results);
}

// Runs the program once for each block of lanes, or of those that are counted. The last block of
// all lanes ends with the last lane, so it may compute lanes again.
void Lockstep::run_blocks(const In& in, const Out& out, const int32_t* stop) const {
  const CompiledProgram& body = *programs_[0];
  const int64_t lanes = lanes_in_blocks(),
                run = counted_ ? *static_cast<const int32_t*>(in[0]) : lanes,
                n = blocks(std::clamp<int64_t>(run, 0, lanes)), parts = units(n);
  const auto bytes = [&](const Type& t) { return t.bytes() / lanes; };
  const auto run_block = [&](int64_t b, std::byte* workspace) {
    const int64_t first = std::min(b * block_, lanes - block_);
    In rows = in;
    Out to = out;
    for (size_t k = 0; k < in.size(); ++k)
      if (in_blocks_[k])
        rows[k] = static_cast<const std::byte*>(in[k]) + first * bytes(j_->type(e_.in[k]));
    for (size_t k = 0; k < out.size(); ++k)
      if (out[k]) to[k] = static_cast<std::byte*>(out[k]) + first * bytes(out_types_[k]);
    body.run_inside(rows.data(), to.data(), stop, workspace);
  };
  if (n == 0) return;
  parallel_for(parts, (parts + tasks(parts) - 1) / tasks(parts), [&](int64_t begin, int64_t end) {
    const DeviceAllocation own(place_, body.arena());
    for (int64_t b = begin; b < (end == parts ? n : end); ++b) {
      if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
      run_block(b, own.data());
    }
  });
}

}  // namespace

std::unique_ptr<RunStep> make_lockstep(const Program& p, const Step& s, Bodies bodies) {
  return std::make_unique<Lockstep>(p, s, std::move(bodies));
}

}  // namespace weft::compiler
