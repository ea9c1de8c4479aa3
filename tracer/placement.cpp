// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/placement.cpp: values on devices other than the host, and reuse of operand memory.
#include "tracer/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/op.h"
#include "tracer/eval_trace.h"

namespace weft {
namespace {
thread_local bool on_host = false;
}  // namespace

detail::Device* elsewhere() {
  detail::Device* const d = detail::default_elsewhere();
  return d && !on_host ? d : nullptr;
}

OnHost::OnHost() : before_(std::exchange(on_host, true)) {}
OnHost::~OnHost() { on_host = before_; }

detail::Device* elsewhere(const Arrays& x) {
  detail::Device* found = nullptr;
  for (const Array& a : x) {
    detail::Device* const d = concrete(a).elsewhere();
    if (!d || d == found) continue;
    if (found)
      throw DeviceError(
          fmt::format("the operands are on two devices, '{}' and '{}'; move them to one with "
                      "device_put",
                      found->name(), d->name()));
    found = d;
  }
  return found ? found : elsewhere();
}

Array array_on(const Type& t, detail::Device& d, void** memory) {
  auto* node = &d == &detail::host()
                   ? new Concrete(t, SourceScope::current())
                   : new Concrete(t, SourceScope::current(), Buffer::allocate(t.bytes(), d));
  *memory = node->mutable_data();
  return Array{Ref<const Node>(node)};
}

Array placed(const Array& x, detail::Device& d) {
  const Concrete& c = concrete(x);
  detail::Device* const from = c.elsewhere();
  if (!c.literal && (from ? from : &detail::host()) == &d) return x;
  void* memory = nullptr;
  Array r = array_on(x.type(), d, &memory);
  d.copy_in(memory, c.data(), x.type().bytes());
  return r;
}

Arrays run_elsewhere(detail::Device& d, const Jaxpr& j, const Executable& e, const Arrays& x) {
  Arrays there, result;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Array& a : x) {
    there.push_back(placed(a, d));
    in.push_back(concrete(there.back()).buffer()->data());
  }
  for (Atom a : j->out) {
    const bool computed = !a.is_literal() && a.index >= j->n_in;
    void* memory = nullptr;
    result.push_back(computed         ? array_on(j->type(a), d, &memory)
                     : a.is_literal() ? literal_array(j->literals[a.literal()])
                                      : there[a.index]);
    out.push_back(memory);
  }
  e.run(in.data(), out.data());
  return result;
}

void require_one_device(const Jaxpr& j, const detail::Device& d) {
  any_equation({j}, [&](const JaxprData&, const Eqn& e) {
    const std::string to = e.op->result_device(e.params);
    if (!to.empty() && &detail::find_device(to, e.op->name()) != &d)
      throw DeviceError(
          fmt::format("{} to '{}' in a program that runs on '{}': a compiled program runs on one "
                      "device. Put its arguments there before the call, or its results after it.",
                      e.op->name(), to, d.name()));
    return false;
  });
}

// ---- reuse of operand memory

namespace {
thread_local const Node* given = nullptr;
}

DonatedOperand::DonatedOperand(const Array& x) : before_(given) {
  const Concrete* c = concrete_or_null(x);
  const bool plain =
      c && !c->literal && current().get() == eval_interpreter().get() && !c->elsewhere() &&
      c->buffer() && !c->foreign &&
      c->buffer()->use_count() == 1;  // there is no view of it (include/weft/detail/foreign.h)
  given = plain ? c : nullptr;
}
DonatedOperand::~DonatedOperand() { given = before_; }

Ref<Buffer> take_donated(const Array& x, const Arrays& operands) {
  if (!given || &x.node() != given) return {};
  const auto it = [&](const Array& a) { return &a.node() == given; };
  if (std::count_if(operands.begin(), operands.end(), it) != 1) return {};
  const auto& c = static_cast<const Concrete&>(*std::exchange(given, nullptr));
  c.claim("std::move(x).at(...)");
  return c.take();
}

Fresh writable_first(const Type& t, const Arrays& operands) {
  if (Ref<Buffer> mine = take_donated(operands[0], operands)) {
    auto* node = new Concrete(t, SourceScope::current(), std::move(mine));
    return {Array{Ref<const Node>(node)}, node->mutable_data()};
  }
  Fresh r = fresh_array(t);
  if (t.bytes()) std::memcpy(r.data, concrete(operands[0]).data(), t.bytes());
  return r;
}

}  // namespace weft
