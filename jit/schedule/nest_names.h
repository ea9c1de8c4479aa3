// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/nest_names.h: lets the files that schedule and emit kernels name the parts of a nest
// without nest::.
#pragma once
#include "core/loops/nest.h"

namespace weft::compiler {

using nest::BlockId;
using nest::Combine;
using nest::Id;
using nest::Inst;
using nest::Kernel;
using nest::Kind;
using nest::no_id;
using nest::Opcode;
using nest::Storage;

}  // namespace weft::compiler
