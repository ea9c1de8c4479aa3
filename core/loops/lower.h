// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/lower.h: what a lowering rule says about its op (Decided 2): one output element as a
// scalar expression of operands at computed indices (pull form), or one of a closed list of
// structured forms.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/core/jaxpr.h"
#include "weft/core/loops/loop_form.h"
#include "weft/core/loops/nest.h"

namespace weft {

// One element of a value inside a loop program. Complex: two reals. Key: its two words. BF16 and
// F16 are F32 values that the narrow type holds.
struct Elem {
  nest::Id re = nest::no_id;
  nest::Id im = nest::no_id;
};
// The components of an element: 1, of complex numbers and keys 2, which lie side by side in memory.
inline int components(DType d) { return is_complex(d) || d == Key ? 2 : 1; }
nest::Storage storage_of(DType d);    // of one component
Elem literal_elem(const Literal& l);  // in the nest being written
Elem select_elem(nest::Id mask, const Elem& a, const Elem& b);
// One I64 value an axis.
using Coords = std::vector<nest::Id>;

// Gives a pull rule the elements of its operands.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual Elem read(int operand, const Coords& at) = 0;
};

// A call of native code on dense row-major buffers, for what is not generated (sorts,
// factorisations). What it takes for its operands and results must be as large as they are.
struct NativeArgs {
  const std::vector<std::span<const std::byte>>& in_bytes;
  const std::vector<std::span<std::byte>>& out_bytes;
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

struct Lowering {
  enum class Form {
    pull,      // `element`
    reduce,    // `element` is the term at a full index; folded over `axes` of `extent`
    contract,  // a dot product: described as a reduction over a space of (batch, lhs free, rhs
               // free, contracted) axes, and by its axes, for libraries
    prefix,    // running fold along axes[0] (reverse: from the end); `element` is the term
    scatter,   // updates are combined into a copy of operand 0 (`target`, `update`)
    loop,      // a while or scan: the jit reads its parameters
    branch,    // a cond
    inlined,   // a call: the body stands for the equation
    opaque,    // `native`, or a call that stays one: `lockstep`
  };
  Form form = Form::pull;
  // Element `at` of output `out` (reduce, prefix: of accumulator `out`, at an index of the term
  // space).
  std::function<Elem(Reader&, int out, const Coords& at)> element;
  // reduce, prefix
  Shape space;  // extents of the term space
  Ints axes;
  std::vector<nest::Combine> combine;  // one an accumulator component (complex sums have two)
  std::function<std::vector<nest::Id>(nest::Builder&)> identity;  // one a component
  std::function<std::vector<Elem>(const std::vector<nest::Id>&)>
      results;  // outputs from the folded components
  bool reverse = false;
  // contract, besides: axes of lhs and rhs, pairwise
  Ints lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  // scatter, and pull forms that can work in place: operands (target, updates, others...); the
  // update at `at` goes to destination(at) if `valid`; duplicates combine in row-major order.
  struct Target {
    Coords index;
    nest::Id valid;
  };
  std::function<Target(Reader&, const Coords& at)> destination;
  std::function<Elem(nest::Builder&, Elem old, Elem update)> merge;
  // loop, branch, inlined
  LoopForm loop;
  // The programs of one step, for loops that do not run inside a lane (jit/run/lockstep_step.cpp):
  // while: {([enter] cond consts, carry) -> (go, [active]), ([active] body consts, carry) -> carry}
  // scan:  {([step, trips] consts, carry, rows) -> carry, rows of results}
  // cond:  the branches; with lanes {(index, [enter]) -> (any, active) of each branch,
  //        then for each branch (active, operands, results so far) -> results}
  // call:  {the body}
  std::function<std::vector<Jaxpr>()> lockstep;
  // opaque
  NativeFn native;
  std::function<int64_t()> workspace;  // bytes that it takes at once on the threads there are
  // Axis b of operand k is axis follows[k][b] of every result, and an element there depends on the
  // elements at the same place alone; -1: the call works along it. Empty: nothing is known.
  std::vector<std::vector<int>> follows;
  std::string name;  // for report()
};

// Lowering::follows of a call that works along `axes` of its operands, of n axes each, and leaves
// them where they are (sorts) or out (reductions).
std::vector<std::vector<int>> follows_but(size_t operands, int n, const Ints& axes, bool removed);

}  // namespace weft
