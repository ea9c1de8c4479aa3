// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cpu.h: the instruction set levels, and the choice between versions of functions
// that are built for several processors.
#pragma once
#include <optional>
#include <string>

namespace weft::native {

// The x86-64 microarchitecture levels; older and non-x86 processors are `baseline`.
enum class CpuLevel { baseline, v2, v3, v4 };
const char* name_of(CpuLevel l);  // "x86-64-v2"
int vector_width(CpuLevel l);     // 32-bit elements of a vector register
// The level of this processor; compiled code never uses more.
CpuLevel processor_level();
// The level that WEFT_CPU names (x86-64-v2, x86-64-v3, x86-64-v4); nothing for "native" or "".
// Throws CompileError for another name and for a level above `most`.
std::optional<CpuLevel> cpu_level_named(const std::string& name, CpuLevel most = processor_level());
// The value of WEFT_CPU; "" if it is not set.
std::string forced_cpu();
// The level that native functions use: the one that WEFT_CPU names, or that of the processor.
CpuLevel cpu_level();

// Chooses among three functions, or tables of functions, by the level.
template <class T>
const T& for_cpu(const T& any, const T& v3, const T& v4) {
  const CpuLevel level = cpu_level();
  return level == CpuLevel::v4 ? v4 : level == CpuLevel::v3 ? v3 : any;
}

}  // namespace weft::native

// Function attributes that enable a level's instructions. They also apply to code that is inlined
// into the function (gnu::flatten).
#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_FOR_V3 [[gnu::target("avx2,fma")]]
#define WEFT_FOR_V4 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]
#else
#define WEFT_FOR_V3
#define WEFT_FOR_V4
#endif
