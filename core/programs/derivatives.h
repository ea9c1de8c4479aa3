// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/programs/derivatives.h: in which modes a program has a derivative, for whoever may choose
// one.
#pragma once
#include "weft/core/op.h"

namespace weft {

// What all its equations have. Of a function with a rule the rule is asked, not its program; of
// values that no derivative flows through nothing is known here, so less may be said than there is.
Derivatives derivatives_of(const Jaxpr& j);

}  // namespace weft
