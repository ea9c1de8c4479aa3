// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/trace.h: interpreters of ops, and the current interpreter.
//
// The design is final style without a stack: bind passes an op to the current interpreter. An
// interpreter owns some tracers and treats all other values as constants. Its rules run under its
// parent interpreter, so transforms nest and are independent of each other.
#pragma once
#include <string>
#include <vector>

#include "core/op.h"
#include "weft/array.h"

namespace weft {

// Primal outputs and their tangents (an empty handle is zero).
struct Dual {
  Arrays out;
  Arrays tangent;
};
// Outputs and the position of their mapped axis.
struct Batched {
  Arrays out;
  MaybeAxes axis;
};

class Interpreter : public RefCounted {
 public:
  explicit Interpreter(Ref<Interpreter> parent) : parent_(std::move(parent)) {}
  virtual Arrays process(const Op& op, const Arrays& x, const AnyParams& params) = 0;
  // "vmap", "grad", …: the name in errors.
  virtual const char* name() const = 0;
  const Ref<Interpreter>& parent() const { return parent_; }
  // A closed interpreter processes no more ops; its tracers have leaked.
  bool closed() const { return closed_; }
  void close() { closed_ = true; }

 private:
  Ref<Interpreter> parent_;
  bool closed_ = false;
};

// The interpreter that processes ops bound on this thread.
const Ref<Interpreter>& current();

// Makes an interpreter current for a scope.
class CurrentTraceScope {
 public:
  explicit CurrentTraceScope(Ref<Interpreter> i);
  ~CurrentTraceScope();
  CurrentTraceScope(const CurrentTraceScope&) = delete;

 private:
  Ref<Interpreter> before_;
};

// An interpreter that is current for a scope. It is closed when the scope ends, even by an
// exception, so that leaked tracers are detected.
template <class I>
class TraceScope {
 public:
  template <class... A>
  explicit TraceScope(A&&... a)
      : level_(make_ref<I>(current(), std::forward<A>(a)...)), running_(Ref<Interpreter>(level_)) {}
  ~TraceScope() { level_->close(); }
  I* operator->() const { return level_.get(); }
  I& operator*() const { return *level_; }
  const Ref<I>& ref() const { return level_; }

 private:
  Ref<I> level_;
  CurrentTraceScope running_;
};

// A value of an interpreter.
class Tracer : public Node {
 public:
  Tracer(Type t, Ref<Interpreter> trace);
  // The concrete value of the tracer if the transform computes with known values (grad, jvp), else
  // null.
  virtual const Array* known_value() const { return nullptr; }
  const Ref<Interpreter> trace;
};
// ", made at file.cpp:12," for the text of an error, or "" if the location is unknown.
std::string made_at(const Node& n);
// The tracer of x if it belongs to `level`, else null.
template <class T>
const T* tracer_of(const Array& x, const Interpreter& trace) {
  if (x.empty_handle() || x.node().concrete()) return nullptr;
  const Tracer& t = static_cast<const Tracer&>(x.node());
  return t.trace.get() == &trace ? static_cast<const T*>(&t) : nullptr;
}

// Processes op with the current interpreter. LeakedTracerError for a tracer whose transform has
// ended.
Arrays bind_op(const Op& op, const Arrays& x, const AnyParams& params);

// The names of the mapped axes in scope, innermost last.
struct NamedAxis {
  std::string name;
  int64_t size;
  friend bool operator==(const NamedAxis&, const NamedAxis&) = default;
};
const std::vector<NamedAxis>& axis_env();
// The size of the innermost axis with that name; AxisNameError "unbound axis name 'i'".
int64_t named_axis_size(const std::string& name);
class AxisScope {
 public:
  AxisScope(std::string name, int64_t size);
  ~AxisScope();
  AxisScope(const AxisScope&) = delete;

 private:
  bool pushed_;
};

// ---- the typed op, and its definition

// How an operand of an equation was made, for rules that inspect it.
struct Producer {
  const Op& op;
  const AnyParams& params;
  Arrays x;                           // its operands
  std::vector<const Producer*> from;  // how each operand was made; null: an argument or a number
};

template <class P>
class Primitive final : public Op {
 public:
  explicit Primitive(Def<P> d) : d_(std::move(d)), implementations_(listed()) {}
  // Processes x with the current interpreter.
  Arrays bind(const Arrays& x, P p = {}) const {
    return bind_op(*this, x, make_params(std::move(p)));
  }
  Array operator()(const Arrays& x, P p = {}) const { return bind(x, std::move(p))[0]; }
  const Def<P>& def() const { return d_; }

  const std::string& name() const override { return d_.name; }
  const std::string& doc() const override { return d_.doc; }
  const std::string& stablehlo() const override { return d_.stablehlo; }
  Types type(const Types& in, const AnyParams& p) const override {
    return d_.type(in, params_as<P>(p));
  }
  Arrays reference(const Arrays& x, const AnyParams& p) const override {
    if (!d_.reference) detail::missing_rule(*this, Slot::reference);
    return d_.reference(x, params_as<P>(p));
  }
  Dual dual(const Arrays& x, const Arrays& dx, const AnyParams& p) const override {
    if (d_.dual) return d_.dual({*this, x, dx, params_as<P>(p)});
    if (!d_.jvp) detail::missing_rule(*this, Slot::jvp);
    Arrays out = bind_op(*this, x, p);
    Arrays tangent = d_.jvp({*this, x, dx, out, params_as<P>(p)});
    return {std::move(out), std::move(tangent)};
  }
  Arrays transpose(const Arrays& ct, const Arrays& x, const std::vector<bool>& linear,
                   const Types& in, const Types& out, const AnyParams& p) const override {
    if (!d_.transpose) detail::missing_rule(*this, Slot::transpose);
    return d_.transpose({*this, ct, x, linear, in, out, params_as<P>(p)});
  }
  Batched batch(const Arrays& x, const MaybeAxes& axis, int64_t size, const AnyParams& p,
                BatchTrace& trace) const override {
    if (!d_.batch) detail::missing_rule(*this, Slot::batch);
    return d_.batch({*this, x, axis, size, params_as<P>(p), trace});
  }
  Arrays partial(const Arrays& x, const std::vector<bool>& unknown, const AnyParams& p,
                 PartialEvalTrace& trace) const override {
    return d_.partial({*this, x, unknown, params_as<P>(p), trace});
  }
  Lowering lower(const Types& in, const Types& out, const AnyParams& p) const override {
    if (!d_.lower) detail::missing_rule(*this, Slot::lower);
    return d_.lower({in, out, params_as<P>(p)});
  }
  Arrays expand(const Arrays& x, const AnyParams& p) const override {
    if (!d_.expand) detail::missing_rule(*this, Slot::expand);
    return d_.expand({*this, x, params_as<P>(p)});
  }
  const std::vector<AnyImplementation>& implementations() const override {
    return implementations_;
  }
  double tolerance() const override { return d_.tolerance; }
  Arrays simplify(const Arrays& x, const AnyParams& p) const override {
    return d_.simplify({x, params_as<P>(p)});
  }
  Arrays split(const Arrays& x, const AnyParams& p) const override {
    return d_.split({*this, x, params_as<P>(p)});
  }
  Arrays fuse(const Arrays& x, const std::vector<const Producer*>& producers,
              const AnyParams& p) const override {
    return d_.fuse({x, producers, params_as<P>(p)});
  }
  std::optional<Pruned> prune(const std::vector<bool>& read, const AnyParams& p) const override {
    return d_.prune ? d_.prune({read, params_as<P>(p)}) : std::optional<Pruned>();
  }
  std::vector<int> forwards(const AnyParams& p) const override {
    return d_.forwards ? d_.forwards(params_as<P>(p)) : std::vector<int>();
  }
  AnyParams resize(const Types& in, const Types& out, const AnyParams& p) const override {
    return d_.resize ? make_params(d_.resize({in, out, params_as<P>(p)})) : p;
  }
  bool is_product() const override { return d_.is_product; }
  bool forwards_operand() const override { return d_.forwards_operand; }
  bool nonlinear_in_residuals(const AnyParams& p) const override {
    return d_.nonlinear_in_residuals && d_.nonlinear_in_residuals(params_as<P>(p));
  }
  Effect effects(const AnyParams& p) const override {
    return d_.effects ? d_.effects(params_as<P>(p)) : Effect::none;
  }
  std::optional<Derivatives> derivatives(const AnyParams& p) const override {
    return d_.derivatives ? d_.derivatives(params_as<P>(p)) : std::optional<Derivatives>();
  }
  bool reads_weak_f64(const AnyParams& p) const override {
    return d_.reads_weak_f64 && d_.reads_weak_f64(params_as<P>(p));
  }
  std::string result_device(const AnyParams& p) const override {
    return d_.result_device ? d_.result_device(params_as<P>(p)) : std::string();
  }
  std::vector<AnySample> samples() const override {
    std::vector<AnySample> out;
    if (d_.samples)
      for (auto& s : d_.samples())
        out.push_back({s.in, make_params(s.params), s.lo, s.hi, s.values, s.maps});
    return out;
  }
  std::vector<AnyReject> rejects() const override {
    std::vector<AnyReject> out;
    if (d_.rejects)
      for (auto& r : d_.rejects()) out.push_back({r.in, make_params(r.params), r.text});
    return out;
  }
  AnyParams parse_params(
      const std::vector<std::pair<std::string, ParamValue>>& fields) const override {
    P p{};
    size_t used = 0;
    bool ok = true;
    p.fields(detail::FieldReader{&fields, &used, &ok});
    if (!ok || used != fields.size())
      detail::bad_field(*this, ok ? "unknown field" : "a field has the wrong kind");
    return make_params(std::move(p));
  }
  bool has(Slot s) const override {
    switch (s) {
      case Slot::reference: return static_cast<bool>(d_.reference);
      case Slot::jvp: return d_.jvp || d_.dual;
      case Slot::transpose: return static_cast<bool>(d_.transpose);
      case Slot::batch: return static_cast<bool>(d_.batch);
      case Slot::partial: return static_cast<bool>(d_.partial);
      case Slot::lower: return static_cast<bool>(d_.lower);
      case Slot::expand: return static_cast<bool>(d_.expand);
      case Slot::simplify: return static_cast<bool>(d_.simplify);
      case Slot::split: return static_cast<bool>(d_.split);
      case Slot::fuse: return static_cast<bool>(d_.fuse);
    }
    return false;
  }
  bool compile_eagerly() const override { return d_.compile_eagerly; }
  bool collective() const override { return d_.collective; }

 private:
  // The implementations of the definition, then those of its rules that the definition does not
  // list.
  std::vector<AnyImplementation> listed() const {
    std::vector<AnyImplementation> all;
    std::vector<Implementation<P>> named;
    if (d_.implementations) named = d_.implementations();
    for (const Implementation<P>& i : named)
      all.push_back({i.name, typed(i.applies, true), typed(i.cost, 0.), typed(i.make, NativeCall()),
                     typed(i.lower, Lowering()), i.library});
    const auto add = [&](std::string_view name, bool has) {
      for (const AnyImplementation& i : all) has = has && i.name != name;
      if (has)
        all.push_back({std::string(name), [](const AnyUse&) { return true; },
                       [](const AnyUse&) { return 0.; }});
    };
    add(generated, static_cast<bool>(d_.lower));
    add(expanded, static_cast<bool>(d_.expand));
    return all;
  }
  template <class R>
  static std::function<R(const AnyUse&)> typed(const std::function<R(const Use<P>&)>& f, R none) {
    if constexpr (std::is_same_v<R, NativeCall> || std::is_same_v<R, Lowering>)
      if (!f) return {};
    return [f, none](const AnyUse& u) {
      return f ? f({u.in, u.out, params_as<P>(u.params), u.target, u.in_loop}) : none;
    };
  }
  Def<P> d_;
  std::vector<AnyImplementation> implementations_;
};

// Registers an op. Ops live as long as the process.
template <class P = None>
const Primitive<P>& define(Def<P> d) {
  auto* op = new Primitive<P>(std::move(d));
  detail::register_op(op);
  return *op;
}

}  // namespace weft
