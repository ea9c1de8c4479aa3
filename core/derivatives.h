// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/derivatives.h: the modes in which a program has a derivative, for callers that
// choose a mode.
#pragma once
#include "core/op.h"

namespace weft {

// The modes that all equations of the program support. For a function with a custom rule, the rule
// counts and not its program. The result is conservative: an equation counts even if no derivative
// flows through its values.
Derivatives derivatives_of(const Jaxpr& j);

}  // namespace weft
