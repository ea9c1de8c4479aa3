// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/driver.cpp: opens the driver's library and classifies its results.
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace weft::cuda {
namespace {

constexpr int oldest_driver = 11040;  // 11.4 introduced stream-ordered memory pools

template <class F>
void resolve(void* library, const char* symbol, F& f) {
  f = reinterpret_cast<F>(dlsym(library, symbol));
}

// Returns the name of the first missing entry point, or null.
const char* fill(Driver& d, void* library) {
  const char* missing = nullptr;
#define WEFT_CUDA_RESOLVE(name, symbol, parameters) \
  resolve(library, #symbol, d.name);                \
  if (!d.name && !missing) missing = #symbol;
  WEFT_CUDA_ENTRIES(WEFT_CUDA_RESOLVE)
#undef WEFT_CUDA_RESOLVE
#define WEFT_CUDA_RESOLVE(name, symbol, parameters) resolve(library, #symbol, d.name);
  WEFT_CUDA_OPTIONAL_ENTRIES(WEFT_CUDA_RESOLVE)
#undef WEFT_CUDA_RESOLVE
  d.emulated = dlsym(library, "weft_emulated_driver") != nullptr;
  return missing;
}

}  // namespace

std::string open_driver(Driver& d) {
  const char* const named = std::getenv("WEFT_CUDA_LIBRARY");
  const std::string name = named && *named ? named : "libcuda.so.1";
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    return fmt::format(
        "CUDA: the driver's library could not be opened ({}); install NVIDIA's driver, or name its "
        "library by WEFT_CUDA_LIBRARY",
        why ? why : name);
  }
  // The version is checked before missing entry points: an old driver lacks many, and its age is
  // the useful message.
  Result (*version_of)(int*) = nullptr;
  resolve(library, "cuDriverGetVersion", version_of);
  const bool dated = version_of && version_of(&d.version) == success;
  if (dated && d.version < oldest_driver)
    return fmt::format(
        "CUDA: the driver is one of CUDA {}.{}, and {}.{} is the oldest that will do; update it",
        d.version / 1000, d.version % 1000 / 10, oldest_driver / 1000, oldest_driver % 1000 / 10);
  const char* const missing = version_of ? fill(d, library) : "cuDriverGetVersion";
  if (missing)
    return fmt::format("CUDA: {} has no entry point {}; update NVIDIA's driver", name, missing);
  if (const Result r = d.init(0))
    return fmt::format("CUDA: the driver could not be started: {}", text_of(d, r));
  return {};
}

bool Driver::has_graphs() const {
#define WEFT_CUDA_HAS(name, symbol, parameters) &&name != nullptr
  return true WEFT_CUDA_GRAPH_ENTRIES(WEFT_CUDA_HAS);
}
bool Driver::has_conditions() const {
  constexpr int since = 12040;
  return has_graphs() && version >= since WEFT_CUDA_CONDITION_ENTRIES(WEFT_CUDA_HAS);
}
#undef WEFT_CUDA_HAS

bool is_sticky(Result r) {
  switch (r) {
    case 4:    // DEINITIALIZED
    case 201:  // INVALID_CONTEXT
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 709:  // CONTEXT_IS_DESTROYED
    case 710:  // ASSERT
    case 714:  // HARDWARE_STACK_ERROR
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
    case 999:  // UNKNOWN
      return true;
    default: return false;
  }
}

bool is_image_error(Result r) {
  switch (r) {
    case 200:  // INVALID_IMAGE
    case 209:  // NO_BINARY_FOR_GPU
    case 218:  // INVALID_PTX
    case 221:  // JIT_COMPILER_NOT_FOUND
    case 222:  // UNSUPPORTED_PTX_VERSION
    case 223:  // JIT_COMPILATION_DISABLED
    case 300:  // INVALID_SOURCE
    case 302:  // SHARED_OBJECT_SYMBOL_NOT_FOUND
    case 500:  // NOT_FOUND
      return true;
    default: return false;
  }
}

std::string text_of(const Driver& d, Result r) {
  const char *name = nullptr, *text = nullptr;
  if (d.error_name(r, &name) != success || !name) return fmt::format("CUDA error {}", r);
  if (d.error_string(r, &text) != success || !text) return name;
  return fmt::format("{} ({})", name, text);
}

}  // namespace weft::cuda
