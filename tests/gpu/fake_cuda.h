// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_cuda.h: what tests ask of the emulated driver and tell it.
//
// The environment says what it pretends, before its first call: FAKE_CUDA_DEVICES (2),
// FAKE_CUDA_CAPABILITIES (90; "90,70" is one a device), FAKE_CUDA_DRIVER (12040), FAKE_CUDA_MEMORY
// (bytes a device, 1 GiB), FAKE_CUDA_INIT (what cuInit returns), FAKE_CUDA_FAIL (an
// entry point whose first call returns 1), FAKE_CUDA_STRICT (not empty: the first complaint is
// printed and ends the process, for those that nobody asks for their complaints).
#pragma once
#include <cstdint>

// Threads that a multiprocessor runs, and registers of each kernel.
constexpr int FAKE_CUDA_THREADS = 2048, FAKE_CUDA_REGISTERS = 32;

#pragma GCC visibility push(default)
extern "C" {

// What lives in the context of a device.
struct FakeCudaLive {
  int64_t blocks, bytes, modules, events, pinned, streams, graphs;
};

// The nth call of an entry point from now on has no effect and returns `code`; with `sticky`, so
// does everything in its context after it. The entry "kernel" is a kernel that runs, whose fault
// shows at the next call. null: nothing fails.
void fake_cuda_fail(const char* entry, int nth, int code, bool sticky);
// Calls of an entry point since fake_cuda_fail.
int64_t fake_cuda_calls(const char* entry);
// The names of all entry points, the last one null.
const char* const* fake_cuda_entries();
// What was done that a program must not do, a line each; "" if nothing.
const char* fake_cuda_complaints();
void fake_cuda_forget_complaints();
FakeCudaLive fake_cuda_live(int device);
// What was queued on a device and has not run.
int64_t fake_cuda_queued(int device);
// A device more than cuDeviceGetCount tells of, which tests may spoil.
int fake_cuda_spare();
// Contexts that are current on this thread.
int64_t fake_cuda_current();
// For libraries that are emulated, too (tests/gpu/libraries/): what a call of theirs has to fail
// with, of the device whose context is current; whether so many bytes belong to a block that lives
// there, or a complaint; work for its stream, done in its order.
int fake_cuda_enter(const char* entry, bool needs_context);
bool fake_cuda_is_inside(const char* entry, const void* at, int64_t bytes);
bool fake_cuda_is_stream(const char* entry, const void* stream);
void fake_cuda_queue(const void* stream, void (*run)(void*), void* work);
void fake_cuda_complain(const char* text);
// Drops all that lives on a device, and its fault, as the end of a process does.
void fake_cuda_reset(int device);
}
#pragma GCC visibility pop
