// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_kernels.h: kernels of the emulated driver, which are LLVM IR compiled for the
// host.
//
// A kernel is `void name(ptr)`. Its argument is the array of pointers to its 8-byte arguments,
// which it reads at constant offsets. It may call these functions.
// - `i32 weft_emulated_block_index()`, `i32 weft_emulated_thread_index()`.
// - `void weft_emulated_barrier()`, `i32 weft_emulated_barrier_and(i32)`.
// - `i32 weft_emulated_shuffle(i32 value, i32 source_lane)`.
// - `void weft_emulated_ldmatrix(ptr line, ptr words, i32 matrices, i32 transposed)` and
//   `void weft_emulated_mma(ptr sums, ptr words, i32 half)`: see tests/gpu/fake_tensor.h.
// - `void weft_emulated_exit()`: ends a thread without making others wait for it.
// - `i32 weft_emulated_ballot(i32 yes)`: one bit for each thread of the warp that has not ended.
// - `ptr weft_emulated_shared(i64 offset)`.
// - `void cudaGraphSetConditional(i64 condition, i32 value)`.
// - `fmod`, `fma`, `memcpy`, `memmove`, `memset`.
//
// Its attribute "weft-shared" is the number of bytes of shared memory that it declares. The launch
// may add more.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fake {

struct Code;  // of a module

struct KernelCode {
  std::string name;
  void (*run)(void**) = nullptr;
  size_t arguments = 0;
  int64_t shared = 0;
  bool meets = false;  // its module uses barriers or shuffles
};
struct Compiled {
  std::shared_ptr<Code> code;
  std::map<std::string, KernelCode> kernels;
};
// Compiles the text. If it is not LLVM IR that can run here, returns null and writes the reason to
// *log.
std::shared_ptr<const Compiled> compile_text(const std::string& text, std::string* log);

// Runs all blocks and threads one after another.
struct Ran {
  std::string wrong;     // the error that the kernel made, or ""
  bool illegal = false;  // it accessed an invalid address, which ended it
};
Ran run_grid(const KernelCode& k, const std::vector<uint64_t>& arguments, unsigned blocks,
             unsigned threads, int64_t shared);

// Implements cudaGraphSetConditional for kernels.
void set_condition(uint64_t handle, uint32_t value);

}  // namespace fake
