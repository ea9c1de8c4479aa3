// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/donation.cpp: calls of a traced function with donated arguments (docs/decisions/0018).
#include <fmt/format.h>

#include <algorithm>

#include "jit/program.h"
#include "runtime/fork.h"
#include "tracer/concrete.h"
#include "tracer/placement.h"
#include "weft/buffer.h"
#include "weft/stop.h"

namespace weft::detail {
namespace {
constexpr int64_t in_the_node = 16;  // bytes of a Concrete without a buffer
const Concrete& number(const Array& x) { return static_cast<const Concrete&>(x.node()); }
// Returns another array of the same number or memory, even if a call has claimed it.
Array second_handle(const Concrete& c) {
  if (c.buffer()) return Array{Ref<const Node>(new Concrete(c.type, c.made, c.buffer()))};
  auto* same = new Concrete(c.type, c.made, c.literal);
  std::memcpy(same->mutable_data(), c.claimed_data(), in_the_node);  // a weak number is a double
  return Array{Ref<const Node>(same)};
}
// Returns the device that holds its memory, even if a call has claimed it.
Device& place_of(const Concrete& c) { return c.made_on() ? *c.made_on() : host(); }
// Copies its bytes, which are at `from` on that device, to new memory on d that the call owns.
Ref<Buffer> own_copy(const Concrete& c, const void* from, Device& d) {
  Ref<Buffer> b = Buffer::allocate(c.type.bytes(), d);
  if (&place_of(c) == &d)
    d.copy_within(b->data(), from, c.type.bytes());
  else
    d.copy_in(b->data(), from, c.type.bytes());
  return b;
}
}  // namespace

// The arguments that one call has claimed. The destructor returns those that the call does not use
// up.
class Program::Claims {
 public:
  explicit Claims(const char* name) : name_(name) {}
  ~Claims() {
    for (const Claim& c : claims_) c.array->unclaim();
  }
  Claims(const Claims&) = delete;
  // Raises DeviceError if another call has claimed it.
  void add(const Concrete& c) {
    if (Claim* known = find(c)) {
      known->shared = true;
      return;
    }
    c.claim(name_);
    claims_.push_back({&c});
  }
  bool has(const Concrete& c) { return find(c) != nullptr; }
  // Returns the memory of an argument where the program runs: its own, or a copy that *own then
  // holds. A claimed argument is copied directly. Any other argument is copied through the host.
  const void* read(const Concrete& c, Device& d, Ref<Buffer>* own) {
    if (Claim* known = find(c)) {
      known->shared = true;
      if (&place_of(c) == &d) return c.claimed_data();
      *own = own_copy(c, given_data(c, d), d);
      return (*own)->data();
    }
    Device* const lies = c.elsewhere();
    if (lies == &d) return c.buffer()->data();
    const void* const from = c.data();
    if (&d == &host()) return from;
    *own = Buffer::allocate(c.type.bytes(), d);
    d.copy_in((*own)->data(), from, c.type.bytes());
    return (*own)->data();
  }
  // Returns the memory of an argument that was claimed or is foreign. Raises DeviceError if it is
  // on a third device.
  const void* given_data(const Concrete& c, Device& d) {
    Device& from = place_of(c);
    if (&from == &d || &from == &host()) return c.claimed_data();
    throw DeviceError(
        fmt::format("'{}' runs on '{}', and an argument that is donated to it is on '{}'; move "
                    "it with device_put",
                    name_, d.name(), from.name()));
  }
  // Returns an argument that is a result, on the device where the program runs.
  Array on_device(const Array& x, Device& d) {
    const Concrete& c = number(x);
    if (&place_of(c) == &d) return x;
    Ref<Buffer> own;
    read(c, d, &own);
    return Array{Ref<const Node>(new Concrete(c.type, SourceScope::current(), std::move(own)))};
  }
  // Returns true if the memory of c may be overwritten: it is on d, and nothing else reads or holds
  // it.
  bool alone(const Concrete& c, const Device& d) {
    const Claim* known = find(c);
    return known && !known->shared && c.buffer() && &c.buffer()->device() == &d &&
           c.buffer()->use_count() == 1;
  }
  // Returns the memory of an argument for which alone() is true. No one else can use it any more.
  Ref<Buffer> spend(const Concrete& c) {
    std::erase_if(claims_, [&](const Claim& x) { return x.array == &c; });
    Ref<Buffer> b = c.take();
    b->forget_host_data();
    return b;
  }
  // Releases the claim on an argument that is a result of the call.
  void keep(const Node& n) {
    std::erase_if(claims_, [&](const Claim& c) {
      if (c.array != &n) return false;
      c.array->unclaim();
      return true;
    });
  }
  void use_up() {
    for (const Claim& c : claims_) (void)c.array->take();
    claims_.clear();
  }

 private:
  struct Claim {
    const Concrete* array;
    bool shared = false;
  };
  Claim* find(const Concrete& c) {
    if (!c.claimed_by(name_)) return nullptr;
    const auto it =
        std::find_if(claims_.begin(), claims_.end(), [&](const Claim& x) { return x.array == &c; });
    return it == claims_.end() ? nullptr : &*it;
  }
  const char* name_;
  std::vector<Claim> claims_;
};

Array own_handle(const Array& x) {
  const Concrete* const c = concrete_or_null(x);
  if (!c) return x;
  (void)c->elsewhere();  // raises DeviceError if it was donated
  return second_handle(*c);
}

bool Program::is_donated(int32_t input) const {
  const auto n_const = static_cast<int32_t>(closed.consts.size());
  return input >= n_const && input < closed.jaxpr->n_in && donated[input - n_const];
}

std::vector<bool> Program::donated_memory() const {
  std::vector<bool> r;
  for (int32_t v : kept_)
    r.push_back(!donated.empty() && is_donated(v) && closed.jaxpr->types[v].bytes() > in_the_node);
  return r;
}

Ref<const Executable> Program::donating_executable(Device& d) const {
  if (&d != &host()) return donating_elsewhere(d);
  if (const Executable* e = donating_.load(std::memory_order_acquire))
    return Ref<const Executable>(e);
  const Executable& plain = executable();
  const NoFork hold;
  const std::lock_guard lock(compiling_);
  if (const Executable* e = donating_.load(std::memory_order_acquire))
    return Ref<const Executable>(e);
  const Ref<const Executable> e = plain.donating(donated_memory());
  e->retain();
  donating_.store(e.get(), std::memory_order_release);
  return e;
}

Ref<const Executable> Program::donating_elsewhere(Device& d) const {
  const Ref<const Executable> plain = executable_for(d);
  const NoFork hold;
  const std::lock_guard lock(compiling_);
  Elsewhere& e = *std::find_if(elsewhere_.begin(), elsewhere_.end(),
                               [&](const Elsewhere& x) { return x.device == &d; });
  if (!e.donating) e.donating = plain->donating(donated_memory());
  return e.donating;
}

void Program::call_donating(const LeafList& x, Array* out) const {
  Device* const there = device_for(x, /*call=*/true);
  const bool reuses = !options.check_nans && !only_copies_ && (there || backend());
  Device& d = there ? *there : host();
  std::vector<double> numbers;
  if (reuses) numbers = doubles_of(x);
  Claims claims(options.name);
  for (size_t i = 0; i < x.size(); ++i) {
    const Concrete& c = number(x[i]);
    if (donated[i] && !c.foreign) claims.add(c);
  }
  if (!reuses) {
    run_beside(x, &claims, out);
  } else if (options.time_limit > 0) {
    const TimeLimit limit(options.time_limit, options.name);
    run_over(d, x, &claims, numbers, out);
    for (size_t k = 0; there && k < n_out; ++k)
      if (results_[k].from == Result::computed) out[k].block_until_ready();
    limit.token().check(options.name);
  } else {
    run_over(d, x, &claims, numbers, out);
  }
  for (size_t k = 0; k < n_out; ++k) {
    if (results_[k].from != Result::computed && !claims.has(number(out[k])))
      out[k] = own_handle(out[k]);
    claims.keep(out[k].node());
  }
  claims.use_up();
}

// Runs with handles of its own. It serves calls whose arguments are read again afterwards
// (check_nans), and calls without compiled code.
void Program::run_beside(const LeafList& x, Claims* claims, Array* out) const {
  Arrays own(x.size());
  LeafList mine;
  for (size_t i = 0; i < x.size(); ++i) {
    const Concrete& c = number(x[i]);
    own[i] = claims->has(c) ? second_handle(c) : x[i];
    mine.add(&own[i]);
  }
  call_keeping(mine, out);
  for (size_t k = 0; k < n_out; ++k)
    for (size_t i = 0; i < x.size(); ++i)
      if (&out[k].node() == &own[i].node()) out[k] = x[i];
}

// Everything that can fail is done before an argument is given up. An argument is copied where its
// memory is needed but cannot be taken: it has other users, is foreign memory, or is on another
// device.
void Program::run_over(Device& d, const LeafList& x, Claims* claims,
                       const std::vector<double>& numbers, Array* out) const {
  const Ref<const Executable> e = donating_executable(d);
  const bool here = &d == &host();
  const int32_t own = closed.jaxpr->n_in;
  std::vector<const void*> in(kept_.size());
  std::vector<void*> to(n_out);
  std::vector<Ref<Buffer>> memory(kept_.size());  // inputs that the call owns
  for (size_t i = 0; i < kept_.size(); ++i) {
    const int32_t v = kept_[i];
    if (v < own) {
      if (!is_donated(v)) in[i] = claims->read(number(input(x, v)), d, &memory[i]);
      continue;
    }
    in[i] = &numbers[v - own];
    if (here) continue;
    memory[i] = Buffer::allocate(sizeof(double), d);
    d.copy_in(memory[i]->data(), in[i], sizeof(double));
    in[i] = memory[i]->data();
  }
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!is_donated(kept_[i])) continue;
    const Concrete& c = number(input(x, kept_[i]));
    in[i] = claims->given_data(c, d);
    if (&place_of(c) == &d && (!e->overwrites_input(i) || claims->alone(c, d))) continue;
    memory[i] = own_copy(c, in[i], d);
    in[i] = memory[i]->data();
  }
  for (size_t k = 0; k < n_out; ++k) {
    const Result& r = results_[k];
    if (r.from == Result::input)
      out[k] = claims->on_device(input(x, r.index), d);
    else if (r.from == Result::literal)
      out[k] = r.value;
    else if (e->aliased_input(k) < 0)
      out[k] = array_on(r.type, d, &to[k]);
  }
  for (size_t i = 0; i < kept_.size(); ++i)
    if (e->overwrites_input(i) && !memory[i]) memory[i] = claims->spend(number(input(x, kept_[i])));
  for (size_t k = 0; k < n_out; ++k) {
    const int32_t from = e->aliased_input(k);
    if (results_[k].from != Result::computed || from < 0) continue;
    auto* node = new Concrete(results_[k].type, SourceScope::current(), std::move(memory[from]));
    out[k] = Array{Ref<const Node>(node)};
    to[k] = node->mutable_data();
  }
  e->run(in.data(), to.data());
}

}  // namespace weft::detail
