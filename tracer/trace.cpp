// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/trace.cpp: the current interpreter, binding, named axes.
#include "tracer/trace.h"

#include <fmt/format.h>

#include "runtime/thread_stack.h"
#include "tracer/eval_trace.h"
#include "weft/shape_dtype.h"

namespace weft {
namespace {
struct ThreadState {
  Ref<Interpreter> current;
  std::vector<NamedAxis> axes;
};
ThreadState& state() {
  thread_local ThreadState s;
  return s;
}

// Reports infinite recursion before the stack overflows. It is checked where an interpreter becomes
// current, as for each call of a transform or callback, and where an op is bound.
void require_stack() {
  if (is_stack_nearly_exhausted())
    throw CompileError(
        "a function calls itself, directly or through a transform, loop, branch or callback, until "
        "the stack is used up. All branches and bodies are traced, so a traced value cannot end a "
        "recursion. Use weft::while_loop, weft::scan or weft::fori_loop for what repeats, or let a "
        "C++ value end it. Calls that are meant to go so deep need a larger stack (ulimit -s, or a "
        "thread of their own).");
}
}  // namespace

const Ref<Interpreter>& current() {
  ThreadState& s = state();
  if (!s.current) s.current = eval_interpreter();
  return s.current;
}

CurrentTraceScope::CurrentTraceScope(Ref<Interpreter> i) : before_(weft::current()) {
  require_stack();
  state().current = std::move(i);
}
CurrentTraceScope::~CurrentTraceScope() { state().current = std::move(before_); }

Tracer::Tracer(Type t, Ref<Interpreter> l) : Node(t, SourceScope::current()), trace(std::move(l)) {}

std::string made_at(const Node& n) {
  return n.made ? fmt::format(", made at {},", to_string(n.made)) : "";
}

namespace {
[[noreturn]] void leaked(const Op& op, const Array& x, const Tracer& t) {
  detail::require_value(op.name(), x);
  throw LeakedTracerError(fmt::format(
      "{}: a traced value {}{} has leaked: the {} that made it is over. Return values from the "
      "function instead of storing them outside it.",
      op.name(), to_string(x.type()), made_at(t), t.trace->name()));
}
}  // namespace

Arrays bind_op(const Op& op, const Arrays& x, const AnyParams& params) {
  require_stack();
  for (const Array& a : x)
    if (!a.node().concrete()) {
      const Tracer& t = static_cast<const Tracer&>(a.node());
      if (t.trace->closed()) leaked(op, a, t);
    }
  return current()->process(op, x, params);
}

const std::vector<NamedAxis>& axis_env() { return state().axes; }

int64_t named_axis_size(const std::string& name) {
  const auto& env = axis_env();
  for (auto it = env.rbegin(); it != env.rend(); ++it)
    if (it->name == name) return it->size;
  std::string known;
  for (const NamedAxis& a : env) known += fmt::format("{}'{}'", known.empty() ? "" : ", ", a.name);
  throw AxisNameError(fmt::format("unbound axis name '{}'. {}", name,
                                  known.empty()
                                      ? "No mapped axis has a name here; give vmap {.axis_name}."
                                      : "Names in scope: " + known + "."));
}

AxisScope::AxisScope(std::string name, int64_t size) : pushed_(!name.empty()) {
  if (pushed_) state().axes.push_back({std::move(name), size});
}
AxisScope::~AxisScope() {
  if (pushed_) state().axes.pop_back();
}

}  // namespace weft
