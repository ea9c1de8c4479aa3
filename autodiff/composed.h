// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/composed.h: derivatives of two ops one behind the other, where those of each by itself
// do not multiply: |z|^2 is smooth at 0, where |z| is not.
#pragma once
#include "weft/core/op.h"

namespace weft {

// The tangent of outer(inner(x)), from x and its tangents (an empty handle is a zero); an empty
// handle if the rule says nothing of these.
using ComposedRule = Array (*)(const Arrays& x, const Arrays& dx);
// For uses of `outer` of which all operands are one value, which `inner` made. `applies`: of which
// parameters of outer (null: all). Returns true, so that it can stand in an initialiser.
bool define_composed(const char* outer, const char* inner, ComposedRule rule,
                     bool (*applies)(const AnyParams&) = nullptr);

// Whether there is a rule in which the op is the inner one.
bool is_inner(const Op& op);
// Null if there is none.
ComposedRule composed_rule(const Op& outer, const AnyParams& params, const Op& inner);

}  // namespace weft
