// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/weak_numbers.cpp: finds the doubles of weak numbers, and makes them inputs of programs.
#include "tracer/weak_numbers.h"

#include <algorithm>
#include <numeric>

#include "core/jaxpr_builder.h"
#include "core/op.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft {

// ---- C++ numbers

std::optional<double> kept_double(const Concrete& c) {
  if (!c.literal) return {};
  const Literal l = literal_of(c);
  if (!keeps_double(l)) return {};
  return exact_value(l);
}

Array conversion_operand(const Array& x, DType to) {
  const Concrete* c = exceeds_f32(to) ? concrete_or_null(x) : nullptr;
  return c && kept_double(*c) ? literal_array(exact_literal(literal_of(*c))) : x;
}

Array number_as(const Array& x, DType d, bool weak) {
  if (d == F32 && weak) return scalar_of(F32, x.item<double>(), true);
  Literal l{d, weak, {0, 0}};
  detail::convert_elements(x, l.bits, d);
  return literal_array(l);
}

bool returns_number(const Op& op, const Arrays& x, const Types& out) {
  return op.forwards_operand() && x.size() == 1 && out[0] == x[0].type() && concrete(x[0]).literal;
}

namespace {
bool is_number(const Array& x) {
  const Concrete* c = concrete_or_null(x);
  return c && c->literal;
}
}  // namespace

// ---- conversions in a program that is being recorded

namespace {
// Returns true if x may still have its double: it is not the result of a computation of the trace.
bool may_keep_double(const JaxprTrace& trace, const Array& x) {
  if (concrete_or_null(x)) return is_number(x);
  const auto* t = tracer_of<JaxprTracer>(x, trace);
  return !t || t->origin.kind == JaxprTracer::Origin::input ||
         (t->origin.kind == JaxprTracer::Origin::forwarded &&
          is_weak_number(t->origin.value.type()) && may_keep_double(trace, t->origin.value));
}
}  // namespace

Arrays convert_exactly(JaxprTrace& trace, const Op& op, const Arrays& x, const AnyParams& params) {
  if (!op.reads_weak_f64(params) || !is_weak_number(x[0].type()) || concrete_or_null(x[0]))
    return {};
  const auto* t = tracer_of<JaxprTracer>(x[0], trace);
  Array source = x[0];
  if (t) {
    const JaxprTracer::Origin& from = t->origin;
    source = from.value;
    if (from.kind == JaxprTracer::Origin::forwarded) {
      if (!may_keep_double(trace, x[0])) return {};
      return trace.process(*from.op, trace.process(op, {source}, params), from.params);
    }
    t->double_read = true;
    if (source.empty_handle()) return {};
    if (concrete_or_null(source) && !is_number(source)) return {};  // a computed value is a float
    // C++ numbers and inputs of this program are converted in this program.
    if (concrete_or_null(source) || tracer_of<JaxprTracer>(source, trace))
      return trace.process(op, {source}, params);
  }
  const CurrentTraceScope running(trace.parent());
  return bind_op(op, {source}, params);
}

JaxprTracer::Origin origin_of_result(const Op& op, const Arrays& x, const AnyParams& params) {
  if (!op.forwards_operand() || x.size() != 1) return {};
  return {JaxprTracer::Origin::forwarded, x[0], &op, params};
}

const Array& forwarded_value(const Array& x) {
  const Array* v = &x;
  for (;;) {
    const auto* t = dynamic_cast<const JaxprTracer*>(&v->node());
    if (!t || t->origin.kind != JaxprTracer::Origin::forwarded) return *v;
    v = &t->origin.value;
  }
}

bool double_was_read(const Array& input) {
  return static_cast<const JaxprTracer&>(input.node()).double_read;
}

// ---- arguments of traced programs

namespace {
// The input whose double the equation reads, or -1.
int32_t input_read(const JaxprData& j, const Eqn& e) {
  if (!reads_double(e) || e.in[0].is_literal() || e.in[0].index >= j.n_in) return -1;
  return is_weak_number(j.type(e.in[0])) ? e.in[0].index : -1;
}
}  // namespace

ExactInputs with_exact_inputs(const Jaxpr& j) {
  ExactInputs w{j, {}};
  const auto position = [&](int32_t v) {
    return std::find(w.weak_inputs.begin(), w.weak_inputs.end(), v) - w.weak_inputs.begin();
  };
  for (const Eqn& e : j->eqns)
    if (const int32_t v = input_read(*j, e); v >= 0 && position(v) == std::ssize(w.weak_inputs))
      w.weak_inputs.push_back(v);
  if (w.weak_inputs.empty()) return w;
  JaxprBuilder b(*j);
  b.copy_inputs();
  std::vector<Atom> exact;
  for (size_t k = 0; k < w.weak_inputs.size(); ++k)
    exact.push_back(b.add_input(Type(F64, Shape{})));
  for (const Eqn& e : j->eqns) {
    Eqn& n = b.copy(e);
    if (const int32_t v = input_read(*j, e); v >= 0) n.in[0] = exact[position(v)];
  }
  w.jaxpr = b.finish(j->out);
  return w;
}

Arrays ExactInputs::operands(Arrays x) const {
  for (int32_t v : weak_inputs) {
    const Array& number = x[static_cast<size_t>(v)];
    x.push_back(concrete_or_null(number) ? scalar_of(F64, number.item<double>())
                                         : base::convert(number, F64));
  }
  return x;
}

std::vector<double> ExactInputs::doubles(FunctionRef<const Array&(int32_t)> input) const {
  std::vector<double> r(weak_inputs.size());
  for (size_t i = 0; i < r.size(); ++i) detail::convert_elements(input(weak_inputs[i]), &r[i], F64);
  return r;
}

void ExactInputs::keep_doubles(const Arrays& operands, Arrays* results) const {
  for (size_t k = 0; k < results->size(); ++k) {
    const Atom a = jaxpr->out[k];
    if (!is_weak_number(jaxpr->type(a))) continue;
    if (a.is_literal())
      (*results)[k] = literal_array(jaxpr->literals[static_cast<size_t>(a.literal())]);
    else if (a.index < jaxpr->n_in)
      (*results)[k] = operands[static_cast<size_t>(a.index)];
  }
}

WeakArguments::WeakArguments(const Arrays& x) : n_arguments_(x.size()), written_(x.size()) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (is_number(x[i])) written_[i] = x[i];
    if (is_weak_number(x[i].type()) && x[i].is_traced()) traced_.push_back(i);
  }
}

ClosedJaxpr WeakArguments::trace(const char* who, const Types& in,
                                 FunctionRef<Arrays(const Arrays&, const Arrays&)> f) {
  std::vector<int> in_order(n_arguments_);
  std::iota(in_order.begin(), in_order.end(), 0);
  return trace(who, in, f, in_order);
}

ClosedJaxpr WeakArguments::trace(const char* who, const Types& in,
                                 FunctionRef<Arrays(const Arrays&)> f) {
  return trace(who, in, [&](const Arrays& inputs, const Arrays&) { return f(inputs); });
}

ClosedJaxpr WeakArguments::trace(const char* who, const Types& in,
                                 FunctionRef<Arrays(const Arrays&, const Arrays&)> f,
                                 const std::vector<int>& numbers) {
  TraceScope<JaxprTrace> trace(who);
  Arrays doubles, inputs;
  for (size_t i = 0; i < n_doubles(); ++i) doubles.push_back(trace->input(Type(F64, Shape{})));
  for (size_t i = 0; i < in.size(); ++i) {
    Array stands_for;
    if (i < numbers.size() && numbers[i] >= 0) {
      const auto k = static_cast<size_t>(numbers[i]);
      const auto it = std::find(with_double_.begin(), with_double_.end(), k);
      stands_for = it == with_double_.end()
                       ? written_[k]
                       : doubles[static_cast<size_t>(it - with_double_.begin())];
    }
    inputs.push_back(trace->input(in[i], stands_for));
  }
  ClosedJaxpr c = trace->finish(f(inputs, doubles));
  for (size_t i = 0; i < std::min(in.size(), numbers.size()); ++i)
    for (size_t k : traced_)
      asked_ |= static_cast<int>(k) == numbers[i] && double_was_read(inputs[i]);
  c.jaxpr = dce(c.jaxpr);
  return c;
}

std::vector<int> WeakArguments::numbers_of(const Arrays& values, const Arrays& arguments) {
  std::vector<int> numbers;
  for (const Array& v : values) {
    const auto same = [&](const Array& a) { return &a.node() == &v.node(); };
    const auto it = std::find_if(arguments.begin(), arguments.end(), same);
    if (is_number(v)) {
      written_.push_back(v);
      numbers.push_back(static_cast<int>(written_.size()) - 1);
    } else {
      numbers.push_back(it == arguments.end() ? -1 : static_cast<int>(it - arguments.begin()));
    }
  }
  return numbers;
}

bool WeakArguments::trace_again() {
  if (!asked_ || !with_double_.empty()) return false;
  with_double_ = traced_;
  return true;
}

Arrays WeakArguments::operands(const Arrays& x) const {
  Arrays all;
  for (size_t i : with_double_) all.push_back(base::convert(x[i], F64));
  all.insert(all.end(), x.begin(), x.end());
  return all;
}

}  // namespace weft
