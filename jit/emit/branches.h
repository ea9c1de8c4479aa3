// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/branches.h: the Ifs of a nest. It may touch the masks and the values of the nest.
// Another way of running an If is another function here, which emit() chooses.
#pragma once
#include "jit/emit/block_emitter.h"

namespace weft::compiler {

// A condition that is the same for all elements is a scalar branch. Where elements differ, the mask
// narrows, and a side without active elements is skipped. A side that all elements are known to
// take needs no test.
class Branches : EmitterPart<BlockEmitter> {
 public:
  explicit Branches(BlockEmitter& e) : EmitterPart(e) {}

  void emit(nest::Id v);

 private:
  void divergent_if(nest::Id v);
  void unlikely_if(nest::Id v);
};

}  // namespace weft::compiler
