// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/gpu_part.h: what the parts of the GPU emitter have in common. A part writes one kind
// of code and holds the state that only this needs. It reaches everything else through its emitter.
#pragma once
#include "jit/emit/emitter_part.h"
#include "jit/emit/gpu/intrinsics.h"

namespace weft::compiler {

class GpuEmitter;

class GpuPart : public EmitterPart<GpuEmitter> {
 protected:
  explicit GpuPart(GpuEmitter& e);

  GpuIntrinsics& gpu_;
};

}  // namespace weft::compiler
