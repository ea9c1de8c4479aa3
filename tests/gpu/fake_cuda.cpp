// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_cuda.cpp: a library with the entry points of CUDA's driver that needs no GPU.
#include "gpu/fake_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "gpu/fake_calls.h"

using namespace weft::cuda;

namespace {

// A call that needs no context.
Result plain(const char* entry) {
  const std::lock_guard lock(machine().guard);
  return machine().enter(entry, nullptr);
}

void write_word(Address a, uint32_t value) {
  __atomic_store_n(std::bit_cast<uint32_t*>(a), value, __ATOMIC_RELEASE);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

extern const int weft_emulated_driver;
const int weft_emulated_driver = 1;

// ---- the machine

Result cuInit(unsigned) {
  const Result r = plain("cuInit");
  return r ? r : machine().init_result;
}
Result cuDriverGetVersion(int* version) {
  *version = machine().driver_version;
  return plain("cuDriverGetVersion");
}
Result cuGetErrorName(Result r, const char** name) {
  if (const Result e = plain("cuGetErrorName")) return e;
  *name = r == out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : r == no_device       ? "CUDA_ERROR_NO_DEVICE"
          : r == invalid_ptx     ? "CUDA_ERROR_INVALID_PTX"
          : r == not_found       ? "CUDA_ERROR_NOT_FOUND"
          : r == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : r == launch_failed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : r == invalid_context ? "CUDA_ERROR_INVALID_CONTEXT"
          : r == invalid_handle  ? "CUDA_ERROR_INVALID_HANDLE"
                                 : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
Result cuGetErrorString(Result r, const char** text) {
  if (const Result e = plain("cuGetErrorString")) return e;
  *text = r == illegal_address ? "an illegal memory access was encountered" : "emulated";
  return success;
}
Result cuDeviceGetCount(int* n) {
  *n = fake_cuda_spare();
  return plain("cuDeviceGetCount");
}
Result cuDeviceGet(Ordinal* d, int index) {
  *d = index;
  return plain("cuDeviceGet");
}
Result cuDeviceGetName(char* name, int bytes, Ordinal d) {
  fmt::format_to_n(name, bytes, "Emulated GPU {}", d);
  return plain("cuDeviceGetName");
}
Result cuDeviceGetAttribute(int* value, int attribute, Ordinal d) {
  switch (attribute) {
    case number::major_capability: *value = device(d).capability / 10; break;
    case number::minor_capability: *value = device(d).capability % 10; break;
    case number::multiprocessors: *value = 4; break;
    case number::threads_of_multiprocessor: *value = FAKE_CUDA_THREADS; break;
    case number::memory_pools: *value = 1; break;
    default: return invalid_value;
  }
  return plain("cuDeviceGetAttribute");
}
Result cuDeviceTotalMem_v2(size_t* bytes, Ordinal) {
  *bytes = machine().memory_bytes;
  return plain("cuDeviceTotalMem_v2");
}

// ---- contexts and streams

Result cuDevicePrimaryCtxRetain(Context* c, Ordinal d) {
  const std::lock_guard lock(machine().guard);
  if (const Result r = machine().enter("cuDevicePrimaryCtxRetain", &device(d))) return r;
  *c = &device(d).context;
  return success;
}
Result cuCtxPushCurrent_v2(Context c) {
  const std::lock_guard lock(machine().guard);
  if (const Result r = machine().enter("cuCtxPushCurrent_v2", &device(c->device))) return r;
  current_contexts().push_back(c);
  return success;
}
Result cuCtxPopCurrent_v2(Context* c) {
  const Call call("cuCtxPopCurrent_v2");
  if (!call.d) return invalid_context;
  if (call.result && call.result != call.d->context.fault) return call.result;
  *c = current_contexts().back();
  current_contexts().pop_back();
  return success;
}
Result cuStreamCreate(StreamHandle* s, unsigned) {
  const Call c("cuStreamCreate");
  if (c.result) return c.result;
  *s = new StreamOf{c.d->index, {}};
  c.d->streams.insert(*s);
  return success;
}
Result cuStreamSynchronize(StreamHandle s) {
  const Call c("cuStreamSynchronize", s);
  if (c.result) return c.result;
  machine().work_off(*c.d, *s, s->queue.size());
  return c.d->context.fault;
}

// ---- memory

Result cuMemAllocAsync(Address* a, size_t bytes, StreamHandle s) {
  const Call c("cuMemAllocAsync", s);
  if (c.result) return c.result;
  if (bytes == 0) return invalid_value;
  const Address at = c.d->memory->allocate(bytes);
  if (!at) return out_of_memory;
  *a = at;
  s->queue.push_back({[d = c.d, at] { d->memory->fill(at); }});
  return success;
}
Result cuMemFreeAsync(Address a, StreamHandle s) {
  Call c("cuMemFreeAsync", s);
  if (c.result) return c.result;
  Address begin = 0;
  Block* const b = c.d->memory->block_of(a, &begin);
  if (!b || begin != a || b->released) {
    machine().complain(b && b->released ? "cuMemFreeAsync: released twice"
                                        : "cuMemFreeAsync: an address that is not allocated");
    return invalid_value;
  }
  b->released = true;
  s->queue.push_back({[d = c.d, a] {
    if (d->memory->is_overrun(a)) machine().complain("a kernel wrote behind the end of a block");
    d->memory->give_back(a);
  }});
  return success;
}
Result cuDeviceGetDefaultMemPool(PoolHandle* p, Ordinal d) {
  const std::lock_guard lock(machine().guard);
  if (const Result r = machine().enter("cuDeviceGetDefaultMemPool", &device(d))) return r;
  *p = &device(d).pool;
  return success;
}
Result cuMemPoolSetAttribute(PoolHandle p, int attribute, void*) {
  const std::lock_guard lock(machine().guard);
  if (const Result r = machine().enter("cuMemPoolSetAttribute", &device(p->device))) return r;
  return attribute == number::release_threshold ? success : invalid_value;
}
Result cuMemPoolTrimTo(PoolHandle p, size_t) {
  const std::lock_guard lock(machine().guard);
  Device& d = device(p->device);
  if (const Result r = machine().enter("cuMemPoolTrimTo", &d)) return r;
  d.memory->trim();
  return success;
}
Result cuMemHostAlloc(void** p, size_t bytes, unsigned flags) {
  const Call c("cuMemHostAlloc");
  if (c.result) return c.result;
  if (flags != number::portable_and_mapped) machine().complain("cuMemHostAlloc: not mapped");
  *p = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  c.d->pinned[std::bit_cast<Address>(*p)] = bytes;
  return success;
}
Result cuMemFreeHost(void* p) {
  const Call c("cuMemFreeHost");
  if (c.result) return c.result;
  const auto it = c.d->pinned.find(std::bit_cast<Address>(p));
  if (it == c.d->pinned.end()) {
    machine().complain("cuMemFreeHost: an address that is not allocated");
    return invalid_value;
  }
  const std::byte *begin = static_cast<std::byte*>(p), *end = begin + it->second;
  for (const StreamOf* s : c.d->streams)
    for (const Queued& q : s->queue)
      if (q.host >= begin && q.host < end)
        machine().complain("cuMemFreeHost: memory that something queued needs");
  c.d->pinned.erase(it);
  std::free(p);
  return success;
}
Result cuMemHostGetDevicePointer_v2(Address* a, void* p, unsigned) {
  Call c("cuMemHostGetDevicePointer_v2");
  c.needs_pinned(p, 1);
  *a = std::bit_cast<Address>(p);
  return c.result;
}

// ---- copies

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t n, StreamHandle s) {
  Call c("cuMemcpyHtoDAsync_v2", s);
  c.needs(to, n);
  c.needs_pinned(from, n);
  if (c.result) return c.result;
  s->queue.push_back({[=] { std::memcpy(std::bit_cast<void*>(to), from, n); }, from, n});
  return success;
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t n, StreamHandle s) {
  Call c("cuMemcpyDtoHAsync_v2", s);
  c.needs(from, n);
  c.needs_pinned(to, n);
  if (c.result) return c.result;
  s->queue.push_back({[=] { std::memcpy(to, std::bit_cast<void*>(from), n); }, to, n});
  return success;
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t n, StreamHandle s) {
  Call c("cuMemcpyDtoDAsync_v2", s);
  c.needs(to, n);
  c.needs(from, n);
  if (!c.result && to < from + n && from < to + n)
    machine().complain("cuMemcpyDtoDAsync_v2: what overlaps");
  if (c.result) return c.result;
  s->queue.push_back(
      {[=] { std::memmove(std::bit_cast<void*>(to), std::bit_cast<void*>(from), n); }});
  return success;
}
Result cuMemsetD8Async(Address a, unsigned char value, size_t n, StreamHandle s) {
  Call c("cuMemsetD8Async", s);
  c.needs(a, n);
  if (c.result) return c.result;
  s->queue.push_back({[=] { std::memset(std::bit_cast<void*>(a), value, n); }});
  return success;
}
Result cuMemsetD32Async(Address a, unsigned value, size_t n, StreamHandle s) {
  Call c("cuMemsetD32Async", s);
  c.needs_pinned(std::bit_cast<void*>(a), n * 4);
  if (c.result) return c.result;
  s->queue.push_back({[=] {
                        for (size_t i = 0; i < n; ++i) write_word(a + i * 4, value);
                      },
                      std::bit_cast<void*>(a), n * 4});
  return success;
}
Result cuStreamWriteValue32_v2(StreamHandle s, Address a, uint32_t value, unsigned) {
  Call c("cuStreamWriteValue32_v2", s);
  c.needs_pinned(std::bit_cast<void*>(a), 4);
  if (c.result) return c.result;
  s->queue.push_back({[=] { write_word(a, value); }, std::bit_cast<void*>(a), 4});
  return success;
}

// ---- events

Result cuEventCreate(EventHandle* e, unsigned) {
  const Call c("cuEventCreate");
  if (c.result) return c.result;
  *e = new EventOf{c.d->index, false, true};
  c.d->events.insert(*e);
  return success;
}
Result cuEventRecord(EventHandle e, StreamHandle s) {
  const Call c("cuEventRecord", s);
  if (c.result) return c.result;
  if (!known(c, c.d->events, e)) return invalid_handle;
  e->recorded = true;
  e->done = false;
  s->queue.push_back({[e] { e->done = true; }});
  return success;
}
Result cuEventSynchronize(EventHandle e) {
  const Call c("cuEventSynchronize");
  if (c.result) return c.result;
  if (!known(c, c.d->events, e)) return invalid_handle;
  if (!e->recorded) machine().complain("cuEventSynchronize: an event that was never recorded");
  for (StreamOf* s : c.d->streams)
    while (!e->done && !s->queue.empty()) machine().work_off(*c.d, *s, 1);
  return c.d->context.fault;
}
Result cuEventDestroy_v2(EventHandle e) {
  const Call c("cuEventDestroy_v2");
  if (c.result) return c.result;
  if (!known(c, c.d->events, e)) return invalid_handle;
  if (!e->done) {
    machine().complain("cuEventDestroy_v2: an event that is under way");
    return invalid_handle;
  }
  c.d->events.erase(e);
  delete e;
  return success;
}

// ---- modules and kernels

Result cuModuleLoadDataEx(ModuleHandle* m, const void* image, unsigned n, int* options,
                          void** values) {
  const Call c("cuModuleLoadDataEx");
  if (c.result) return c.result;
  std::string log;
  auto code = fake::compile_text(static_cast<const char*>(image), &log);
  if (!code) {
    char* to = nullptr;
    size_t bytes = 0;
    for (unsigned i = 0; i < n; ++i) {
      if (options[i] == number::error_log) to = static_cast<char*>(values[i]);
      if (options[i] == number::error_log_bytes) bytes = std::bit_cast<size_t>(values[i]);
    }
    if (to && bytes) fmt::format_to_n(to, bytes - 1, "{}", log).out[0] = 0;
    return invalid_ptx;
  }
  *m = new ModuleOf{c.d->index, std::move(code), {}, 0, 0};
  c.d->modules.insert(*m);
  return success;
}
Result cuModuleUnload(ModuleHandle m) {
  const Call c("cuModuleUnload");
  if (c.result) return c.result;
  if (!known(c, c.d->modules, m)) return invalid_handle;
  if (m->queued) {
    machine().complain("cuModuleUnload: a kernel of it is under way");
    return invalid_value;
  }
  if (m->graphs) {
    machine().complain("cuModuleUnload: a graph has a kernel of it");
    return invalid_value;
  }
  c.d->modules.erase(m);
  delete m;
  return success;
}
Result cuModuleGetFunction(KernelHandle* k, ModuleHandle m, const char* name) {
  const Call c("cuModuleGetFunction");
  if (c.result) return c.result;
  if (!known(c, c.d->modules, m)) return invalid_handle;
  const auto it = m->code->kernels.find(name);
  if (it == m->code->kernels.end()) return not_found;
  m->kernels.push_back(std::make_unique<KernelOf>(KernelOf{m, &it->second}));
  *k = m->kernels.back().get();
  return success;
}
Result cuFuncGetAttribute(int* value, int attribute, KernelHandle k) {
  const Call c("cuFuncGetAttribute");
  if (c.result) return c.result;
  *value = attribute == number::max_threads    ? 1024
           : attribute == number::registers    ? FAKE_CUDA_REGISTERS
           : attribute == number::shared_bytes ? static_cast<int>(k->code->shared)
                                               : 0;
  return success;
}
// Limits are the registers, shared memory, threads and blocks of a multiprocessor of sm_90.
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, KernelHandle k, int threads,
                                                   size_t shared) {
  const Call c("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (c.result) return c.result;
  if (!known(c, c.d->modules, k->module)) return invalid_handle;
  const int64_t all = k->code->shared + static_cast<int64_t>(shared);
  if (threads < 1 || threads > 1024 || all > k->dynamic_shared) return invalid_value;
  const int warps = (threads + 31) / 32;
  int64_t most = std::min(32, FAKE_CUDA_THREADS / 32 / warps);
  most = std::min<int64_t>(most, (64 << 10) / (FAKE_CUDA_REGISTERS * 32 * warps));
  // The system uses 1 KiB of each block.
  if (all) most = std::min<int64_t>(most, (228 << 10) / (all + 1024));
  *blocks = static_cast<int>(most);
  return success;
}
Result cuFuncSetAttribute(KernelHandle k, int attribute, int value) {
  const Call c("cuFuncSetAttribute");
  if (c.result) return c.result;
  if (attribute != number::max_dynamic_shared || value > 227 << 10) return invalid_value;
  k->dynamic_shared = value;
  return success;
}

// ---- the interface for tests

void fake_cuda_fail(const char* entry, int nth, int code, bool sticky) {
  Machine& m = machine();
  const std::lock_guard lock(m.guard);
  m.calls.clear();
  m.failing = entry ? entry : "";
  m.failing_at = nth;
  m.failing_with = code;
  m.failing_for_good = sticky;
}
int64_t fake_cuda_calls(const char* entry) {
  const std::lock_guard lock(machine().guard);
  return machine().calls[entry];
}
const char* const* fake_cuda_entries() {
#define FAKE_NAME(name, symbol, parameters) #symbol,
  static const char* const names[] = {WEFT_CUDA_ENTRIES(FAKE_NAME)
                                          WEFT_CUDA_OPTIONAL_ENTRIES(FAKE_NAME) nullptr};
  return names;
}
const char* fake_cuda_complaints() { return machine().complaints.c_str(); }
void fake_cuda_forget_complaints() { machine().complaints.clear(); }
FakeCudaLive fake_cuda_live(int i) {
  const std::lock_guard lock(machine().guard);
  const Device& d = device(i);
  FakeCudaLive live{};
  for (const auto& [a, b] : d.memory->blocks()) {
    ++live.blocks;
    live.bytes += static_cast<int64_t>(b.bytes);
  }
  live.modules = static_cast<int64_t>(d.modules.size());
  live.events = static_cast<int64_t>(d.events.size());
  live.pinned = static_cast<int64_t>(d.pinned.size());
  live.graphs = static_cast<int64_t>(d.graphs.size() + d.execs.size());
  live.streams = static_cast<int64_t>(d.streams.size());
  return live;
}
int64_t fake_cuda_queued(int i) {
  const std::lock_guard lock(machine().guard);
  int64_t n = 0;
  for (const StreamOf* s : device(i).streams) n += static_cast<int64_t>(s->queue.size());
  return n;
}
int fake_cuda_enter(const char* entry, bool needs_context) {
  if (!needs_context) return plain(entry);
  const Call c(entry);
  return c.result;
}
bool fake_cuda_is_inside(const char* entry, const void* at, int64_t bytes) {
  const std::lock_guard lock(machine().guard);
  Device* const d = machine().current(entry);
  return d &&
         machine().is_inside(entry, *d, std::bit_cast<Address>(at), static_cast<size_t>(bytes));
}
bool fake_cuda_is_stream(const char* entry, const void* stream) {
  const std::lock_guard lock(machine().guard);
  Device* const d = machine().current(entry);
  return d && machine().owns(entry, *d, static_cast<const StreamOf*>(stream));
}
void fake_cuda_queue(const void* stream, void (*run)(void*), void* work) {
  const std::lock_guard lock(machine().guard);
  auto* const s = static_cast<StreamOf*>(const_cast<void*>(stream));
  s->queue.push_back({[run, work] { run(work); }});
}
void fake_cuda_complain(const char* text) {
  const std::lock_guard lock(machine().guard);
  machine().complain(text);
}
int fake_cuda_spare() { return static_cast<int>(machine().devices.size()) - 1; }
int64_t fake_cuda_current() { return static_cast<int64_t>(current_contexts().size()); }
void fake_cuda_reset(int i) {
  const std::lock_guard lock(machine().guard);
  machine().reset(device(i));
  current_contexts().clear();
}
}
#pragma GCC visibility pop
