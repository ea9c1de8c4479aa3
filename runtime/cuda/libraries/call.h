// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/call.h: one use of a library on a device, in the order of its stream.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/loops/implementation.h"
#include "weft/runtime/cuda/gpu.h"
#include "weft/runtime/cuda/libraries/open.h"

namespace weft::cuda {

// "cusolverDnSpotrf": a routine as the library names it for elements of that type.
std::string routine_name(const char* prefix, DType d, std::string_view routine);
// DeviceError or OutOfMemoryError that names all of it, unless the status is success.
void check_status(const Gpu& g, std::string_view library, const std::string& entry, Status s);

// A description that the library holds.
template <class Handle>
struct Held {
  Handle handle = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Held() = default;
  Held(const Held&) = delete;
  ~Held() {
    if (handle) destroy(handle);
  }
};

// While it lives the context is current, and nobody else uses a handle of the device: what is
// queued belongs together. Memory that it gives is released when what was queued has used it.
class LibraryCall {
 public:
  // `function` is named by errors of the device.
  LibraryCall(const NativeArgs& a, std::string_view library, const std::string& function);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  // All is queued: what the device says from now on may be about it.
  void done();

  Gpu& gpu() const { return gpu_; }
  const Driver& driver() const { return gpu_.driver(); }
  StreamHandle stream() const { return gpu_.queue(); }
  void check(const std::string& entry, Status s) const { check_status(gpu_, library_, entry, s); }
  SolverHandle solver_handle();
  BlasHandle blas_handle();
  BlasLtHandle blas_lt_handle();
  DnnHandle dnn_handle();
  // n operands or results that lie one after another; InternalError if there are fewer bytes.
  std::byte* operand(size_t k, int64_t bytes) const;
  std::byte* result(size_t k, int64_t bytes) const;
  void* room(int64_t bytes);
  // Addresses that lie so far apart, as the device reads them.
  void* const* table(std::byte* first, int64_t apart, int64_t n);

 private:
  template <class Handle, class Table>
  Handle handle(Handles::Of<Handle>& h, const Table& t, const char* create, const char* set_stream);
  struct Memory {
    void* data;
    int64_t bytes, capacity;
  };
  const NativeArgs& args_;
  Gpu& gpu_;
  const std::string_view library_;
  const char* const function_;
  const std::lock_guard<std::mutex> lock_;
  const Current current_;
  std::vector<Launch::Use> uses_;
  std::vector<Memory> memory_;
};

}  // namespace weft::cuda
