// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_libraries.h: emulated libraries of the emulated driver. It declares the
// interface for tests, and the code that the libraries share. One shared object replaces all of
// NVIDIA's.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/fake_cuda.h"
#include "runtime/cuda/libraries/entries.h"

// Counts of live objects that the libraries made. Handles live as long as the context.
struct FakeLibrariesLive {
  int64_t handles, descriptions, plans;
};
#pragma GCC visibility push(default)
extern "C" {
FakeLibrariesLive fake_libraries_live();
// Returns the names of all entry points. The last one is null. fake_cuda_fail accepts them.
const char* const* fake_libraries_entries();
// Makes the nth factorisation that runs from now on fail with info 1. 0: none fails.
void fake_libraries_give_up(int nth);
}
// The entry points are declared as in tests/gpu/fake_calls.h, so that a definition with another
// signature does not compile.
extern "C" {
#define FAKE_DECLARE(name, symbol, parameters) weft::cuda::Status symbol parameters;
namespace weft::cuda {
WEFT_CUSOLVER_ENTRIES(FAKE_DECLARE)
WEFT_CUSOLVER_ENTRIES_OF(FAKE_DECLARE, S, or, sy)
WEFT_CUSOLVER_ENTRIES_OF(FAKE_DECLARE, D, or, sy)
WEFT_CUSOLVER_ENTRIES_OF(FAKE_DECLARE, C, un, he)
WEFT_CUSOLVER_ENTRIES_OF(FAKE_DECLARE, Z, un, he)
WEFT_CUBLAS_ENTRIES(FAKE_DECLARE)
WEFT_CUBLAS_ENTRIES_OF(FAKE_DECLARE, S, or, sy)
WEFT_CUBLAS_ENTRIES_OF(FAKE_DECLARE, D, or, sy)
WEFT_CUBLAS_ENTRIES_OF(FAKE_DECLARE, C, un, he)
WEFT_CUBLAS_ENTRIES_OF(FAKE_DECLARE, Z, un, he)
WEFT_CUBLASLT_ENTRIES(FAKE_DECLARE)
WEFT_CUFFT_ENTRIES(FAKE_DECLARE)
WEFT_CUDNN_ENTRIES(FAKE_DECLARE)
}  // namespace weft::cuda
#undef FAKE_DECLARE
}
#pragma GCC visibility pop

namespace weft::cuda {

struct SolverOf {
  const void* stream = nullptr;
};
struct BlasOf {
  const void* stream = nullptr;
};
struct BlasLtOf {};
struct DnnOf {
  const void* stream = nullptr;
};

}  // namespace weft::cuda

namespace fake {

using weft::cuda::Status;

extern FakeLibrariesLive live;
// Returns true if the factorisation that runs now has to fail.
bool gives_up();

// A call: the error with which it has to fail, and the checks of its arguments.
class Call {
 public:
  explicit Call(const char* entry, bool needs_context = true)
      : entry_(entry), status_(fake_cuda_enter(entry, needs_context)) {}
  // The status that the call returns immediately.
  Status status() const { return status_; }
  explicit operator bool() const { return status_ == 0; }
  void require(bool right, const char* what) {
    if (right || status_) return;
    fake_cuda_complain(fmt::format("{}: {}", entry_, what).c_str());
    status_ = 7;
  }
  void inside(const void* at, int64_t bytes) {
    if (!status_ && !fake_cuda_is_inside(entry_, at, bytes)) status_ = 7;
  }
  // Checks a table of addresses, one for each matrix.
  void inside(const void* const* table, int batch) {
    inside(static_cast<const void*>(table), int64_t{8} * batch);
  }
  void on(const void* stream) {
    if (!status_ && !fake_cuda_is_stream(entry_, stream)) status_ = 7;
    stream_ = stream;
  }
  // Queues work on the stream if there is no error.
  Status queue(std::function<void()> work) {
    if (status_) return status_;
    const auto run = [](void* w) {
      auto* const f = static_cast<std::function<void()>*>(w);
      (*f)();
      delete f;
    };
    fake_cuda_queue(stream_, run, new std::function<void()>(std::move(work)));
    return 0;
  }

 private:
  const char* entry_;
  Status status_;
  const void* stream_ = nullptr;
};

// Reads or writes element i of memory of a cudaDataType. item() returns the bytes of one element.
double read(int type, const void* at, int64_t i);
void write(int type, void* at, int64_t i, double x);
int64_t item(int type);

// Creates or destroys a descriptor, which needs no context.
template <class T>
Status made(const char* entry, T** to, T value) {
  const Call c(entry, false);
  if (!c) return c.status();
  *to = new T(value);
  ++live.descriptions;
  return 0;
}
template <class T>
Status destroyed(const char* entry, T* what) {
  const Call c(entry, false);
  delete what;
  --live.descriptions;
  return c.status();
}

// Returns the version that each library reports.
inline Status property(const char* entry, int which, int* value) {
  *value = which == 0 ? 12 : which == 1 ? 3 : 1;
  return Call(entry, false).status();
}

}  // namespace fake
