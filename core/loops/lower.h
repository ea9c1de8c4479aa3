// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/lower.h: the result of a lowering rule. The pull form gives one output element as a
// scalar expression of operands at computed indices. The other forms are a closed list of
// structured forms.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/loops/implementation.h"
#include "core/loops/loop_signature.h"
#include "core/loops/nest.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// One element of a value inside a loop program. A complex number has two reals, a key has its two
// words. BF16 and F16 elements are F32 values that the narrow type can represent.
struct Elem {
  nest::Id re = nest::no_id;
  nest::Id im = nest::no_id;
};
// The number of components of an element: 2 for complex numbers and keys, else 1. Components are
// adjacent in memory.
inline int components(DType d) { return is_complex(d) || is_key(d) ? 2 : 1; }
nest::Storage storage_of(DType d);    // of one component
Elem literal_elem(const Literal& l);  // in the nest being written
Elem select_elem(nest::Id mask, const Elem& a, const Elem& b);
// One I64 value per axis.
using Coords = std::vector<nest::Id>;

// Gives a pull rule the elements of its operands.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual Elem read(int operand, const Coords& at) = 0;
};

struct Lowering {
  enum class Form {
    pull,      // `element`
    reduce,    // `element` is the term at a full index, folded over `axes` of `extent`
    contract,  // a dot product, as a reduction over a space of (batch, lhs free, rhs free,
               // contracted) axes
    prefix,    // running fold along axes[0] (reverse: from the end); `element` is the term
    scatter,   // updates are combined into a copy of operand 0 (`target`, `update`)
    loop,      // a while or scan: the jit reads its parameters
    branch,    // a cond
    inlined,   // a call: the body replaces the equation
    opaque,    // `native`, or a call that is not inlined: `lockstep`; or not yet expanded
  };
  Form form = Form::pull;
  // Element `at` of output `out`. For reduce and prefix, it is the term of accumulator `out` at an
  // index of the term space. If the combiner is MulAdd, it is the two factors.
  std::function<Elem(Reader&, int out, const Coords& at)> element;
  // reduce, prefix
  Shape space;  // extents of the term space
  Ints axes;
  std::vector<nest::Combine> combine;  // one per accumulator component (complex sums have two);
                                       // MulAdd must be the only one
  std::function<std::vector<nest::Id>(nest::Builder&)> identity;  // one per component
  std::function<std::vector<Elem>(const std::vector<nest::Id>&)>
      results;  // outputs from the folded components
  bool reverse = false;
  // For reduce and contract: true if the terms are combined sequentially, however many there are.
  bool in_order = false;
  bool any_order = false;  // with in_order: any other order is allowed, too
  // For scatter, and for pull forms that can work in place: the operands are (target, updates,
  // others...). The update at `at` goes to destination(at) if `valid`; duplicates combine in
  // row-major order.
  struct Target {
    Coords index;
    nest::Id valid;
  };
  std::function<Target(Reader&, const Coords& at)> destination;
  std::function<Elem(nest::Builder&, Elem old, Elem update)> merge;
  // For forms with a destination, by axis of the updates: true if updates at different indices
  // along it go to different elements.
  std::vector<char> unique_axes;
  // loop, branch, inlined
  LoopForm loop;
  // The programs of one step, for loops that do not run inside a lane (jit/run/lockstep_step.cpp):
  // - while: `{([enter] cond consts, carry) -> (go, [active]),
  //   ([active] body consts, carry) -> carry}`
  // - scan: `{([step, trips] consts, carry, rows) -> carry, rows of results}`
  // - cond: The branches; with lanes `{(index, [enter]) -> (any, active)` of each branch, then for
  //   each branch `(active, operands, results so far) -> results}`
  // - call: `{the body}`
  std::function<std::vector<Jaxpr>()> lockstep;
  // For opaque: the native call of the implementation (core/loops/implementation.h), and its name.
  NativeCall native;
  std::string name;
};

}  // namespace weft
