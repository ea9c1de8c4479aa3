// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/call.cpp: handles, memory and errors of library calls.
#include "runtime/cuda/libraries/call.h"

#include <fmt/format.h>

#include <utility>

#include "core/intern_string.h"
#include "weft/error.h"

namespace weft::cuda {
namespace {

struct Meaning {
  Status status;
  const char* text;
};
// Status codes from the headers of cuBLAS, cuSOLVER, cuFFT and cuDNN, with our words for them.
constexpr Meaning of_blas[] = {
    {1, "not initialized"},       {3, "allocation failed"}, {7, "invalid value"},
    {8, "architecture mismatch"}, {11, "mapping error"},    {13, "execution failed"},
    {14, "internal error"},       {15, "not supported"},    {16, "license error"}};
constexpr Meaning of_solver[] = {{1, "not initialized"}, {2, "allocation failed"},
                                 {3, "invalid value"},   {4, "architecture mismatch"},
                                 {5, "mapping error"},   {6, "execution failed"},
                                 {7, "internal error"},  {8, "matrix type not supported"},
                                 {9, "not supported"},   {31, "invalid workspace"}};
constexpr Meaning of_fft[] = {
    {1, "invalid plan"},      {2, "allocation failed"},   {3, "invalid type"},
    {4, "invalid value"},     {5, "internal error"},      {6, "execution failed"},
    {7, "setup failed"},      {8, "invalid size"},        {9, "unaligned data"},
    {11, "invalid device"},   {13, "no workspace"},       {14, "not implemented"},
    {16, "not supported"},    {17, "missing dependency"}, {18, "NVRTC failure"},
    {19, "nvJitLink failure"}};

// cuDNN 8 and cuDNN 9 number their status codes differently.
constexpr Meaning of_dnn[] = {{1, "not initialized"},
                              {2, "allocation failed"},
                              {3, "invalid value"},
                              {4, "internal error"},
                              {6, "architecture mismatch"},
                              {8, "execution failed"},
                              {9, "not supported"},
                              {1001, "not initialized"},
                              {1002, "parts of different versions"},
                              {1008, "a part could not be loaded"},
                              {2000, "invalid value"},
                              {3000, "not supported"},
                              {3007, "architecture mismatch"},
                              {4000, "internal error"},
                              {4003, "allocation failed"},
                              {4004, "allocation failed"},
                              {5000, "execution failed"}};

std::string_view meaning_of(std::string_view library, Status s) {
  const std::span<const Meaning> all = library == cusolver ? std::span<const Meaning>(of_solver)
                                       : library == cufft  ? std::span<const Meaning>(of_fft)
                                       : library == cudnn  ? std::span<const Meaning>(of_dnn)
                                                           : std::span<const Meaning>(of_blas);
  for (const Meaning& m : all)
    if (m.status == s) return m.text;
  return "a status that is not known";
}

Gpu& gpu_of(const NativeArgs& a) { return static_cast<Gpu&>(static_cast<Device&>(*a.device)); }

std::byte* whole(std::span<const std::byte> bytes, int64_t n) {
  if (static_cast<int64_t>(bytes.size()) < n)
    throw InternalError(fmt::format("a library would use {} bytes of {}", n, bytes.size()));
  return const_cast<std::byte*>(bytes.data());
}

}  // namespace

std::string routine_name(const char* prefix, DType d, std::string_view routine) {
  std::string name(routine);
  if (is_complex(d) && name.starts_with("or")) name.replace(0, 2, "un");
  if (is_complex(d) && name.starts_with("sy")) name.replace(0, 2, "he");
  return fmt::format("{}{}{}", prefix, "SDCZ"[letter_of(d)], name);
}

void check_status(const Gpu& g, std::string_view library, const std::string& entry, Status s) {
  if (s == 0) return;
  const std::string_view meaning = meaning_of(library, s);
  const std::string text = fmt::format("device '{}': {} of {} failed with status {} ({})", g.name(),
                                       entry, library, s, meaning);
  if (meaning == "allocation failed") throw OutOfMemoryError(text);
  throw DeviceError(text);
}

LibraryCall::LibraryCall(const NativeArgs& a, std::string_view library, const std::string& function)
    : args_(a),
      gpu_(gpu_of(a)),
      library_(library),
      function_(intern_string(function)),
      lock_(gpu_.handles().guard),
      current_(gpu_) {
  for (const auto& in : a.in_bytes) uses_.push_back({in.data(), a.own_operands});
  for (const auto& out : a.out_bytes) uses_.push_back({out.data(), true});
  gpu_.require_usable(uses_);
}

LibraryCall::~LibraryCall() {
  for (const Memory& m : memory_) gpu_.release(m.data, m.bytes, m.capacity);
}

void LibraryCall::done() { gpu_.record_library_call(function_, uses_); }

// If the stream cannot be set, the handle is kept and the next call tries again.
template <class Handle, class Table>
Handle LibraryCall::handle(Handles::Of<Handle>& h, const Table& t, const char* create,
                           const char* set_stream) {
  if (!h.handle) check(create, t.create(&h.handle));
  if constexpr (requires { t.set_stream; }) {
    if (!h.has_stream) check(set_stream, t.set_stream(h.handle, stream()));
    h.has_stream = true;
  }
  return h.handle;
}
SolverHandle LibraryCall::solver_handle() {
  return handle(gpu_.handles().solver, solver(driver()), "cusolverDnCreate", "cusolverDnSetStream");
}
BlasHandle LibraryCall::blas_handle() {
  return handle(gpu_.handles().blas, blas(driver()), "cublasCreate", "cublasSetStream");
}
BlasLtHandle LibraryCall::blas_lt_handle() {
  return handle(gpu_.handles().blas_lt, blas_lt(driver()), "cublasLtCreate", "");
}

DnnHandle LibraryCall::dnn_handle() {
  return handle(gpu_.handles().dnn, dnn(driver()), "cudnnCreate", "cudnnSetStream");
}

std::byte* LibraryCall::operand(size_t k, int64_t bytes) const {
  return whole(args_.in_bytes.at(k), bytes);
}
std::byte* LibraryCall::result(size_t k, int64_t bytes) const {
  return whole(args_.out_bytes.at(k), bytes);
}

void* LibraryCall::workspace(int64_t bytes) {
  if (bytes <= 0) return nullptr;
  memory_.reserve(memory_.size() + 1);
  Memory m{nullptr, bytes, 0};
  m.data = gpu_.allocate(bytes, &m.capacity);
  memory_.push_back(m);
  return m.data;
}

void* const* LibraryCall::table(std::byte* first, int64_t stride, int64_t n) {
  std::vector<void*> addresses;
  for (int64_t i = 0; i < n; ++i) addresses.push_back(first + i * stride);
  const auto bytes = n * static_cast<int64_t>(sizeof(void*));
  void* const at = workspace(bytes);
  gpu_.copy_in(at, static_cast<const void*>(addresses.data()), bytes);
  return static_cast<void* const*>(at);
}

}  // namespace weft::cuda
