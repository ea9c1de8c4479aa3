// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_machine.cpp: memory and queues of the emulated devices.
#include "gpu/fake_machine.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::cuda {
namespace {

constexpr size_t red_zone = 256;
constexpr int red = 0xfd, fresh = 0xa5, gone = 0xdd;

std::byte* at(Address a) { return std::bit_cast<std::byte*>(a); }

int64_t setting(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::atoll(text) : otherwise;
}

// For large blocks only the ends are filled, so that unused memory is not touched.
void spoil(Address a, size_t bytes, int with) {
  constexpr size_t most = 1 << 20;
  std::memset(at(a), with, std::min(bytes, most));
  if (bytes > most) std::memset(at(a + bytes - most), with, most);
}

}  // namespace

// ---- memory

Memory::Memory(size_t bytes) : size_(bytes) {
  void* const p =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) std::abort();
  // open() and close() visit each page that was touched. With large pages there are few.
  madvise(p, bytes, MADV_HUGEPAGE);
  begin_ = std::bit_cast<Address>(p);
  free_[begin_] = size_;
}
Memory::~Memory() { munmap(at(begin_), size_); }

void Memory::open() {
  open_ = true;
  mprotect(at(begin_), used_, PROT_READ | PROT_WRITE);
}
void Memory::close() {
  open_ = false;
  mprotect(at(begin_), used_, PROT_NONE);
}
void Memory::use(size_t bytes) {
  constexpr size_t large_page = 2 << 20;
  if (bytes <= used_) return;
  used_ = std::min(size_, (bytes + large_page - 1) / large_page * large_page);
  if (open_) open();
}

size_t Memory::room(size_t bytes) const { return (bytes + 255) / 256 * 256 + red_zone; }

Address Memory::allocate(size_t bytes) {
  const size_t need = room(bytes);
  for (auto* from : {&kept_, &free_})
    for (const auto& [begin, size] : *from) {
      // A block of the pool is not split.
      if (size < need || (from == &kept_ && size > need * 2)) continue;
      const Address a = begin;
      const size_t all = size;
      from->erase(a);
      if (from == &free_ && all > need) free_[a + need] = all - need;
      blocks_[a] = {need - red_zone, from == &free_ ? need : all, false};
      use(a + blocks_[a].whole - begin_);
      return a;
    }
  return 0;
}

void Memory::fill(Address a) {
  const size_t n = blocks_.at(a).bytes;
  spoil(a, n, fresh);
  std::memset(at(a + n), red, red_zone);
}

void Memory::give_back(Address a) {
  const auto it = blocks_.find(a);
  spoil(a, it->second.bytes, gone);
  kept_[a] = it->second.whole;
  blocks_.erase(it);
}

void Memory::trim() {
  for (const auto& [a, size] : kept_) free_[a] = size;
  kept_.clear();
  for (auto it = free_.begin(); it != free_.end();) {
    const auto next = std::next(it);
    if (next != free_.end() && it->first + it->second == next->first) {
      it->second += next->second;
      free_.erase(next);
    } else {
      it = next;
    }
  }
}

Block* Memory::block_of(Address a, Address* begin) {
  auto it = blocks_.upper_bound(a);
  if (it == blocks_.begin()) return nullptr;
  --it;
  if (a >= it->first + it->second.bytes) return nullptr;
  if (begin) *begin = it->first;
  return &it->second;
}

bool Memory::is_overrun(Address a) const {
  const std::byte* const zone = at(a + blocks_.at(a).bytes);
  for (size_t i = 0; i < red_zone; ++i)
    if (zone[i] != std::byte{red}) return true;
  return false;
}

// ---- the machine

Machine& Machine::instance() {
  static auto& m = *new Machine;
  return m;
}

Machine::Machine() {
  driver_version = static_cast<int>(setting("FAKE_CUDA_DRIVER", driver_version));
  init_result = static_cast<int>(setting("FAKE_CUDA_INIT", 0));
  memory_bytes = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1 << 30));
  const char* const strictly = std::getenv("FAKE_CUDA_STRICT");
  strict = strictly && *strictly;
  if (const char* entry = std::getenv("FAKE_CUDA_FAIL")) {
    failing = entry;
    failing_at = 1;
    failing_with = 1;
  }
  const char* capabilities = std::getenv("FAKE_CUDA_CAPABILITIES");
  int capability = 90;
  for (int i = 0; i <= setting("FAKE_CUDA_DEVICES", 2); ++i) {  // and the spare one
    if (capabilities) {
      capability = std::atoi(capabilities);
      capabilities = std::strchr(capabilities, ',');
      if (capabilities) ++capabilities;
    }
    auto d = std::make_unique<Device>();
    d->index = d->context.device = d->pool.device = i;
    d->capability = capability;
    d->memory = std::make_unique<Memory>(memory_bytes);
    devices.push_back(std::move(d));
  }
}

std::vector<ContextOf*>& current_contexts() {
  thread_local std::vector<ContextOf*> contexts;
  return contexts;
}

void Machine::complain(const std::string& text) {
  complaints += text + "\n";
  if (!strict) return;
  std::fputs(complaints.c_str(), stderr);
  std::abort();
}

Result Machine::enter(const char* entry, Device* d) {
  const int64_t n = ++calls[entry];
  if (failing == entry && n == failing_at) {
    if (failing_for_good) {
      Device* const whose =
          d ? d
          : current_contexts().empty()
              ? devices[0].get()
              : devices[static_cast<size_t>(current_contexts().back()->device)].get();
      whose->context.fault = failing_with;
    }
    return failing_with;
  }
  return d ? d->context.fault : success;
}

Machine::Device* Machine::current(const char* entry) {
  auto& all = current_contexts();
  if (!all.empty()) return devices[static_cast<size_t>(all.back()->device)].get();
  complain(fmt::format("{}: no context is current", entry));
  return nullptr;
}

bool Machine::owns(const char* entry, Device& d, const StreamOf* s) {
  if (d.streams.contains(const_cast<StreamOf*>(s))) return true;
  complain(fmt::format("{}: the stream is not one of the current context", entry));
  return false;
}

bool Machine::is_inside(const char* entry, Device& d, Address a, size_t bytes) {
  Address begin = 0;
  const Block* const b = d.memory->block_of(a, &begin);
  if (!b) {
    complain(fmt::format("{}: an address that is not allocated", entry));
  } else if (b->released) {
    complain(fmt::format("{}: memory that is released already", entry));
  } else if (a + bytes > begin + b->bytes) {
    complain(
        fmt::format("{}: {} bytes at byte {} of a block of {}", entry, bytes, a - begin, b->bytes));
  } else {
    return true;
  }
  return false;
}

bool Machine::is_pinned(const char* entry, Device& d, const void* p, size_t bytes) {
  const auto a = std::bit_cast<Address>(p);
  const auto it = d.pinned.upper_bound(a);
  if (it != d.pinned.begin() && a + bytes <= std::prev(it)->first + std::prev(it)->second)
    return true;
  complain(fmt::format("{}: memory of the host that is not pinned", entry));
  return false;
}

void Machine::work_off(Device& d, StreamOf& s, size_t n) {
  if (s.queue.empty()) return;
  d.memory->open();
  for (; n && !s.queue.empty(); --n) {
    const Queued q = std::move(s.queue.front());
    s.queue.pop_front();
    if (d.context.fault == success) q.run();
  }
  d.memory->close();
}

void Machine::reset(Device& d) {
  for (StreamOf* s : d.streams) delete s;
  std::set<GraphOf*> bodies;  // other graphs own these
  for (const GraphOf* g : d.graphs)
    for (const auto& body : g->bodies) bodies.insert(body.get());
  for (GraphOf* g : d.graphs)  // graphs refer to their modules, so that they are deleted first
    if (!bodies.contains(g)) delete g;
  for (GraphExecOf* g : d.execs) delete g;
  for (ModuleOf* m : d.modules) delete m;
  for (EventOf* e : d.events) delete e;
  for (const auto& [a, bytes] : d.pinned) std::free(at(a));
  d.streams.clear();
  d.modules.clear();
  d.events.clear();
  d.graphs.clear();
  d.execs.clear();
  d.pinned.clear();
  d.memory = std::make_unique<Memory>(memory_bytes);
  d.context.fault = success;
}

}  // namespace weft::cuda
