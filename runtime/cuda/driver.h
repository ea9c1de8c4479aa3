// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/driver.h: a table of the CUDA driver API functions that we call.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::cuda {

// CUresult, CUdevice, CUdeviceptr and the handles, which are opaque pointers.
using Result = int;
using Ordinal = int;
using Address = unsigned long long;
using Context = struct ContextOf*;
using StreamHandle = struct StreamOf*;
using PoolHandle = struct PoolOf*;
using EventHandle = struct EventOf*;
using ModuleHandle = struct ModuleOf*;
using KernelHandle = struct KernelOf*;
using GraphHandle = struct GraphOf*;
using NodeHandle = struct NodeOf*;
using GraphExecHandle = struct GraphExecOf*;
using ConditionHandle = unsigned long long;

// Parameters of graph nodes, laid out as in cuda.h: CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEMCPY3D_v2
// and CUDA_MEMSET_NODE_PARAMS_v1. Fields that we do not use are zero.
struct KernelNode {
  KernelHandle kernel = nullptr;
  unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
  unsigned shared = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};
struct CopyNode {
  struct End {
    size_t x = 0, y = 0, z = 0, level = 0;
    int kind = 0;  // number::device_memory
    void* host = nullptr;
    Address at = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    size_t pitch = 0, height = 0;
  };
  End from, to;
  size_t bytes = 0, rows = 1, depth = 1;
};
struct SetNode {
  Address at = 0;
  size_t pitch = 0;
  unsigned value = 0, element_bytes = 1;
  size_t elements = 0, rows = 1;
};
// CUgraphNodeParams of a conditional node.
struct ConditionalNode {
  int type = 13, reserved[3] = {};  // CU_GRAPH_NODE_TYPE_CONDITIONAL
  ConditionHandle condition = 0;
  int kind = 0;  // number::run_once_if, number::run_while
  unsigned graphs = 1;
  GraphHandle* bodies = nullptr;  // owned and filled in by the driver
  Context context = nullptr;
  long long zeros[26] = {};
};
static_assert(sizeof(KernelNode) == 56 && sizeof(CopyNode) == 200 && sizeof(SetNode) == 40 &&
              sizeof(ConditionalNode) == 256);

// Each entry point: our name, its symbol, its parameters. All return a Result.
#define WEFT_CUDA_ENTRIES(X)                                                               \
  X(init, cuInit, (unsigned))                                                              \
  X(error_name, cuGetErrorName, (Result, const char**))                                    \
  X(error_string, cuGetErrorString, (Result, const char**))                                \
  X(device_count, cuDeviceGetCount, (int*))                                                \
  X(device_get, cuDeviceGet, (Ordinal*, int))                                              \
  X(device_name, cuDeviceGetName, (char*, int, Ordinal))                                   \
  X(device_attribute, cuDeviceGetAttribute, (int*, int, Ordinal))                          \
  X(total_memory, cuDeviceTotalMem_v2, (size_t*, Ordinal))                                 \
  X(retain_context, cuDevicePrimaryCtxRetain, (Context*, Ordinal))                         \
  X(push_context, cuCtxPushCurrent_v2, (Context))                                          \
  X(pop_context, cuCtxPopCurrent_v2, (Context*))                                           \
  X(stream_create, cuStreamCreate, (StreamHandle*, unsigned))                              \
  X(stream_synchronize, cuStreamSynchronize, (StreamHandle))                               \
  X(allocate, cuMemAllocAsync, (Address*, size_t, StreamHandle))                           \
  X(release, cuMemFreeAsync, (Address, StreamHandle))                                      \
  X(default_pool, cuDeviceGetDefaultMemPool, (PoolHandle*, Ordinal))                       \
  X(pool_attribute, cuMemPoolSetAttribute, (PoolHandle, int, void*))                       \
  X(pool_trim, cuMemPoolTrimTo, (PoolHandle, size_t))                                      \
  X(host_allocate, cuMemHostAlloc, (void**, size_t, unsigned))                             \
  X(host_release, cuMemFreeHost, (void*))                                                  \
  X(host_address, cuMemHostGetDevicePointer_v2, (Address*, void*, unsigned))               \
  X(copy_in, cuMemcpyHtoDAsync_v2, (Address, const void*, size_t, StreamHandle))           \
  X(copy_out, cuMemcpyDtoHAsync_v2, (void*, Address, size_t, StreamHandle))                \
  X(copy_within, cuMemcpyDtoDAsync_v2, (Address, Address, size_t, StreamHandle))           \
  X(set_bytes, cuMemsetD8Async, (Address, unsigned char, size_t, StreamHandle))            \
  X(set_words, cuMemsetD32Async, (Address, unsigned, size_t, StreamHandle))                \
  X(event_create, cuEventCreate, (EventHandle*, unsigned))                                 \
  X(event_record, cuEventRecord, (EventHandle, StreamHandle))                              \
  X(event_synchronize, cuEventSynchronize, (EventHandle))                                  \
  X(event_destroy, cuEventDestroy_v2, (EventHandle))                                       \
  X(module_load, cuModuleLoadDataEx, (ModuleHandle*, const void*, unsigned, int*, void**)) \
  X(module_unload, cuModuleUnload, (ModuleHandle))                                         \
  X(module_kernel, cuModuleGetFunction, (KernelHandle*, ModuleHandle, const char*))        \
  X(kernel_attribute, cuFuncGetAttribute, (int*, int, KernelHandle))                       \
  X(set_kernel_attribute, cuFuncSetAttribute, (KernelHandle, int, int))                    \
  X(resident_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                          \
    (int*, KernelHandle, int, size_t))                                                     \
  X(launch, cuLaunchKernel,                                                                \
    (KernelHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     StreamHandle, void**, void**))
// Entry points for graphs; without any one of them has_graphs() returns false.
#define WEFT_CUDA_GRAPH_ENTRIES(X)                                                   \
  X(graph_create, cuGraphCreate, (GraphHandle*, unsigned))                           \
  X(graph_kernel, cuGraphAddKernelNode,                                              \
    (NodeHandle*, GraphHandle, const NodeHandle*, size_t, const KernelNode*))        \
  X(graph_copy, cuGraphAddMemcpyNode,                                                \
    (NodeHandle*, GraphHandle, const NodeHandle*, size_t, const CopyNode*, Context)) \
  X(graph_set, cuGraphAddMemsetNode,                                                 \
    (NodeHandle*, GraphHandle, const NodeHandle*, size_t, const SetNode*, Context))  \
  X(graph_instantiate, cuGraphInstantiateWithFlags,                                  \
    (GraphExecHandle*, GraphHandle, unsigned long long))                             \
  X(graph_launch, cuGraphLaunch, (GraphExecHandle, StreamHandle))                    \
  X(graph_exec_destroy, cuGraphExecDestroy, (GraphExecHandle))                       \
  X(graph_destroy, cuGraphDestroy, (GraphHandle))
// Entry points for conditional nodes (CUDA 12.4, the first whose bodies may have copies and
// clears).
#define WEFT_CUDA_CONDITION_ENTRIES(X)                            \
  X(condition_create, cuGraphConditionalHandleCreate,             \
    (ConditionHandle*, GraphHandle, Context, unsigned, unsigned)) \
  X(graph_conditional, cuGraphAddNode,                            \
    (NodeHandle*, GraphHandle, const NodeHandle*, size_t, ConditionalNode*))
// Entry points that are newer than the oldest supported driver; null if missing.
#define WEFT_CUDA_OPTIONAL_ENTRIES(X)                                                 \
  X(write_word, cuStreamWriteValue32_v2, (StreamHandle, Address, uint32_t, unsigned)) \
  WEFT_CUDA_GRAPH_ENTRIES(X)                                                          \
  WEFT_CUDA_CONDITION_ENTRIES(X)

struct Driver {
#define WEFT_CUDA_POINTER(name, symbol, parameters) Result(*name) parameters = nullptr;
  WEFT_CUDA_ENTRIES(WEFT_CUDA_POINTER)
  WEFT_CUDA_OPTIONAL_ENTRIES(WEFT_CUDA_POINTER)
#undef WEFT_CUDA_POINTER
  int version = 0;        // 12040 is 12.4
  bool emulated = false;  // true if the library has the symbol weft_emulated_driver
  bool has_graphs() const;
  bool has_conditions() const;
};

// Opens libcuda.so.1, or the library that WEFT_CUDA_LIBRARY names, until the process ends, and
// fills the table. Returns a sentence that says what is missing; "" if nothing is.
std::string open_driver(Driver& d);

// Results that the runtime distinguishes, numbered as in cuda.h.
constexpr Result success = 0, out_of_memory = 2, not_supported = 801;
// Returns true for errors after which every call in the context fails.
bool is_sticky(Result r);
// Returns true for errors that reject a module image.
bool is_image_error(Result r);
// "CUDA_ERROR_NOT_FOUND (named symbol not found)"
std::string text_of(const Driver& d, Result r);

// Attributes of devices and kernels, options and flags, numbered as in cuda.h.
namespace number {
constexpr int major_capability = 75, minor_capability = 76, multiprocessors = 16,
              threads_of_multiprocessor = 39, memory_pools = 115;
constexpr int max_threads = 0, shared_bytes = 1, local_bytes = 3, registers = 4,
              max_dynamic_shared = 8;
constexpr int error_log = 5, error_log_bytes = 6;
constexpr int release_threshold = 4;
constexpr int device_memory = 2;
constexpr int run_once_if = 0, run_while = 1;
constexpr unsigned set_at_launch = 1;  // the condition is reset to its default at each launch
constexpr unsigned non_blocking = 1, no_timing = 2, portable_and_mapped = 3;
}  // namespace number

}  // namespace weft::cuda
