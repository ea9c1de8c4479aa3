// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/call.h: one library call on a device, in the order of its stream.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/loops/implementation.h"
#include "runtime/cuda/gpu.h"
#include "runtime/cuda/libraries/open.h"

namespace weft::cuda {

// "cusolverDnSpotrf": the library's name for a routine with elements of that type.
std::string routine_name(const char* prefix, DType d, std::string_view routine);
// Throws DeviceError or OutOfMemoryError that names all arguments, unless the status is success.
void check_status(const Gpu& g, std::string_view library, const std::string& entry, Status s);

// Owns a descriptor object of a library.
template <class Handle>
struct OwnedHandle {
  Handle handle = nullptr;
  Status (*destroy)(Handle) = nullptr;
  OwnedHandle() = default;
  OwnedHandle(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle) destroy(handle);
  }
};

// While it exists, the context is current and no other thread uses a handle of the device, so that
// its queued work stays contiguous. The memory it provides is released in stream order, after the
// queued work.
class LibraryCall {
 public:
  // Errors of the device name `function`.
  LibraryCall(const NativeArgs& a, std::string_view library, const std::string& function);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  // Call it when all work is queued: later device errors may then name this call.
  void done();

  Gpu& gpu() const { return gpu_; }
  const Driver& driver() const { return gpu_.driver(); }
  StreamHandle stream() const { return gpu_.queue(); }
  void check(const std::string& entry, Status s) const { check_status(gpu_, library_, entry, s); }
  SolverHandle solver_handle();
  BlasHandle blas_handle();
  BlasLtHandle blas_lt_handle();
  DnnHandle dnn_handle();
  // The memory of operand or result k. Throws InternalError if it has fewer than `bytes` bytes.
  std::byte* operand(size_t k, int64_t bytes) const;
  std::byte* result(size_t k, int64_t bytes) const;
  void* workspace(int64_t bytes);
  // An array in device memory of n addresses that are `stride` bytes apart.
  void* const* table(std::byte* first, int64_t stride, int64_t n);

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
  const CurrentContext current_;
  std::vector<Launch::Use> uses_;
  std::vector<Memory> memory_;
};

}  // namespace weft::cuda
