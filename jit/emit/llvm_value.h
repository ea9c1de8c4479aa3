// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/llvm_value.h: short names of LLVM's values, which all code of jit/emit/ uses.
#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

namespace weft::compiler {

using V = llvm::Value*;
using Vs = llvm::SmallVector<V, 4>;
using Masks = Vs;  // by vector; empty: all elements are active

}  // namespace weft::compiler
