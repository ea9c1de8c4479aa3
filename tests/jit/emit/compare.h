// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/compare.h: runs a kernel in the interpreter and compiled, and compares the memory
// bit for bit.
#pragma once
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/loops/combine.h"
#include "core/loops/nest.h"
#include "jit/emit/compile/codegen.h"
#include "jit/schedule/loops.h"
#include "tests/jit/emit/walk_nest.h"

namespace weft::compiler {

using nest::Builder;
using nest::Combine;
using nest::Id;
using nest::Kind;
using nest::Opcode;
using nest::Storage;
using nest::Vector;

inline size_t bytes_of(Storage s) { return static_cast<size_t>(storage_bytes(s)); }

// Memory for the buffers of a kernel, between guards that must stay unchanged.
class Memory {
 public:
  static constexpr size_t guard = 64;
  explicit Memory(const std::vector<std::vector<unsigned char>>& contents) {
    for (const auto& c : contents) {
      held.emplace_back(c.size() + 2 * guard, static_cast<unsigned char>(0xa5));
      if (!c.empty()) std::memcpy(held.back().data() + guard, c.data(), c.size());
    }
    pointers.push_back(&stop);
    for (auto& h : held) pointers.push_back(h.data() + guard);
  }
  void* const* buffers() const { return pointers.data() + 1; }
  template <class T>
  T* data(int buffer) {
    return reinterpret_cast<T*>(held[buffer].data() + guard);
  }
  bool guarded() const {
    for (const auto& h : held)
      for (size_t i = 0; i < guard; ++i)
        if (h[i] != 0xa5 || h[h.size() - 1 - i] != 0xa5) return false;
    return true;
  }
  std::vector<std::vector<unsigned char>> held;
  int32_t stop = 0;

 private:
  std::vector<void*> pointers;
};

template <class T>
std::vector<unsigned char> raw(const std::vector<T>& x) {
  std::vector<unsigned char> out(x.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), x.data(), out.size());
  return out;
}
inline std::vector<unsigned char> zeros(Storage s, size_t n) {
  return std::vector<unsigned char>(n * bytes_of(s));
}

inline bool is_nan(Storage s, const unsigned char* p) {
  uint64_t b = 0;
  std::memcpy(&b, p, bytes_of(s));
  switch (s) {
    case Storage::F32: return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(b)));
    case Storage::F64: return std::isnan(std::bit_cast<double>(b));
    case Storage::F16: return (b & 0x7fff) > 0x7c00;
    case Storage::BF16: return (b & 0x7fff) > 0x7f80;
    default: return false;
  }
}

struct Run {
  std::vector<std::vector<unsigned char>> contents;
  std::vector<int64_t> extents;
  std::vector<int64_t> range;  // empty for rank 0
};

// Returns "" if both leave the same memory, else the first difference. Any NaN equals any other.
inline std::string difference(const nest::Kernel& k, const Run& run,
                              const std::shared_ptr<const Code>& code) {
  Memory walked(run.contents), compiled(run.contents);
  walk_nest(k, walked.buffers(), run.extents.data(), run.range.data());
  // Kernels of the last few tests are kept, so that other sizes need no compilation.
  static std::deque<std::shared_ptr<const Code>> held;
  held.push_back(code);
  if (held.size() > 64) held.pop_front();
  code->run(compiled.buffers(), run.extents.data(), run.range.data());
  if (!compiled.guarded()) return "wrote past a buffer";
  for (size_t b = 0; b < k.buffers.size(); ++b) {
    const Storage s = k.buffers[b].storage;
    const size_t size = bytes_of(s);
    for (size_t i = 0; i < run.contents[b].size(); i += size) {
      const auto* x = walked.held[b].data() + Memory::guard + i;
      const auto* y = compiled.held[b].data() + Memory::guard + i;
      if (std::memcmp(x, y, size) == 0 || (is_nan(s, x) && is_nan(s, y))) continue;
      uint64_t p = 0, q = 0;
      std::memcpy(&p, x, size);
      std::memcpy(&q, y, size);
      return "buffer " + std::to_string(b) + "[" + std::to_string(i / size) + "]: walked " +
             std::to_string(p) + ", compiled " + std::to_string(q) + " (bits)\n" + nest::print(k);
    }
  }
  return "";
}

inline std::string difference(const nest::Kernel& k, const Run& run,
                              const TargetInfo& target = host_target(),
                              const Options& options = {}) {
  return difference(k, run, compile(k, target, options));
}

// Returns the targets that this machine can run, strongest first.
inline std::vector<TargetInfo> targets() {
  std::vector<TargetInfo> out{host_target()};
  for (const char* name : {"x86-64-v3", "x86-64-v2"}) {
    try {
      out.push_back(target_named(name));
    } catch (const std::exception&) {
    }
  }
  return out;
}

inline const std::vector<int64_t> grid_sizes{0, 1, 15, 16, 17, 33, 509};

// Returns bit patterns that have found bugs before: zeros, subnormals, infinities, NaN, extremes,
// and noise.
inline std::vector<unsigned char> patterns(Storage s, size_t n, unsigned seed) {
  std::mt19937_64 g(seed);
  std::vector<unsigned char> out(n * bytes_of(s));
  for (size_t i = 0; i < n; ++i) {
    uint64_t b = g();
    const auto pick = [&](std::initializer_list<uint64_t> special) {
      if (g() % 2) b = special.begin()[g() % special.size()];
    };
    switch (s) {
      case Storage::Bool: b &= 1; break;
      case Storage::I8:
      case Storage::I16:
      case Storage::I32:
      case Storage::I64: {
        const uint64_t top = uint64_t{1} << (8 * bytes_of(s) - 1);
        pick({0, 1, 2, ~uint64_t{0}, top, top - 1, top + 1, 7, 8, 15, 16, 31, 32, 33, 63, 64,
              ~uint64_t{6}});
        break;
      }
      case Storage::F32:
        pick({0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1,          0x80000001,
              0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 0x4f000000, 0xcf000000, 0x5f000000,
              0x7f7fffff, 0x33000000, 0x477ff000, 0x38800000, 0x387fffff, 0x42fe0000});
        break;
      case Storage::F64: {
        const double v[] = {0.0,   -0.0, HUGE_VAL, -HUGE_VAL,     NAN,          5e-324, 1.0,
                            -1.0,  0.5,  2.5,      -2147483648.0, 4294967295.5, 9.3e18, 1.8e19,
                            1e300, 3.0,  -7.0,     127.5,         255.5};
        if (g() % 2)
          b = std::bit_cast<uint64_t>(v[g() % std::size(v)]);
        else if (g() % 2)
          b = std::bit_cast<uint64_t>(
              std::ldexp(static_cast<double>(static_cast<int64_t>(g())), -40));
        break;
      }
      default: break;
    }
    std::memcpy(out.data() + i * bytes_of(s), &b, bytes_of(s));
  }
  return out;
}

}  // namespace weft::compiler
