// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_libraries.h: emulated libraries of the emulated driver: what tests ask
// of them, and what their parts share. One shared object stands for all of NVIDIA's.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/fake_cuda.h"
#include "weft/runtime/cuda/libraries/entries.h"

// What is alive of what libraries make: handles last as long as the context does.
struct FakeLibrariesLive {
  int64_t handles, descriptions, plans;
};
#pragma GCC visibility push(default)
extern "C" {
FakeLibrariesLive fake_libraries_live();
// The names of all entry points, the last one null. fake_cuda_fail takes them.
const char* const* fake_libraries_entries();
// The nth factorisation that runs from now on does not succeed: its info is 1. 0: none.
void fake_libraries_give_up(int nth);
}
// As the driver's (tests/gpu/fake_calls.h): a definition that is not what is declared does not
// compile.
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
// Whether the factorisation that runs now is the one that gives up.
bool gives_up();

// Of a call: what it has to fail with, and what is wrong with what it was given.
class Call {
 public:
  explicit Call(const char* entry, bool needs_context = true)
      : entry_(entry), status_(fake_cuda_enter(entry, needs_context)) {}
  // What it returns at once.
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
  // Addresses, one a matrix.
  void inside(const void* const* table, int batch) {
    inside(static_cast<const void*>(table), int64_t{8} * batch);
  }
  void on(const void* stream) {
    if (!status_ && !fake_cuda_is_stream(entry_, stream)) status_ = 7;
    stream_ = stream;
  }
  // Work in the order of the stream, if nothing is wrong.
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

// Element i of memory of a cudaDataType, and its bytes.
double read(int type, const void* at, int64_t i);
void write(int type, void* at, int64_t i, double x);
int64_t item(int type);

// A description that is made, and is over; they need no context.
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

// The version that each says it is.
inline Status property(const char* entry, int which, int* value) {
  *value = which == 0 ? 12 : which == 1 ? 3 : 1;
  return Call(entry, false).status();
}

}  // namespace fake
