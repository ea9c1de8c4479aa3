// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/trace.cpp: the current interpreter, binding, source positions, named axes.
#include "weft/tracer/trace.h"

#include <fmt/format.h>

#include "weft/tracer/eval_trace.h"

namespace weft {
namespace {
struct ThreadState {
  Ref<Interpreter> current;
  Location source;
  std::vector<NamedAxis> axes;
};
ThreadState& state() {
  thread_local ThreadState s;
  return s;
}
}  // namespace

const Ref<Interpreter>& current() {
  ThreadState& s = state();
  if (!s.current) s.current = eval_interpreter();
  return s.current;
}

Running::Running(Ref<Interpreter> i) : before_(weft::current()) { state().current = std::move(i); }
Running::~Running() { state().current = std::move(before_); }

Tracer::Tracer(Type t, Ref<Interpreter> l) : Node(t, Source::current()), level(std::move(l)) {}

Source::Source(Location at) : set_(!state().source) {
  if (set_) state().source = at;
}
Source::~Source() {
  if (set_) state().source = {};
}
Location Source::current() { return state().source; }

namespace {
// " (at file.cpp:12)" of the user's call, or nothing where it is not known.
std::string here() {
  const Location at = Source::current();
  return at ? fmt::format(" (at {})", to_string(at)) : "";
}
[[noreturn]] void leaked(const Op& op, const Array& x, const Tracer& t) {
  throw LeakedTracerError(fmt::format(
      "{}: a traced value {}{} has leaked: the {} that made it is over. Return values "
      "from the function instead of "
      "storing them outside it.{}",
      op.name(), to_string(x.type()), t.made ? fmt::format(", made at {},", to_string(t.made)) : "",
      t.level->name(), here()));
}
}  // namespace

Arrays bind_op(const Op& op, const Arrays& x, const AnyParams& params) {
  for (const Array& a : x)
    if (!a.node().concrete()) {
      const Tracer& t = static_cast<const Tracer&>(a.node());
      if (t.level->closed()) leaked(op, a, t);
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
  throw AxisNameError(fmt::format("unbound axis name '{}'. {}{}", name,
                                  known.empty()
                                      ? "No mapped axis has a name here; give vmap {.axis_name}."
                                      : "Names in scope: " + known + ".",
                                  here()));
}

AxisScope::AxisScope(std::string name, int64_t size) : pushed_(!name.empty()) {
  if (pushed_) state().axes.push_back({std::move(name), size});
}
AxisScope::~AxisScope() {
  if (pushed_) state().axes.pop_back();
}

}  // namespace weft
