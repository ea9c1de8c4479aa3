// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/orc.h: compiles LLVM IR to machine code in this process.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "jit/schedule/target.h"

namespace llvm {
class Module;
class MemoryBuffer;
class TargetMachine;
}  // namespace llvm

namespace weft::compiler {

// Returns the target machine, created once per thread and target (LLVM's are not thread-safe).
llvm::TargetMachine& machine_for(const TargetInfo& target);
struct Object {
  std::unique_ptr<llvm::MemoryBuffer> code;
  int64_t frame_bytes = 0;  // stack bytes, the maximum over all functions
};
// Runs the few passes that pay off, and the code generator.
Object object_code(llvm::Module& module, const TargetInfo& target);
std::string assembly_code(llvm::Module& module, const TargetInfo& target);

// Calls add(name, address) for each function of the C library that generated code may call. Every
// linker of such code provides them, including that of an emulated GPU.
template <class F>
void for_each_library_function(F&& add) {
  add("fmod", static_cast<double (*)(double, double)>(std::fmod));
  add("fmodf", static_cast<float (*)(float, float)>(std::fmod));
  add("fma", static_cast<double (*)(double, double, double)>(std::fma));
  add("fmaf", static_cast<float (*)(float, float, float)>(std::fma));
  add("memcpy", static_cast<void* (*)(void*, const void*, size_t)>(std::memcpy));
  add("memmove", static_cast<void* (*)(void*, const void*, size_t)>(std::memmove));
  add("memset", static_cast<void* (*)(void*, int, size_t)>(std::memset));
}

// Machine code in memory, freed with its owner.
class Loaded {
 public:
  // Links an object and finds `symbol` in it. No other loaded object may define that symbol.
  Loaded(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& symbol);
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  void* address() const { return address_; }

 private:
  struct Tracker;
  std::unique_ptr<Tracker> tracker_;
  void* address_ = nullptr;
};

}  // namespace weft::compiler
