// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/placement.h: where the results of an op lie: on which device, and over which operand.
#pragma once
#include "weft/core/jaxpr.h"
#include "weft/runtime/backend.h"
#include "weft/runtime/device.h"
#include "weft/tracer/concrete.h"

namespace weft {

// Where x is computed with, null for the host: the device of those that lie elsewhere, which the
// others follow, or else the default. DeviceError if they lie on several.
detail::Device* elsewhere(const Arrays& x);
// Where that is without operands.
detail::Device* elsewhere();
// While it lives, the host is the default of the ops that this thread evaluates; not of functions
// that were compiled.
class OnHost {
 public:
  OnHost();
  ~OnHost();
  OnHost(const OnHost&) = delete;

 private:
  bool before_;
};
// x in the memory of the device; x itself if it lies there.
Array placed(const Array& x, detail::Device& d);
// A new array on the device, and its memory there.
Array array_on(const Type& t, detail::Device& d, void** memory);
// One run of a program that was compiled for the device.
Arrays run_elsewhere(detail::Device& d, const Jaxpr& j, const Executable& e, const Arrays& x);
// DeviceError if the program, which is to run on d, puts something on another device.
void require_one_device(const Jaxpr& j, const detail::Device& d);

// While it lives, the first op that this thread evaluates may take the memory of x, which the
// caller knows nobody else has a handle of. Under a transform, and for what is no array of memory
// on the host, it does nothing: rules may keep their operands.
class Given {
 public:
  explicit Given(const Array& x);
  ~Given();
  Given(const Given&) = delete;

 private:
  const Node* before_;
};
// The memory of x, if x is given and stands among the operands once; x holds nothing then.
Ref<Buffer> take_given(const Array& x, const Arrays& operands);
// The first operand in memory that may be changed: its own if it is given, else a copy; of type t.
Fresh writable_first(const Type& t, const Arrays& operands);

}  // namespace weft
