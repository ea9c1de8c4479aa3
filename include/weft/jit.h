// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/jit.h: jit compiles a function into one program for each kind of arguments that it
// is called with.
#pragma once
#include <string>
#include <vector>

#include "weft/detail/epoch_guard.h"
#include "weft/jit/lowered.h"
#include "weft/shape_dtype.h"
#include "weft/stop.h"

namespace weft {

namespace typing {
// time_limit and check_nans apply wherever the function is called: in lower().compile(), under vmap
// and grad, and inside another jit. There the call remains a separate step, so a mapped loop around
// it runs all lanes in lockstep, step by step.
struct JitOptions {
  // Arguments whose memory the program reuses for results and temporaries where they fit. Using a
  // donated argument afterwards raises DeviceError. No other thread may use it during the call, nor
  // a span returned by data(). Under another transform donation has no effect.
  std::vector<int> donate_argnums = {};
  // One of devices(). Arguments on another device are moved to it. Empty: the device of the
  // arguments.
  std::string device = {};
  // The name of the function in programs and messages.
  std::string name = {};
  // Also pass arguments that the program does not read.
  bool keep_unused = false;
  // Raise CheckError, naming the operation, when a result holds a NaN. Inside a loop that runs for
  // only some of its lanes, a NaN counts only if it is in the loop's result.
  bool check_nans = false;
  // Seconds after which a call ends with InterruptedError (0: no limit).
  double time_limit = 0;
};
}  // namespace typing

namespace detail {

// Pointers to the Arrays among the arguments. A short list allocates no memory.
class LeafList {
 public:
  void add(const Array* x) {
    if (size_ < inline_size)
      small_[size_] = x;
    else
      add_beyond(x);
    ++size_;
  }
  const Array* const* data() const { return more_.empty() ? small_ : more_.data(); }
  size_t size() const { return size_; }
  const Array& operator[](size_t i) const { return *data()[i]; }
  typing::Types types() const;

 private:
  void add_beyond(const Array* x);
  static constexpr size_t inline_size = 16;
  const Array* small_[inline_size];
  std::vector<const Array*> more_;
  size_t size_ = 0;
};

// The results of a call before the result tree is rebuilt from them.
class ResultList {
 public:
  explicit ResultList(size_t n) {
    if (n > inline_size) make_room(n);
  }
  Array* data() { return more_.empty() ? small_ : more_.data(); }

 private:
  void make_room(size_t n);
  static constexpr size_t inline_size = 4;
  Array small_[inline_size];
  Arrays more_;
};

// Writes the key of a call and lists its Arrays.
struct CallVisitor : StructureVisitor {
  LeafList* leaves;
  CallVisitor(KeyWriter* w, LeafList* l) : StructureVisitor{w}, leaves(l) {}
  void leaf(const Array& x) {
    leaves->add(&x);
    // No program has the key of an empty handle, so the call is traced, and tracing reports the
    // argument.
    words->add(x.empty_handle() ? 0 : x.type().hash());
  }
};

// A traced function. The rest of it is in jit.cpp.
class JitProgram : public ir::RefCounted {
 public:
  size_t n_out = 0;
  ir::Ref<const ir::RefCounted> prototype;  // Prototype<R>
};
template <class R>
struct Prototype final : ir::RefCounted {
  R value;
  explicit Prototype(R v) : value(std::move(v)) {}
};
template <class R>
struct PrototypeOf {
  const FlatResult<R>* f;
  ir::Ref<const ir::RefCounted> operator()() const {
    return ir::Ref<const ir::RefCounted>(new Prototype<R>(f->prototype()));
  }
};

// The programs of one callable.
using JitState = ir::Ref<ir::RefCounted>;
JitState make_jit_state(const typing::JitOptions& o, typing::Location at);
// Returns the same state for equal identities.
JitState shared_jit_state(const typing::JitOptions& o, typing::Location at, KeyWriter& identity);

// The inputs of tracing.
struct TraceRequest {
  ir::FunctionRef<Arrays(const Arrays&)> f;
  ir::FunctionRef<ir::Ref<const ir::RefCounted>()> prototype;
  ir::FunctionRef<tree::detail::Skeleton()> args;
};
// Returns the program for this key, or null if it has not been traced. The pointer is valid while a
// Reading exists. Adds the context to the key.
const JitProgram* find_program(const ir::RefCounted& state, KeyWriter& key);
ir::Ref<const JitProgram> trace_program(ir::RefCounted& state, const KeyWriter& key,
                                        const LeafList& x, const TraceRequest& t);
// The option time_limit, applied to a whole call, including tracing and compilation.
ir::TimeLimit call_limit(const ir::RefCounted& state);
void run_program(const ir::RefCounted& state, const JitProgram& p, const LeafList& x, Array* out);
ir::Ref<const LoweredImpl> lower_traced(const ir::RefCounted& state, const LeafList& x,
                                        const TraceRequest& t);

template <class Args>
void read_arguments(const Args& args, KeyWriter& key, LeafList& x) {
  key.add(type_id<Args>());
  CallVisitor v(&key, &x);
  tree::detail::walk(args, v);
}
template <class R>
R run_traced(const ir::RefCounted& state, const JitProgram& p, const LeafList& x) {
  ResultList out(p.n_out);
  run_program(state, p, x, out.data());
  if constexpr (std::same_as<R, Array>)
    return Array(std::move(out.data()[0]));
  else
    return tree::detail::rebuild(static_cast<const Prototype<R>&>(*p.prototype).value, out.data());
}

template <class F>
class Jitted : public CallOperator<Jitted<F>, F> {
 public:
  Jitted(F f, const typing::JitOptions& o, typing::Location at) : f_(std::move(f)), at_(at) {
    const ir::SourceScope source(at_);
    KeyWriter identity;
    state_ = identify(f_, identity) ? shared_jit_state(o, at, identity) : make_jit_state(o, at);
  }
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using R = result_t<F, P...>;
    try {
      return called<R>(args);
    } catch (Error& e) {  // a Source would cost time in every call
      ir::add_place(e, at_);
      throw;
    }
  }
  // Returns the program for arguments of these types, to inspect it or to compile it ahead of time.
  // The arguments may be ShapeDtypeStructs.
  template <class... A>
  auto lower(const A&... a) const {
    return lower_at(arguments<F>(a...));
  }
  bool weft_identify(KeyWriter& key) const {
    key.add(reinterpret_cast<uint64_t>(state_.get()));
    return identify(f_, key);
  }

 private:
  template <class R, class Args>
  R called(const Args& args) const {
    KeyWriter key;
    LeafList x;
    read_arguments(args, key, x);
    const ir::EpochGuard reading;
    if (const JitProgram* p = find_program(*state_, key)) return run_traced<R>(*state_, *p, x);
    const ir::SourceScope source(at_);
    const ir::TimeLimit limit = call_limit(*state_);
    Flat<F, Args, R> flat(f_, args);
    const ir::Ref<const JitProgram> p = trace_program(
        *state_, key, x, {flat, PrototypeOf<R>{&flat}, tree::detail::skeleton_of(args)});
    return run_traced<R>(*state_, *p, x);
  }
  template <class... P>
  auto lower_at(const std::tuple<P...>& args) const {
    static_assert(can_call<F, P...>,
                  "weft::jit: the function cannot be called with these arguments");
    using R = result_t<F, P...>;
    const ir::SourceScope source(at_);
    KeyWriter key;
    LeafList x;
    read_arguments(args, key, x);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    auto impl = lower_traced(
        *state_, x,
        {flat, [] { return ir::Ref<const ir::RefCounted>(); }, tree::detail::skeleton_of(args)});
    return Lowered<std::tuple<P...>, R>(std::move(impl), x.types(), args, flat.prototype());
  }
  mutable F f_;
  JitState state_;
  typing::Location at_;
};

}  // namespace detail

// Drops every traced and compiled program and frees all cached memory. Callables stay valid: their
// next call traces and compiles again. Source: jax.clear_caches.
void clear_caches();

// Compiles f, which is traced once for each kind of arguments (types, trees, static values): jit(f,
// {.donate_argnums = {0}, .name = "step"}). Arguments are static if their parameter types in f hold
// no Array. Arrays that f captures are read when it is traced. The callable and its copies own the
// programs. Raises CompileError if f calls itself without end. Source: jax.jit.
//
//     jit([](Array x) { return x + 1; })(array({1, 2}))  // array([2, 3], dtype=int32)
template <class F = typing::BinaryFunction>
auto jit(F f, const typing::JitOptions& options = {},
         typing::Location at = typing::Location::here()) {
  return detail::Jitted<F>(std::move(f), options, at);
}
// The same for a name that <cmath> also declares: jit(tanh).
template <class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jit(F f, const typing::JitOptions& options = {},
         typing::Location at = typing::Location::here()) {
  return detail::Jitted<F>(f, options, at);
}

}  // namespace weft
