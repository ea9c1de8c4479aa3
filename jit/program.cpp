// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program.cpp: runs one traced function.
#include "jit/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/jaxpr_builder.h"
#include "jit/run/nans.h"
#include "runtime/fork.h"
#include "runtime/log.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"
#include "tracer/placement.h"
#include "weft/buffer.h"
#include "weft/stop.h"
#include "weft/tree/functions.h"

namespace weft::detail {
namespace {

// Returns the program without the inputs that are not kept.
Jaxpr without_inputs(const Jaxpr& j, const std::vector<int32_t>& kept) {
  if (kept.size() == static_cast<size_t>(j->n_in)) return j;
  JaxprBuilder b(*j);
  for (int32_t v : kept) v < j->n_const ? b.copy_constant(v) : b.copy_input(v);
  for (const Eqn& e : j->eqns) b.copy(e);
  return b.finish(j->out);
}

}  // namespace

Program::Program(ClosedJaxpr c, bool keep_unused, const CallOptions& options)
    : closed(std::move(c)), written(with_exact_inputs(closed.jaxpr)), options(options) {
  const JaxprData& j = *closed.jaxpr;
  n_out = j.out.size();
  only_copies_ = j.eqns.empty();
  const std::vector<bool> read = inputs_read(*written.jaxpr);
  for (int32_t v = 0; v < written.jaxpr->n_in; ++v)
    if (keep_unused || read[v]) kept_.push_back(v);
  pruned_ = without_inputs(written.jaxpr, kept_);
  for (Atom a : j.out) {
    if (a.is_literal())
      results_.push_back({Result::literal, 0, j.type(a), literal_array(j.literals[a.literal()])});
    else if (a.index < j.n_in)
      results_.push_back({Result::input, a.index, j.type(a), {}});
    else
      results_.push_back({Result::computed, 0, j.type(a), {}});
  }
}

Program::~Program() {
  if (const Executable* e = donating_.load()) e->release();
  if (const Executable* e = exe_.load()) {
    Temporaries::retract(announced_);
    e->release();
  }
}

Ref<const Executable> Program::compiled_for(Device& d) const {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Ref<const Executable> e = d.compile(pruned_);
  if (log_shows_info())
    log_info(fmt::format("compiled '{}' for {} in {:.1f} ms: {}", options.name, d.name(),
                         std::chrono::duration<double, std::milli>(Clock::now() - start).count(),
                         cause.empty() ? "lower()" : cause));
  return e;
}

void Program::set_executable(const Executable& e) const {
  e.retain();
  announced_ = e.temporaries();
  Temporaries::announce(announced_);
  exe_.store(&e, std::memory_order_release);
}

const Executable& Program::executable() const {
  if (const Executable* e = exe_.load(std::memory_order_acquire)) return *e;
  const NoFork hold;
  const std::lock_guard lock(compiling_);
  if (const Executable* e = exe_.load(std::memory_order_acquire)) return *e;
  require_one_device(pruned_, host());
  const Ref<const Executable> e = compiled_for(host());
  set_executable(*e);
  return *e;
}

Ref<const Program> Program::run_by(const Ref<const Executable>& e, Device* elsewhere) const {
  CallOptions there = options;
  there.device = elsewhere ? elsewhere : options.device;
  const Ref<Program> p = make_ref<Program>(closed, true, there);
  p->donated = donated;
  if (elsewhere) {
    p->elsewhere_.push_back({elsewhere, e, {}});
    return p;
  }
  p->set_executable(*e);
  return p;
}

int64_t Program::footprint() const {
  int64_t bytes = 1000 + 300 * static_cast<int64_t>(closed.jaxpr->eqns.size());
  for (const Array& c : closed.consts) bytes += c.type().bytes();
  for (const auto* which : {&exe_, &donating_})
    if (const Executable* e = which->load(std::memory_order_acquire)) bytes += e->footprint();
  return bytes;
}

// Code for another device does not count towards the host's temporaries.
Ref<const Executable> Program::executable_for(Device& d) const {
  const NoFork hold;
  const std::lock_guard lock(compiling_);
  for (const Elsewhere& e : elsewhere_)
    if (e.device == &d) return e.plain;
  require_one_device(pruned_, d);
  elsewhere_.push_back({&d, compiled_for(d), {}});
  return elsewhere_.back().plain;
}

Device* Program::device_for(const LeafList& x, bool call) const {
  if (options.device) return options.device == &host() ? nullptr : options.device;
  const auto has_memory = [](const Array& a) {
    const Concrete* const c = concrete_or_null(a);
    return c && c->buffer();
  };
  Arrays all;
  for (int32_t k : kept_)
    if (k < closed.jaxpr->n_in && (call || has_memory(input(x, k)))) all.push_back(input(x, k));
  return weft::elsewhere(all);
}

void Program::run_on(Device& d, const LeafList& x, Array* out) const {
  Arrays all = closed.consts, in;
  for (size_t i = 0; i < x.size(); ++i) all.push_back(x[i]);
  all = written.operands(std::move(all));
  for (int32_t k : kept_) in.push_back(all[k]);
  Arrays r = run_elsewhere(d, pruned_, *executable_for(d), in);
  std::move(r.begin(), r.end(), out);
}

bool Program::all_here(const LeafList& x) const {
  for (int32_t k : kept_)
    if (k < closed.jaxpr->n_in && static_cast<const Concrete&>(input(x, k).node()).elsewhere())
      return false;
  return true;
}

void Program::run(const LeafList& x, Array* out) const {
  if (options.device || default_elsewhere() || !all_here(x))
    if (Device* const d = device_for(x, /*call=*/true)) return run_on(*d, x, out);
  if (only_copies_ || backend()) return run_here(x, out);
  Arrays all = closed.consts;
  for (size_t i = 0; i < x.size(); ++i) all.push_back(x[i]);
  Arrays r = eval_jaxpr(closed.jaxpr, all);
  std::move(r.begin(), r.end(), out);
}

std::vector<double> Program::doubles_of(const LeafList& x) const {
  return written.doubles([&](int32_t i) -> const Array& { return input(x, i); });
}

void Program::run_here(const LeafList& x, Array* out) const {
  constexpr size_t few = 24;
  std::array<const void*, few> few_in;
  std::array<void*, few> few_out;
  std::vector<const void*> many_in(kept_.size() > few ? kept_.size() : 0);
  std::vector<void*> many_out(n_out > few ? n_out : 0);
  const void** in = many_in.empty() ? few_in.data() : many_in.data();
  void** to = many_out.empty() ? few_out.data() : many_out.data();
  std::vector<double> numbers;
  if (!written.weak_inputs.empty()) numbers = doubles_of(x);
  const int32_t own = closed.jaxpr->n_in;
  for (size_t i = 0; i < kept_.size(); ++i)
    in[i] = kept_[i] < own ? static_cast<const Concrete&>(input(x, kept_[i]).node()).data()
                           : &numbers[kept_[i] - own];
  for (size_t k = 0; k < n_out; ++k) {
    const Result& r = results_[k];
    to[k] = nullptr;
    if (r.from == Result::computed) {
      Fresh f = fresh_array(r.type);
      out[k] = std::move(f.array);
      to[k] = f.data;
    } else {
      out[k] = r.from == Result::input ? input(x, r.index) : r.value;
    }
  }
  if (!only_copies_) executable().run(in, to);
}

void Program::call(const LeafList& x, Array* out) const {
  // Inside an enclosing trace arguments are kept, because the trace may have captured them.
  const bool donates = !donated.empty() && current().get() == eval_interpreter().get();
  if (donates) return call_donating(x, out);
  call_keeping(x, out);
  for (size_t k = 0; k < n_out; ++k)
    if (results_[k].from != Result::computed) out[k] = own_handle(out[k]);
}

void Program::call_keeping(const LeafList& x, Array* out) const {
  if (options.time_limit <= 0 && !options.check_nans) return run(x, out);
  const TimeLimit limit(options.time_limit, options.name);
  run(x, out);
  // On another device it may still be running.
  for (size_t k = 0; options.time_limit > 0 && k < n_out; ++k) out[k].block_until_ready();
  limit.token().check(options.name);
  if (!options.check_nans) return;
  Arrays in = closed.consts;
  for (size_t i = 0; i < x.size(); ++i) in.push_back(x[i]);
  check_nans(options.name, closed.jaxpr, in, Arrays(out, out + n_out));
}

namespace {
struct LoweredArguments final : RefCounted {
  Types types;
  KeyWriter structure;
  tree::detail::Skeleton tree;
  LoweredArguments(Types t, const KeyWriter& s, tree::detail::Skeleton all)
      : types(std::move(t)), structure(s), tree(std::move(all)) {}
};

[[noreturn]] void raise_other_structure(const tree::detail::Skeleton& want,
                                        const tree::detail::Skeleton& got) {
  const auto d = tree::detail::first_difference(want, got, "args");
  if (!d)  // the difference is not visible in the tree's text
    throw CompileError(
        "a compiled program was called with another callable or static value than it was lowered "
        "for; lower and compile it again for this one");
  const std::string was = to_string(*d->a), now = to_string(*d->b);
  if (d->a->form == tree::detail::Skeleton::value && d->b->form == tree::detail::Skeleton::value)
    throw CompileError(fmt::format(
        "{} of a compiled program is static: it was lowered for {} and called with {}; lower and "
        "compile it again for another value",
        d->path, was, now));
  throw ShapeError(fmt::format(
      "{} of a compiled program must have the same tree structure as when it was lowered: expected "
      "{}, got {}; lower and compile it again for another structure",
      d->path, was, now));
}
}  // namespace

LoweredFor make_lowered_for(Types types, const KeyWriter& structure,
                            FunctionRef<tree::detail::Skeleton()> args) {
  return LoweredFor(new LoweredArguments(std::move(types), structure, args()));
}

void check_compiled_arguments(const RefCounted& lowered, const KeyWriter& structure,
                              const Arrays& x, FunctionRef<tree::detail::Skeleton()> args) {
  const auto& made = static_cast<const LoweredArguments&>(lowered);
  if (!(structure == made.structure)) raise_other_structure(made.tree, args());
  const Types& want = made.types;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].type().strong() == want[i].strong()) continue;
    const std::string text = fmt::format("a compiled program expects {} of type {}, got {}",
                                         tree::detail::paths(args(), "args")[i], to_string(want[i]),
                                         to_string(x[i].type()));
    if (x[i].shape() == want[i].shape()) throw DTypeError(text + "; convert it with astype()");
    throw ShapeError(text);
  }
}

}  // namespace weft::detail
