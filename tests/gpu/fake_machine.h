// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_machine.h: the devices of the emulated driver with their memory, their queues and
// their errors.
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
#include "runtime/cuda/driver.h"

namespace weft::cuda {

// The objects to which handles point.
struct ContextOf {
  int device = 0;
  Result fault = success;
};
struct Block {  // a block of device memory
  size_t bytes = 0;
  size_t whole = 0;       // with the red zone behind it
  bool released = false;  // the release is queued
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

// Queued work, and the host memory that it accesses.
struct Queued {
  std::function<void()> run;
  const void* host = nullptr;
  size_t host_bytes = 0;
};
struct StreamOf {
  int device = 0;
  std::deque<Queued> queue;
};

// A node of a graph: the check at its launch, and the work when it runs.
struct NodeOf {
  std::function<Result()> check;
  std::function<void()> run;
  std::vector<const NodeOf*> after;
  GraphHandle body = nullptr;  // of a conditional node: the graph that it runs
  NodeOf() = default;
  NodeOf(const NodeOf&) = delete;
  ~NodeOf() {
    if (module_) --module_->graphs;
  }
  // Sets the module of the node's kernel.
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
  std::vector<std::shared_ptr<GraphOf>> bodies = {};  // the bodies of conditional nodes
  std::vector<std::shared_ptr<ConditionOf>> conditions = {};
};
struct GraphExecOf {
  int device = 0;
  std::vector<std::shared_ptr<const NodeOf>> nodes;
  std::vector<std::shared_ptr<ConditionOf>> conditions;  // including those of bodies
  int queued = 0;                                        // launches that have not run
};

// Device memory is an address range that is accessible only while work of the device runs. A host
// access faults.
class Memory {
 public:
  explicit Memory(size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Address allocate(size_t bytes);  // returns 0 if there is no room
  // Writes arbitrary values, so that no program can rely on the content.
  void fill(Address a);
  void give_back(Address a);  // returns the block to the pool
  void trim();                // frees the memory that the pool keeps
  // Returns the block that contains the address, or null.
  Block* block_of(Address a, Address* begin = nullptr);
  bool contains(Address a) const { return a >= begin_ && a < begin_ + size_; }
  void open();
  void close();
  const std::map<Address, Block>& blocks() const { return blocks_; }
  // Returns true if a program has written behind the end of the block.
  bool is_overrun(Address a) const;

 private:
  size_t room(size_t bytes) const;
  void use(size_t bytes);
  Address begin_;
  // used_: the part that has ever held blocks; the rest is never made accessible
  size_t size_, used_ = 0;
  bool open_ = false;
  std::map<Address, Block> blocks_;
  // Ranges with red zones: kept_ is in the pool, free_ belongs to no one.
  std::map<Address, size_t> kept_, free_;
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

  // ---- errors that were made, and errors to inject
  std::string complaints;
  bool strict = false;
  void complain(const std::string& text);
  std::map<std::string, int64_t> calls;
  std::string failing;
  int failing_at = 0;
  Result failing_with = success;
  bool failing_for_good = false;
  // Returns the error with which this call of an entry has to fail. `d` is the device whose context
  // the call uses.
  Result enter(const char* entry, Device* d);

  // Returns the device whose context is current. Without one, it returns null and records an
  // invalid use.
  Device* current(const char* entry);
  bool owns(const char* entry, Device& d, const StreamOf* s);
  // Returns true if the bytes are inside one live block, or inside pinned memory.
  bool is_inside(const char* entry, Device& d, Address a, size_t bytes);
  bool is_pinned(const char* entry, Device& d, const void* p, size_t bytes);
  // Runs the first n items of the queue.
  void work_off(Device& d, StreamOf& s, size_t n);
  void work_off(Device& d) {
    for (StreamOf* s : d.streams) work_off(d, *s, s->queue.size());
  }
  void reset(Device& d);
};
// The stack of contexts of this thread. The current one is the last.
std::vector<ContextOf*>& current_contexts();

}  // namespace weft::cuda
