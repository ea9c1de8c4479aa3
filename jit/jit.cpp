// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/jit.cpp: the programs of a jitted callable. They are found without a lock, traced once, and
// run.
#include "weft/jit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "core/intern_string.h"
#include "core/least_recently_used.h"
#include "jit/history.h"
#include "jit/program.h"
#include "jit/program_cache.h"
#include "runtime/backend.h"
#include "runtime/fork.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"
#include "tracer/initialized.h"
#include "tracer/transform_cache.h"
#include "weft/buffer.h"
#include "weft/detail/epoch_guard.h"
#include "weft/device.h"
#include "weft/stop.h"

namespace weft::detail {

void LeafList::add_beyond(const Array* x) {
  if (more_.empty()) more_.assign(small_, small_ + size_);
  more_.push_back(x);
}
Types LeafList::types() const {
  Types r;
  for (size_t i = 0; i < size(); ++i) r.push_back((*this)[i].type());
  return r;
}
void ResultList::make_room(size_t n) { more_.resize(n); }

namespace {

std::string name_of(const JitOptions& o) { return o.name.empty() ? "fn" : o.name; }

// Checks the options independently of the arguments.
void check_options(const JitOptions& o) {
  if (!o.device.empty()) find_device(o.device, fmt::format("jit '{}'", name_of(o)));
  if (!(o.time_limit >= 0))
    throw CompileError(
        fmt::format("jit '{}': time_limit must be a number of seconds, not negative", name_of(o)));
}

bool same_words(const std::vector<uint64_t>& a, const KeyWriter& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}
std::vector<uint64_t> words_of(const KeyWriter& k) {
  std::vector<uint64_t> w(k.size());
  for (size_t i = 0; i < w.size(); ++i) w[i] = k[i];
  return w;
}

struct Entry final : RefCounted {
  uint64_t hash;
  std::vector<uint64_t> words;
  Ref<const Program> program;
  uint64_t number;  // entries are numbered in the order of insertion
  // The number of the newest entry when this one was last found.
  mutable std::atomic<uint64_t> used;
  mutable std::atomic<const Entry*> next;
  Entry(const KeyWriter& key, Ref<const Program> p, uint64_t n, const Entry* next)
      : hash(key.hash()),
        words(words_of(key)),
        program(std::move(p)),
        number(n),
        used(n),
        next(next) {}
};
// A key that a thread is tracing. The thread belongs to this process or to the one that forked it.
struct InProgress {
  const KeyWriter* key;
  std::thread::id owner;
  int generation;
};
ForkMutex& tracing_mutex() {
  static auto* m = new ForkMutex;
  return *m;
}

class State final : public RefCounted {
 public:
  State(const JitOptions& o, Location at);
  ~State() override;
  // The result is valid while a Reading exists.
  const Program* find(const KeyWriter& key) const {
    for (const Entry* e = bucket(key).load(std::memory_order_acquire); e;
         e = e->next.load(std::memory_order_acquire))
      if (e->hash == key.hash() && same_words(e->words, key)) {
        const uint64_t now = newest_.load(std::memory_order_relaxed);
        if (e->used.load(std::memory_order_relaxed) != now)
          e->used.store(now, std::memory_order_relaxed);
        return e->program.get();
      }
    return nullptr;
  }
  // Also drops the least recently used entries if there are too many.
  void insert(const KeyWriter& key, Ref<const Program> p);
  void clear();

  const JitOptions options;
  const Location at;
  const char* const name;           // arrays that outlive the callable use it too
  Device* const device;             // null: the device of the arguments
  std::vector<InProgress> tracing;  // guarded by tracing_mutex()
  History history;                  // likewise

 private:
  static constexpr size_t n_buckets = 32;
  std::atomic<const Entry*>& bucket(const KeyWriter& k) { return buckets_[k.hash() % n_buckets]; }
  const std::atomic<const Entry*>& bucket(const KeyWriter& k) const {
    return buckets_[k.hash() % n_buckets];
  }
  using Dropped = std::vector<Ref<const RefCounted>>;  // to be retired after unlocking
  Dropped drop_least_used();
  template <class F>
  Dropped drop_if(F f);
  std::atomic<const Entry*> buckets_[n_buckets] = {};
  std::atomic<uint64_t> newest_{0};
  int64_t added_ = 0;  // entries since the last check of their sizes
};

// All live callables, for clear_caches().
struct States {
  ForkMutex guard;
  std::set<State*> all;
  static States& instance() {
    static auto* s = new States;
    return *s;
  }
};

State::State(const JitOptions& o, Location at)
    : options(o),
      at(at),
      name(intern_string(name_of(o))),
      device(o.device.empty() ? nullptr : &find_device(o.device, name_of(o))) {
  const std::lock_guard lock(States::instance().guard);
  States::instance().all.insert(this);
}
State::~State() {
  {
    const std::lock_guard lock(States::instance().guard);
    States::instance().all.erase(this);
  }
  for (auto& b : buckets_)
    for (const Entry* e = b.load(); e;) std::exchange(e, e->next.load())->release();
}

// Guards the entry lists of all callables.
ForkMutex& entries_mutex() {
  static auto* m = new ForkMutex;
  return *m;
}

constexpr int64_t callable_limit = 64 << 20;  // bytes of programs of one callable
constexpr int64_t look_every = 32;            // new programs between checks of their sizes

// Unlinks the entries for which f is true.
template <class F>
State::Dropped State::drop_if(F f) {
  Dropped out;
  for (auto& b : buckets_)
    for (auto* at = &b; const Entry* e = at->load();)
      if (f(*e)) {
        at->store(e->next.load());
        out.push_back(Ref<const RefCounted>::adopt(e));
      } else {
        at = &e->next;
      }
  return out;
}

// Frees half of the limit at a time. A callable that needs slightly more than the limit would
// otherwise compile in each call.
State::Dropped State::drop_least_used() {
  if (++added_ < look_every) return {};
  added_ = 0;
  struct Use {
    std::pair<uint64_t, uint64_t> used;
    int64_t bytes;
  };
  const auto last_use = [](const Entry& e) { return std::pair(e.used.load(), e.number); };
  std::vector<Use> uses;
  int64_t bytes = 0;
  for (const auto& b : buckets_)
    for (const Entry* e = b.load(); e; e = e->next.load()) {
      uses.push_back({last_use(*e), e->program->footprint()});
      bytes += uses.back().bytes;
    }
  if (bytes <= callable_limit) return {};
  const auto last_dropped = least_recently_used(uses, callable_limit / 2).back().used;
  return drop_if([&](const Entry& e) { return last_use(e) <= last_dropped; });
}

void State::insert(const KeyWriter& key, Ref<const Program> p) {
  Dropped dropped;
  {
    const std::lock_guard lock(entries_mutex());
    dropped = drop_least_used();
    auto& b = bucket(key);
    const auto* e = new Entry(key, std::move(p), newest_.load() + 1, b.load());
    e->retain();
    newest_.store(e->number);
    b.store(e, std::memory_order_release);
  }
  retire(std::move(dropped));
}

void State::clear() {
  Dropped dropped;
  {
    const std::lock_guard lock(entries_mutex());
    dropped = drop_if([](const Entry&) { return true; });
  }
  retire(std::move(dropped));
}

State& state_of(RefCounted& s) { return static_cast<State&>(s); }
const State& state_of(const RefCounted& s) { return static_cast<const State&>(s); }

void add_options(KeyWriter& k, const JitOptions& o) {
  k.add(o.donate_argnums.size());
  for (int n : o.donate_argnums) k.add(static_cast<uint64_t>(n));
  k.add_static(o.device);
  k.add_static(o.name);
  k.add_static(o.keep_unused);
  k.add_static(o.check_nans);
  k.add_static(o.time_limit);
}

// ---- which thread waits for which, so that no two threads wait for each other

// Guarded by tracing_mutex().
std::map<std::thread::id, std::thread::id>& waits() {
  static auto* w = new std::map<std::thread::id, std::thread::id>;
  return *w;
}
// Registers that this thread waits for `owner`. Returns false if owner waits, through others, for
// this thread.
bool may_wait(std::thread::id owner) {
  for (auto it = waits().find(owner); it != waits().end(); it = waits().find(it->second))
    if (it->second == std::this_thread::get_id()) return false;
  waits()[std::this_thread::get_id()] = owner;
  return true;
}
void stop_waiting() { waits().erase(std::this_thread::get_id()); }

// ---- tracing

bool holds_tracer(const Arrays& x) {
  return std::any_of(x.begin(), x.end(), [](const Array& a) { return !a.node().concrete(); });
}

// Returns the leaves that belong to donated arguments.
std::vector<bool> donated_leaves(const State& s, const tree::detail::Skeleton& args) {
  std::vector<bool> r(args.leaves, false);
  for (int n : s.options.donate_argnums) {
    const int count = static_cast<int>(args.children.size());
    if (n < -count || n >= count)
      throw DeviceError(
          fmt::format("jit '{}': donate_argnums names argument {}, but the function takes {}",
                      s.name, n, count));
    size_t first = 0;
    const size_t k = n < 0 ? n + count : n;
    for (size_t i = 0; i < k; ++i) first += args.children[i].leaves;
    std::fill_n(r.begin() + static_cast<std::ptrdiff_t>(first), args.children[k].leaves, true);
  }
  return r;
}

void require_initialized(const State& s, const LeafList& x, const TraceRequest& t) {
  Arrays given;
  for (size_t i = 0; i < x.size(); ++i) given.push_back(x[i]);
  detail::require_initialized(fmt::format("jit '{}'", s.name).c_str(), given, t.args, "args");
}

Ref<Program> trace(const State& s, const LeafList& x, const TraceRequest& t, bool keep_unused) {
  require_initialized(s, x, t);
  Types in;
  for (size_t i = 0; i < x.size(); ++i) in.push_back(x[i].type());
  ClosedJaxpr c = record(in, t.f);
  c.jaxpr = dce(c.jaxpr);
  const CallOptions options{s.name, s.options.time_limit, s.options.check_nans, s.device};
  auto p = make_ref<Program>(std::move(c), keep_unused, options);
  if (!s.options.donate_argnums.empty()) p->donated = donated_leaves(s, t.args());
  p->prototype = t.prototype();
  return p;
}

std::string cause_of(State& s, const LeafList& x, const TraceRequest& t) {
  Types types;
  for (size_t i = 0; i < x.size(); ++i) types.push_back(x[i].type());
  const tree::detail::Skeleton args = t.args();
  const std::lock_guard lock(tracing_mutex());
  return s.history.add(s.name, s.at, types, args);
}

// Removes the mark that a key is being traced, even if tracing throws.
struct TracingScope {
  State& s;
  const KeyWriter& key;
  ~TracingScope() {
    const std::lock_guard lock(tracing_mutex());
    std::erase_if(s.tracing, [&](const InProgress& p) { return p.key == &key; });
  }
};

[[noreturn]] void calls_itself(const State& s) {
  throw CompileError(
      fmt::format("jit '{}'{} calls itself with the same types of arguments while it is being "
                  "traced; that would never end. Use "
                  "weft::while_loop, weft::scan or weft::fori_loop for what repeats, or change a "
                  "static argument on each level.",
                  s.name, s.at ? fmt::format(" ({})", to_string(s.at)) : ""));
}

// Waits until no other thread traces the key. Returns false if another thread waits for this one,
// which then traces the key as well. It polls, so a fork leaves no thread asleep and a time limit
// is obeyed.
bool wait_for_others(State& s, const KeyWriter& key, std::unique_lock<ForkMutex>& lock) {
  const auto self = std::this_thread::get_id();
  for (;;) {
    // Drops keys of threads that only the parent process has.
    std::erase_if(s.tracing, [&](const InProgress& p) {
      return p.generation != fork_generation() && p.owner != self;
    });
    const auto it = std::find_if(s.tracing.begin(), s.tracing.end(), [&](const InProgress& p) {
      return p.key->hash() == key.hash() && same_words(words_of(*p.key), key);
    });
    if (it == s.tracing.end()) return true;
    if (it->owner == self) calls_itself(s);
    if (!may_wait(it->owner)) return false;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
    stop_waiting();
    StopToken::check_scope(s.name);
  }
}

}  // namespace

JitState make_jit_state(const JitOptions& o, Location at) {
  check_options(o);
  return JitState(new State(o, at));
}

JitState shared_jit_state(const JitOptions& o, Location at, KeyWriter& identity) {
  static auto& m = *new ForkMutex;
  static auto* states = new std::map<std::vector<uint64_t>, JitState>;
  add_options(identity, o);
  const std::lock_guard lock(m);
  JitState& s = (*states)[words_of(identity)];
  if (!s) s = make_jit_state(o, at);
  return s;
}

const JitProgram* find_program(const RefCounted& state, KeyWriter& key) {
  for (const NamedAxis& a : axis_env()) {
    key.add_static(a.name);
    key.add(static_cast<uint64_t>(a.size));
  }
  return state_of(state).find(key);
}

Ref<const JitProgram> trace_program(RefCounted& state, const KeyWriter& key, const LeafList& x,
                                    const TraceRequest& t) {
  State& s = state_of(state);
  {
    std::unique_lock lock(tracing_mutex());
    wait_for_others(s, key, lock);
    if (const Program* p = s.find(key)) return Ref<const JitProgram>(p);
    s.tracing.push_back({&key, std::this_thread::get_id(), fork_generation()});
  }
  const TracingScope scope{s, key};
  Ref<Program> p = trace(s, x, t, s.options.keep_unused);
  p->cause = cause_of(s, x, t);
  // A program that captures a value of an enclosing trace belongs to that trace, so it is not kept.
  if (holds_tracer(p->closed.consts)) return p;
  if (const Program* other = s.find(key)) return Ref<const JitProgram>(other);
  s.insert(key, p);
  return p;
}

TimeLimit call_limit(const RefCounted& state) {
  const State& s = state_of(state);
  return TimeLimit(s.options.time_limit, s.name);
}

void run_program(const RefCounted& state, const JitProgram& program, const LeafList& x,
                 Array* out) {
  const State& s = state_of(state);
  const Program& p = static_cast<const Program&>(program);
  if (current().get() == eval_interpreter().get() && p.all_concrete(x)) {
    p.call(x, out);
    return;
  }
  Arrays operands = p.closed.consts;
  for (size_t i = 0; i < x.size(); ++i) operands.push_back(x[i]);
  operands = p.written.operands(std::move(operands));
  if (s.device)
    for (Array& a : operands) a = base::device_put(a, s.device->name());
  Arrays r =
      base::call(p.written.jaxpr, operands, s.name, p.options.time_limit, p.options.check_nans);
  if (!p.options.check_nans) p.written.keep_doubles(operands, &r);
  std::move(r.begin(), r.end(), out);
}

Ref<const LoweredImpl> lower_traced(const RefCounted& state, const LeafList& x,
                                    const TraceRequest& t) {
  const State& s = state_of(state);
  // It is shown as it was written, so no argument is left out.
  const Ref<const Program> p = trace(s, x, t, true);
  if (holds_tracer(p->closed.consts))
    throw CompileError(fmt::format(
        "jit '{}': lower() of a function that captures a traced value; pass it as an argument",
        s.name));
  return make_lowered(p, p->device_for(x, /*call=*/false));
}

}  // namespace weft::detail

void weft::clear_caches() {
  std::vector<Ref<detail::State>> states;
  {
    auto& all = detail::States::instance();
    const std::lock_guard lock(all.guard);
    for (detail::State* s : all.all)
      if (s->try_retain()) states.push_back(Ref<detail::State>::adopt(s));
  }
  for (const auto& s : states) s->clear();
  compiler::clear_program_cache();
  clear_transform_cache();
  release_idle_memory();
}
