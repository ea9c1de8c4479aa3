// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/check/access_checker.h: adds a test before every access of a finished kernel. It reads
// and changes only the LLVM function, and knows nothing of the nest or its schedule. A new way of
// accessing memory is added to is_access() in the .cpp file, or as a check of its library calls.
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jit/emit/llvm_value.h"

namespace weft::compiler {

// Tests the accesses of one function, which has the arguments of KernelFn
// (jit/emit/compile/codegen.h). The accessed memory is derived from the address: a buffer, or an
// array in the frame or in the scratch memory.
class AccessChecker {
 public:
  // The number of addresses for which `addresses` must have memory.
  static constexpr int64_t max_addresses = 64;
  // `checked` is the address of the call's state (jit/emit/check/checked.h). `addresses` is memory
  // of the frame for the tested addresses.
  AccessChecker(std::string kernel, V checked, V addresses)
      : kernel_(std::move(kernel)), checked_(checked), addresses_(addresses) {}

  // Records the points that are computed from here on; a null index is stored as -1.
  void record_point(llvm::IRBuilder<>& b, V outer, V inner) const;

  // The memory of the finished function, and its exit.
  struct Memory {
    const std::vector<V>& buffers;
    int64_t scratch_bytes;
    V stop_flag;             // null: none
    llvm::BasicBlock* exit;  // where the function returns
  };
  // Adds the tests. After a failed test the function jumps to its exit.
  void run(llvm::Function& function, const Memory& memory) const;

 private:
  std::string kernel_;
  V checked_, addresses_;
};

}  // namespace weft::compiler
