// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/oracles.cpp: checks the properties one after another on one trace of the program.
#include "programs/oracles.h"

#include <weft/weft.h>

#include <algorithm>

#include "core/effects.h"
#include "jit/pipeline.h"
#include "jit/schedule/target.h"
#include "programs/compare.h"
#include "programs/donation.h"
#include "programs/effects.h"
#include "programs/finite_differences.h"
#include "programs/jax_side.h"
#include "runtime/thread_stack.h"
#include "support/patterns.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/device.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::programs {
namespace {

struct Violation {
  std::string oracle, what;
};

class Checker {
 public:
  Checker(const Program& p, const Checking& how) : p_(p), how_(how), x_(p.arguments()) {}

  Verdict verdict() {
    std::string raised;
    try {
      expected_.emplace(p_.f, x_, p_.seed);
    } catch (const Endless&) {
      return {Verdict::ill, "definition", "a loop does not end"};
    } catch (const InternalError& e) {
      return {Verdict::failed, "definition raises", e.what()};
    } catch (const DifferentiationError& e) {
      // Some ops have no derivative, or none of second order, as in JAX. The definition computes a
      // Jacobian by columns, which may need a derivative that the program does not need.
      return {Verdict::refused, "", e.what()};
    } catch (const Error& e) {
      raised = e.what();
    }
    try {
      trace();
      if (!raised.empty())
        return {Verdict::failed, "definition raises", "only by definition: " + raised};
      text();
      maps_and_derivatives();
      rewriting();
      code();
      small_stack();
      stablehlo();
      if (how_.jax && !hlo_.empty()) jax();
      if (how_.rare || p_.seed % 4 == 0) front_ends();
      if (how_.rare || p_.seed % 4 == 1) threads();
      if (how_.rare || p_.seed % 4 == 2) targets();
      if (how_.rare || p_.seed % 4 == 3) accesses();
      if (p_.smooth) slopes();
      if (p_.smooth) patterns();
    } catch (const Violation& b) {
      return {Verdict::failed, b.oracle, b.what};
    } catch (const InternalError& e) {
      return {Verdict::failed, doing_ + " raises", e.what()};
    } catch (const DifferentiationError& e) {
      // Some ops have no derivative, or none of second order, as in JAX.
      if (doing_ == "trace") return {Verdict::refused, "", e.what()};
      return {Verdict::failed, doing_ + " raises", e.what()};
    } catch (const Error& e) {
      if (!raised.empty() && doing_ == "trace") return {Verdict::refused, "", e.what()};
      if (std::string_view(e.what()).find("a callback on the device") != std::string_view::npos)
        return {Verdict::refused, "", e.what()};
      return {Verdict::failed, doing_ + " raises", e.what()};
    }
    return {expected_->ill() ? Verdict::ill : Verdict::fine, "", ""};
  }

 private:
  void begin(const char* oracle) { doing_ = oracle; }
  void require(const std::string& difference) {
    if (!difference.empty()) throw Violation{doing_, difference};
  }
  // Returns the results and, for a program with effects, its effects.
  Arrays watched(FunctionRef<Arrays()> run) {
    if (!acts_) return run();
    const EffectCollector records;
    Arrays r;
    std::string failure;
    try {
      r = run();
    } catch (const CheckError& e) {
      failure = e.what();
      r = no_results(p_.f);
    }
    return concat_lists(std::move(r), as_arrays(records.records(failure)));
  }
  Arrays by_reference(const Jaxpr& j) {
    const ReferenceMode reference;
    return watched([&] { return eval_jaxpr(j, all_); });
  }
  Arrays compiled() {
    return watched([&] { return run_compiled(jaxpr_, all_); });
  }

  void trace() {
    begin("trace");
    const ClosedJaxpr c = make_jaxpr([this](Arrays a) { return run(p_.f, a); })(x_);
    jaxpr_ = c.jaxpr;
    verify(jaxpr_);
    all_ = consts_ = c.consts;
    all_.insert(all_.end(), x_.begin(), x_.end());
  }
  void text() {
    begin("text");
    const std::string s = to_string(jaxpr_);
    if (s.find("<callback>") != std::string::npos) return;
    if (!(read_jaxpr(s) == jaxpr_)) throw Violation{doing_, "read back it is another program"};
  }
  // Compares the traced program, run by the reference rules of its ops, with loops of C++.
  void maps_and_derivatives() {
    begin("definition");
    before_ = by_reference(jaxpr_);
    require(expected_->differs(before_));
  }
  void rewriting() {
    begin("rewriting");
    executable_ = compiler::compile_program(jaxpr_);
    verify(executable_->jaxpr());
    after_ = by_reference(executable_->jaxpr());
    require(expected_->differs(after_));
  }
  void code() {
    begin("code");
    got_ = compiled();
    // Libraries, and ops that are expanded to programs, add in another order.
    if (rounds_otherwise(jaxpr_))
      require(expected_->differs(got_));
    else
      require(bits_differ(got_, after_));
  }
  // The program runs once more on a thread with a small stack. Kernels of a GPU do not use it.
  void small_stack() {
    if (detail::default_elsewhere()) return;
    begin("stack");
    Arrays got;
    run_on_large_stack(128 << 10, [&] { got = compiled(); });
    require(bits_differ(got, got_));
  }
  void stablehlo() {
    // StableHLO has no op that calls functions of this process.
    if (effect_of(jaxpr_) != Effect::none) return;
    begin("stablehlo");
    hlo_ = to_stablehlo({jaxpr_, consts_});
    const ClosedJaxpr c = parse_stablehlo(hlo_);
    const ReferenceMode reference;
    require(expected_->differs(eval_jaxpr(c, x_)));
  }
  void jax() {
    begin("jax");
    if (jax_differs()) return;
    Arrays got;
    try {
      got = run_by_jax(hlo_, x_);
    } catch (const std::runtime_error& e) {
      throw Violation{doing_, e.what()};
    }
    // XLA's exp of a NaN that is known at compile time is the arbitrary content of a register.
    const ReferenceMode reference;
    const Arrays& want = expected_->values();
    for (size_t k = 0; k < std::min(got.size(), want.size()); ++k)
      if (is_inexact(want[k].dtype()) && got[k].type() == want[k].type())
        got[k] = lax::select(lax::ne(want[k], want[k]), want[k], got[k]);
    require(expected_->differs(got));
  }
  void threads() {
    begin("threads");
    set_num_threads(2);
    require(bits_differ(compiled(), got_));
    set_num_threads(1);
  }
  void targets() {
    begin("target");
    if (compiler::host_target().vector_width <= 8) return;
    static const compiler::TargetInfo weaker = compiler::target_named("x86-64-v3");
    const compiler::TargetScope scope(weaker);
    require(bits_differ(compiled(), got_));
  }
  // Runs kernels that test every access.
  void accesses() {
    begin("access");
    static const compiler::TargetInfo checked = [] {
      compiler::TargetInfo t = compiler::host_target();
      t.checked = true;
      return t;
    }();
    const compiler::TargetScope scope(checked);
    require(bits_differ(compiled(), got_));
  }
  // For smooth programs: tangents are slopes, and cotangents pair with them.
  void slopes() {
    if (expected_->fails()) return;
    try {
      begin("slope");
      require(slope_differs(p_.f, x_, p_.seed));
      begin("pairing");
      require(pairing_differs(p_.f, x_, p_.seed));
    } catch (const CheckError&) {
      // A check fails at points near the arguments, where it need not hold.
    }
  }
  // For smooth programs: a derivative is zero wherever the pattern of the sparse Jacobian says so.
  void patterns() {
    const Types in = types_of(x_), out = jaxpr_->out_types();
    // The function runs once for each element of an argument, even if it has no results.
    if (acts_ || elements_of(in) * std::max<int64_t>(elements_of(out), 1) > 2'000) return;
    const auto f = [this](const Arrays& a) { return run(p_.f, a); };
    begin("pattern");
    require(test::forward_pattern_lacks(f, x_, out));
    require(test::reverse_pattern_lacks(f, x_, out));
  }
  // Runs the function as users call it: compiled by jit, and eagerly.
  void front_ends() {
    begin("jit");
    const auto f = jit([this](Arrays a) { return run(p_.f, a); });
    const auto called = [&] { return watched([&] { return f(x_); }); };
    require(bits_differ(called(), got_));
    // On a GPU repeated calls with the same memory launch a graph after some time.
    for (int k = 0; detail::default_elsewhere() && k < 5; ++k) require(bits_differ(called(), got_));
    donated();
    begin("eager");
    Arrays got = watched([&] { return run(p_.f, x_); });
    // Eager operations end with the first check that fails.
    if (expected_->fails()) {
      const Arrays& want = expected_->values();
      const auto last = static_cast<std::ptrdiff_t>(want.size() - arrays_of_a_failure);
      std::copy(want.begin(), want.begin() + last, got.begin());
    }
    require(expected_->differs(got));
  }
  // Places results and temporaries in the memory of inputs. It tests a result that may use an input
  // although nothing is donated, all inputs donated, and some inputs donated.
  void donated() {
    begin("donated");
    if (!detail::default_elsewhere()) donated_on_host();
    const auto f = jit([this](Arrays a) { return run(p_.f, a); }, {.donate_argnums = {0}});
    require(bits_differ(watched([&] { return f(p_.arguments()); }), got_));
  }
  void donated_on_host() {
    std::vector<bool> all(all_.size(), true), some(all_.size());
    for (size_t i = 0; i < some.size(); ++i) some[i] = p_.seed >> (i % 32) & 1;
    const Ref<const Executable> given[] = {executable_, executable_->donating(all),
                                           executable_->donating(some)};
    for (const Ref<const Executable>& e : given) {
      std::string spoilt;
      require(
          bits_differ(watched([&] { return run_over_inputs(*e, jaxpr_, all_, &spoilt); }), got_));
      require(spoilt);
    }
  }
  // Returns true if the compiled program on CPUs differs from JAX's own results when JAX runs it op
  // by op. A float that is converted to a signed and then to an unsigned integer keeps its sign
  // when it becomes a float again. top_k orders NaNs by a sign that depends on their origin. mulhi
  // of signed integers is refused.
  bool jax_differs() {
    return any_equation({jaxpr_}, [&](const JaxprData& j, const Eqn& e) {
      if (e.op->name() == "top_k") return expected_->magnitudes().infinite;
      if (e.op->name() == "mulhi") return is_signed(j.type(e.in[0]).dtype());
      if (e.op->name() != "convert_element_type") return false;
      const DType from = j.type(e.in[0]).dtype(), to = j.types[static_cast<size_t>(e.out)].dtype();
      return is_signed(from) && is_unsigned(to);
    });
  }
  // Returns true if some implementation of its ops rounds differently from the op's definition.
  static bool rounds_otherwise(const Jaxpr& j) {
    return any_equation({j}, [](const JaxprData&, const Eqn& e) { return e.op->tolerance() > 0; });
  }

  const Program& p_;
  const Checking& how_;
  const bool acts_ = holds(p_.f, Kind::effect);
  Arrays x_, consts_, all_, before_, after_, got_;
  Jaxpr jaxpr_;
  Ref<const compiler::CompiledProgram> executable_;
  std::optional<Expected> expected_;
  std::string doing_, hlo_;
};

}  // namespace

Verdict check(const Program& p, const Checking& how) { return Checker(p, how).verdict(); }

std::string described(const Program& p, const Verdict& v) {
  const auto comment = [](const std::string& text) {
    std::string s = "// ";
    for (char c : text) s += c == '\n' ? std::string("\n// ") : std::string(1, c);
    return s + "\n";
  };
  std::string s = comment(fmt::format("program {}: {}: {}", p.seed, v.oracle, v.what)) +
                  cpp_text(p.f, p.arguments());
  if (v.oracle == "crash" || v.oracle == "hang") return s;
  try {
    s += comment(to_string(make_jaxpr([&](Arrays a) { return run(p.f, a); })(p.arguments()).jaxpr));
  } catch (const std::exception& e) {
    s += comment(e.what());
  }
  return s;
}

}  // namespace weft::programs
