// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_cuda.h: the interface through which tests control and observe the emulated driver.
//
// These environment variables, which are read before the first call, set its properties.
// - `FAKE_CUDA_DEVICES`: the number of devices (2).
// - `FAKE_CUDA_CAPABILITIES`: 90, or one for each device ("90,70").
// - `FAKE_CUDA_DRIVER`: the version of the driver (12040).
// - `FAKE_CUDA_MEMORY`: the bytes of each device (1 GiB).
// - `FAKE_CUDA_INIT`: the value that cuInit returns.
// - `FAKE_CUDA_FAIL`: an entry point whose first call returns 1.
// - `FAKE_CUDA_STRICT`: if not empty, the first invalid use is printed and ends the process. It is
//   for programs that do not read the list of invalid uses.
#pragma once
#include <cstdint>

// The number of threads that fit on a multiprocessor, and the number of registers of each kernel.
constexpr int FAKE_CUDA_THREADS = 2048, FAKE_CUDA_REGISTERS = 32;

#pragma GCC visibility push(default)
extern "C" {

// Counts of objects in the context of a device.
struct FakeCudaLive {
  int64_t blocks, bytes, modules, events, pinned, streams, graphs;
};

// Makes the nth call of an entry point from now on have no effect and return `code`. With `sticky`,
// every later call in its context returns it too. The entry "kernel" is the run of a kernel, and
// the next call returns its fault. null: nothing fails.
void fake_cuda_fail(const char* entry, int nth, int code, bool sticky);
// Returns the number of calls of an entry point since fake_cuda_fail.
int64_t fake_cuda_calls(const char* entry);
// Returns the names of all entry points. The last one is null.
const char* const* fake_cuda_entries();
// Returns the invalid uses of the driver, one per line; "" if there were none.
const char* fake_cuda_complaints();
void fake_cuda_forget_complaints();
FakeCudaLive fake_cuda_live(int device);
// Returns the amount of work that is queued on a device and has not run.
int64_t fake_cuda_queued(int device);
// Returns an additional device, which cuDeviceGetCount does not count. Tests may make it unusable.
int fake_cuda_spare();
// Returns the number of contexts on this thread's stack of current contexts.
int64_t fake_cuda_current();
// These functions also serve the emulated libraries (tests/gpu/libraries/). enter: the error with
// which a call has to fail, for the device whose context is current. is_inside: returns true if the
// bytes are inside one live block, and otherwise records an invalid use. queue: runs work in the
// order of its stream.
int fake_cuda_enter(const char* entry, bool needs_context);
bool fake_cuda_is_inside(const char* entry, const void* at, int64_t bytes);
bool fake_cuda_is_stream(const char* entry, const void* stream);
void fake_cuda_queue(const void* stream, void (*run)(void*), void* work);
void fake_cuda_complain(const char* text);
// Drops all objects of a device and its fault, as the end of a process does.
void fake_cuda_reset(int device);
}
#pragma GCC visibility pop
