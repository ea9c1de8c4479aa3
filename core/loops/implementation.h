// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/implementation.h: named ways to run an op, and what native code is called with
// (docs/decisions/0017).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/any_params.h"
#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"
#include "weft/core/type.h"

namespace weft {

// The libraries of a device, by their names ("cusolver"). Which there are is found out when one is
// first asked for.
class Libraries {
 public:
  virtual ~Libraries() = default;
  // Why that one cannot be used, in a sentence; "" if it can.
  virtual std::string missing(std::string_view library) const = 0;
};

// A call of native code on dense row-major buffers, for what is not generated (sorts,
// factorisations). What it takes for its operands and results must be as large as they are.
struct NativeArgs {
  const std::vector<std::span<const std::byte>>& in_bytes;
  const std::vector<std::span<std::byte>>& out_bytes;
  Libraries* device = nullptr;  // where the bytes lie, if that is not the host
  bool own_operands = false;    // whether it may write over them
  // All n elements of an operand or result; InternalError if it has another number.
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

// What is generated around a call of a library, which has its own ideas of rows and columns, signs
// and failures.
struct Around {
  Jaxpr before = {};  // makes the call's operands of the op's; null: they are the op's
  Types makes = {};   // what the call writes besides; unless `after`, the op's results
  Jaxpr after = {};   // makes the op's results of the call's operands, then of what it makes
};

// It shares its work out to threads itself.
struct NativeCall {
  NativeFn run;
  std::function<int64_t()> workspace = {};  // bytes that it takes at once on the threads there are
  // Axis b of operand k is axis axis_map[k][b] of every result, and an element there depends on the
  // elements at the same place alone; -1: the call works along it. Empty: nothing is known.
  std::vector<std::vector<int>> axis_map = {};
  // Of a call that runs on a device (Implementation::library): what it calls, and programs of the
  // device around it. Null: none.
  std::string function = {};
  std::function<Around()> around = {};
};

// NativeCall::axis_map of a call that works along `axes` of its operands, of n axes each, and
// leaves them where they are (sorts) or out (reductions).
std::vector<std::vector<int>> axis_map_without(size_t operands, int n, const Ints& axes,
                                               bool removed);

// What a choice may depend on of the machine that a program is compiled for.
struct Target {
  bool gpu = false;
  int lanes = 4;                         // 32-bit elements of a vector register
  const Libraries* libraries = nullptr;  // of the device, if there is one
};

// One use of an op.
template <class P>
struct Use {
  const Types& in;
  const Types& out;
  const P& params;
  Target target = {};
  bool in_loop = false;  // in a body whose loop the lanes run themselves if nothing in it is called
};

struct Lowering;  // core/loops/lower.h

// Those of the op's `lower` and `expand`: entries of these names have no `make`, and say when the
// rule applies and what it costs, if there is something to say.
inline constexpr std::string_view generated = "generated", expanded = "expanded";

template <class P>
struct Implementation {
  std::string name;
  std::function<bool(const Use<P>&)> applies = {};  // {}: always
  // Nanoseconds, about, of one use on one thread: of one product or row of a batch, so that the
  // choice does not depend on how many there are. {}: 0.
  std::function<double(const Use<P>&)> cost = {};
  std::function<NativeCall(const Use<P>&)> make = {};
  std::function<Lowering(const Use<P>&)> lower = {};  // to a nest of its own
  // The library of the device that `make` calls there: it is for devices that have it. "": `make`
  // calls code of the host.
  std::string library = {};
};
using AnyUse = Use<AnyParams>;
using AnyImplementation = Implementation<AnyParams>;

// Why the library that it calls cannot be used; "" if it can, or it calls none.
std::string missing_library(const AnyImplementation& i, const Target& target);
// It applies, and what it calls is there.
bool is_usable(const AnyImplementation& i, const AnyUse& use);

}  // namespace weft
