// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/base_ops.h: the few ops that interpreters and operators bind. They are declared in this
// low layer and defined in ops/.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft::ir {
class JaxprData;
}

namespace weft::base {

Array add(const Array& a, const Array& b);  // same types
Array zeros(const Type& t);
Array ones(const Type& t);
Array move_axis(const Array& x, int from, int to);
// Axis i of x becomes axis axes[i], and x is repeated along the others, and along axes of size 1.
Array broadcast(const Array& x, const Shape& shape, const std::vector<int64_t>& axes);
Array insert_axis(const Array& x, int axis, int64_t size);  // broadcast along a new axis
Array reduce_sum(const Array& x, const std::vector<int64_t>& axes);
Array reduce_any(const Array& x, const std::vector<int64_t>& axes);
Array convert(const Array& x, DType d, bool weak = false);
Array reshape(const Array& x, const Shape& s);  // sizes as given, no -1
Array slice_axis(const Array& x, int axis, int64_t lo, int64_t hi, int64_t step = 1);
Array concatenate(const Arrays& x, int axis);  // same dtypes
Array flip(const Array& x, int axis);
Array iota(const Type& t, int axis);  // 0, 1, 2, … along one axis
Array stop_gradient(const Array& x);  // identity with zero derivative
Array device_put(const Array& x, const std::string& device);
// A call of a program as one equation (jit under a transform), with the options of jit that apply
// to the call.
Arrays call(const Ref<const JaxprData>& j, const Arrays& x, const std::string& name,
            double time_limit = 0, bool check_nans = false);

}  // namespace weft::base
