// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/implementation.h: named implementations of an op, and the arguments of native code
// (docs/decisions/0017).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir.h"
#include "weft/detail/any_params.h"
#include "weft/detail/jaxpr.h"
#include "weft/type.h"

namespace weft {

// The libraries of a device, by name ("cusolver"). They are detected at the first query.
class Libraries {
 public:
  virtual ~Libraries() = default;
  // The reason why this library cannot be used, as a sentence; "" if it can be used.
  virtual std::string missing(std::string_view library) const = 0;
};

// A call of native code on dense row-major buffers, for ops whose code is not generated (sorts,
// factorizations). The sizes that it requests for operands and results must equal theirs.
struct NativeArgs {
  const std::vector<std::span<const std::byte>>& in_bytes;
  const std::vector<std::span<std::byte>>& out_bytes;
  Libraries* device = nullptr;  // the device that holds the bytes; null for the host
  bool own_operands = false;    // true if it may overwrite them
  // All n elements of an operand or result; InternalError if it has another number of elements.
  template <class T>
  const T* in(size_t operand, int64_t n) const {
    return reinterpret_cast<const T*>(whole(in_bytes.at(operand), n, sizeof(T)));
  }
  template <class T>
  T* out(size_t result, int64_t n) const {
    return reinterpret_cast<T*>(whole(out_bytes.at(result), n, sizeof(T)));
  }

 private:
  template <class Bytes>
  static auto* whole(Bytes bytes, int64_t n, size_t item) {
    require_bytes(static_cast<int64_t>(bytes.size()), n, static_cast<int64_t>(item));
    return bytes.data();
  }
  static void require_bytes(int64_t bytes, int64_t n, int64_t item);
};
using NativeFn = std::function<void(const NativeArgs&)>;

// The generated programs around a library call. The library may have other conventions for rows and
// columns, signs and failures.
struct LayoutAdapters {
  Jaxpr before = {};  // computes the call's operands from the op's; null: they are the op's
  // The types of what the call writes besides its operands. If `after` is null, these are the op's
  // results.
  Types call_results = {};
  Jaxpr after = {};  // computes the op's results from the call's operands and what it writes
};

// A native call. It distributes its work over threads itself.
struct NativeCall {
  NativeFn run;
  std::function<int64_t()> workspace = {};  // peak bytes with the available threads
  // Axis b of operand k is axis axis_map[k][b] of every result. A result element depends only on
  // the operand elements at the same index. -1 means that the call works along the axis. Empty
  // means that nothing is known.
  std::vector<std::vector<int>> axis_map = {};
  // For a call that runs on a device (Implementation::library): the library function that it calls,
  // and the programs of the device around it. Null: no such programs.
  std::string function = {};
  std::function<LayoutAdapters()> adapters = {};
};

// NativeCall::axis_map of a call that works along `axes` of its operands, which have n axes each.
// The call either keeps these axes (sorts) or removes them (reductions).
std::vector<std::vector<int>> axis_map_without(size_t operands, int n, const Ints& axes,
                                               bool removed);

// The properties of the target machine on which a choice may depend.
struct Target {
  bool gpu = false;
  int vector_width = 4;                  // 32-bit elements of a vector register
  const Libraries* libraries = nullptr;  // of the device, if there is one
};

// One use of an op.
template <class P>
struct Use {
  const Types& in;
  const Types& out;
  const P& params;
  Target target = {};
  bool in_loop = false;  // in the body of a loop that each lane can run itself if the body calls no
                         // native code
};

struct Lowering;  // core/loops/lower.h

// The names of the implementations by the op's `lower` and `expand` rules. Entries with these names
// have no `make`; they only say when the rule applies and what it costs.
inline constexpr std::string_view generated = "generated", expanded = "expanded";

template <class P>
struct Implementation {
  std::string name;
  std::function<bool(const Use<P>&)> applies = {};  // {}: always
  // The approximate nanoseconds of one use on one thread. They are for one product or row of a
  // batch, so that the choice does not depend on the batch size. {}: 0.
  std::function<double(const Use<P>&)> cost = {};
  std::function<NativeCall(const Use<P>&)> make = {};
  std::function<Lowering(const Use<P>&)> lower = {};  // lowers to its own nest
  // The device library that `make` calls. The implementation is only for devices that have it. If
  // it is "", `make` calls code of the host.
  std::string library = {};
};
using AnyUse = Use<AnyParams>;
using AnyImplementation = Implementation<AnyParams>;

// The reason why the library that it calls cannot be used; "" if it can, or if it calls no library.
std::string missing_library(const AnyImplementation& i, const Target& target);
// Returns true if the implementation applies and its library is available.
bool is_usable(const AnyImplementation& i, const AnyUse& use);

}  // namespace weft
