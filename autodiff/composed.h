// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/composed.h: derivatives of compositions of two ops for which the chain rule fails: |z|^2
// is smooth at 0, but |z| is not.
#pragma once
#include "core/op.h"

namespace weft {

// The tangent of outer(inner(x)), from x and its tangents (an empty handle is a zero). The result
// is an empty handle if the rule does not apply to them.
using ComposedRule = Array (*)(const Arrays& x, const Arrays& dx);
// Defines the rule for equations of `outer` whose operands are all the same result of `inner`.
// `applies` restricts the parameters of outer (null: all). Returns true, for use in a static
// initializer.
bool define_composed(const char* outer, const char* inner, ComposedRule rule,
                     bool (*applies)(const AnyParams&) = nullptr);

// Returns true if the op is the inner op of some rule.
bool is_inner(const Op& op);
// Null if there is no rule.
ComposedRule composed_rule(const Op& outer, const AnyParams& params, const Op& inner);

}  // namespace weft
