// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_machine.h: the devices of the emulated driver: memory, queues, and what is wrong.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gpu/fake_cuda.h"
#include "gpu/fake_kernels.h"
#include "weft/runtime/cuda/driver.h"

namespace weft::cuda {

// What handles point to.
struct ContextOf {
  int device = 0;
  Result fault = success;
};
struct Block {  // of device memory
  size_t bytes = 0;
  size_t whole = 0;       // with what follows it
  bool released = false;  // a release is queued
};
struct ModuleOf {
  int device = 0;
  std::shared_ptr<const fake::Compiled> code;
  std::vector<std::unique_ptr<KernelOf>> kernels;
  int queued = 0;  // launches that have not run
  int graphs = 0;  // nodes of graphs that launch its kernels
};
struct KernelOf {
  ModuleOf* module = nullptr;
  const fake::KernelCode* code = nullptr;
  int64_t dynamic_shared = 48 << 10;
};
struct EventOf {
  int device = 0;
  bool recorded = false, done = true;
};
struct PoolOf {
  int device = 0;
};

// Work that waits, and the memory of the host that it touches.
struct Queued {
  std::function<void()> run;
  const void* host = nullptr;
  size_t host_bytes = 0;
};
struct StreamOf {
  int device = 0;
  std::deque<Queued> queue;
};

// A node of a graph: what it checks when it is launched, and what it does when it runs.
struct NodeOf {
  std::function<Result()> check;
  std::function<void()> run;
  std::vector<const NodeOf*> after;
  GraphHandle body = nullptr;  // of a condition: what hangs on it
  NodeOf() = default;
  NodeOf(const NodeOf&) = delete;
  ~NodeOf() {
    if (module_) --module_->graphs;
  }
  // That of its kernel.
  void set_module(ModuleOf* m) { ++(module_ = m)->graphs; }

 private:
  ModuleOf* module_ = nullptr;
};
struct ConditionOf {
  unsigned value = 0, at_launch = 0;
  bool has_node = false;
};
struct GraphOf {
  int device = 0;
  std::vector<std::shared_ptr<const NodeOf>> nodes;
  std::vector<std::shared_ptr<GraphOf>> bodies = {};  // of nodes with conditions
  std::vector<std::shared_ptr<ConditionOf>> conditions = {};
};
struct GraphExecOf {
  int device = 0;
  std::vector<std::shared_ptr<const NodeOf>> nodes;
  std::vector<std::shared_ptr<ConditionOf>> conditions;  // those of bodies, too
  int queued = 0;                                        // launches that have not run
};

// Device memory is a piece of the address space that is inaccessible but while something of the
// device runs, so that a host that looks into it ends there.
class Memory {
 public:
  explicit Memory(size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Address allocate(size_t bytes);  // 0: no room
  void fill(Address a);            // with what nobody may count on
  void give_back(Address a);       // to the pool
  void trim();                     // what the pool keeps
  // The block that an address lies in, or null.
  Block* block_of(Address a, Address* begin = nullptr);
  bool contains(Address a) const { return a >= begin_ && a < begin_ + size_; }
  void open();
  void close();
  const std::map<Address, Block>& blocks() const { return blocks_; }
  // Whether something wrote behind the block.
  bool is_overrun(Address a) const;

 private:
  size_t room(size_t bytes) const;
  void use(size_t bytes);
  Address begin_;
  size_t size_, used_ = 0;  // used: what has held blocks; the rest is never opened
  bool open_ = false;
  std::map<Address, Block> blocks_;
  std::map<Address, size_t> kept_, free_;  // of the pool, and of nobody; with the red zones
};

struct Machine {
  struct Device {
    int index = 0, capability = 90;
    ContextOf context;
    PoolOf pool;
    std::unique_ptr<Memory> memory;
    std::set<StreamOf*> streams;
    std::set<ModuleOf*> modules;
    std::set<EventOf*> events;
    std::set<GraphOf*> graphs;
    std::set<GraphExecOf*> execs;
    std::map<Address, size_t> pinned;
  };
  static Machine& instance();
  Machine();

  std::recursive_mutex guard;
  std::vector<std::unique_ptr<Device>> devices;
  int driver_version = 12040, init_result = 0;
  size_t memory_bytes = size_t{1} << 30;

  // ---- what is wrong, and what is to fail
  std::string complaints;
  bool strict = false;
  void complain(const std::string& text);
  std::map<std::string, int64_t> calls;
  std::string failing;
  int failing_at = 0;
  Result failing_with = success;
  bool failing_for_good = false;
  // Of this call of an entry: what it has to fail with. `d`: whose context it is about.
  Result enter(const char* entry, Device* d);

  // The device whose context is current; null, and a complaint, if there is none.
  Device* current(const char* entry);
  bool owns(const char* entry, Device& d, const StreamOf* s);
  // Whether so many bytes there belong to one block that lives; or to pinned memory.
  bool is_inside(const char* entry, Device& d, Address a, size_t bytes);
  bool is_pinned(const char* entry, Device& d, const void* p, size_t bytes);
  // Runs the first so many of the queue.
  void work_off(Device& d, StreamOf& s, size_t n);
  void work_off(Device& d) {
    for (StreamOf* s : d.streams) work_off(d, *s, s->queue.size());
  }
  void reset(Device& d);
};
// Contexts of this thread, the current one last.
std::vector<ContextOf*>& current_contexts();

}  // namespace weft::cuda
