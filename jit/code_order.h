// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/code_order.h: the order in which the kernels of a program get their code.
#pragma once
#include <cstddef>
#include <vector>

#include "core/loops/nest.h"

namespace weft::compiler {

// The order in which threads take kernels: long ones first, so that none is left when the others
// are done. A kernel that equals another one comes last. It shares the code, for which it would
// wait. Null: a step without a kernel.
std::vector<size_t> code_order(const std::vector<const nest::Kernel*>& kernels);

}  // namespace weft::compiler
