// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_calls.h: the code that runs at the start of each entry point of the emulated
// driver.
#pragma once
#include <fmt/format.h>

#include "gpu/fake_machine.h"

namespace weft::cuda {

// All entry points are declared here, so that a definition does not compile if its signature
// differs from the library's.
#pragma GCC visibility push(default)
extern "C" {
#define FAKE_DECLARE(name, symbol, parameters) Result symbol parameters;
WEFT_CUDA_ENTRIES(FAKE_DECLARE)
WEFT_CUDA_OPTIONAL_ENTRIES(FAKE_DECLARE)
#undef FAKE_DECLARE
}
#pragma GCC visibility pop

constexpr Result invalid_value = 1, no_device = 100, invalid_ptx = 218, invalid_handle = 400,
                 not_found = 500, launch_failed = 719, invalid_context = 201, illegal_address = 700;

inline Machine& machine() { return Machine::instance(); }
using Device = Machine::Device;
inline Device& device(int i) { return *machine().devices[static_cast<size_t>(i)]; }

// A call that needs a context. It holds the lock and finds the device, or sets the error to return.
struct Call {
  explicit Call(const char* e) : lock(machine().guard), entry(e), d(machine().current(e)) {
    result = machine().enter(e, d);
    if (!d && !result) result = invalid_context;
  }
  Call(const char* e, const StreamOf* s) : Call(e) {
    if (!result && !machine().owns(e, *d, s)) result = invalid_handle;
  }
  // Requires that n bytes at `a` are valid memory of the device.
  void needs(Address a, size_t n) {
    if (!result && !machine().is_inside(entry, *d, a, n)) result = invalid_value;
  }
  void needs_pinned(const void* p, size_t n) {
    if (!result && !machine().is_pinned(entry, *d, p, n)) result = invalid_value;
  }
  std::unique_lock<std::recursive_mutex> lock;
  const char* const entry;
  Device* const d;
  Result result = success;
};
template <class T>
bool known(const Call& c, const std::set<T*>& all, T* handle) {
  if (all.contains(handle)) return true;
  machine().complain(fmt::format("{}: a handle that is not known", c.entry));
  return false;
}

}  // namespace weft::cuda
