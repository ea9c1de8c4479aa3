// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/cpu.h: which instructions code may use, and the functions of the library that are
// built for several processors.
#pragma once
#include <optional>
#include <string>

namespace weft::native {

// What x86 calls its levels; older processors, and those of another kind, are `baseline`.
enum class CpuLevel { baseline, v2, v3, v4 };
const char* name_of(CpuLevel l);  // "x86-64-v2"
int vector_lanes(CpuLevel l);     // 32-bit elements of a vector register
// Of the processor; code that runs uses this or less.
CpuLevel processor_level();
// The level that WEFT_CPU names (x86-64-v2, x86-64-v3, x86-64-v4); nothing: native, or "". Raises
// CompileError for another name and for more than there is.
std::optional<CpuLevel> cpu_level_named(const std::string& name, CpuLevel most = processor_level());
// WEFT_CPU; "" if it is not set.
std::string forced_cpu();
// What native functions use: the level that WEFT_CPU names, or all that the processor has.
CpuLevel cpu_level();

// The one of three functions, or tables of them, that suits.
template <class T>
const T& for_cpu(const T& any, const T& v3, const T& v4) {
  const CpuLevel level = cpu_level();
  return level == CpuLevel::v4 ? v4 : level == CpuLevel::v3 ? v3 : any;
}

}  // namespace weft::native

// In front of a function: what it may use. Code inlined into it (gnu::flatten) is built for that,
// too.
#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_FOR_V3 [[gnu::target("avx2,fma")]]
#define WEFT_FOR_V4 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]
#else
#define WEFT_FOR_V3
#define WEFT_FOR_V4
#endif
