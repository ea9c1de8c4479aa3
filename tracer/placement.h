// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/placement.h: the memory of an op's results: on which device, and in which operand's
// memory.
#pragma once
#include "runtime/backend.h"
#include "tracer/concrete.h"
#include "weft/detail/jaxpr.h"
#include "weft/device.h"

namespace weft {

// The device of a computation with x, or null for the host. It is the device of the operands that
// are not on the host, else the default. DeviceError if they are on several devices.
detail::Device* elsewhere(const Arrays& x);
// The device of a computation without operands.
detail::Device* elsewhere();
// During its lifetime, the host is the default device for the ops that this thread evaluates.
// Compiled functions ignore it.
class OnHost {
 public:
  OnHost();
  ~OnHost();
  OnHost(const OnHost&) = delete;

 private:
  bool before_;
};
// x in the memory of the device; x itself if it is already there.
Array placed(const Array& x, detail::Device& d);
// A new array on the device, and the address of its memory.
Array array_on(const Type& t, detail::Device& d, void** memory);
// Runs a program that was compiled for the device.
Arrays run_elsewhere(detail::Device& d, const Jaxpr& j, const Executable& e, const Arrays& x);
// DeviceError if the program, which will run on d, puts a value on another device.
void require_one_device(const Jaxpr& j, const detail::Device& d);

// During its lifetime, the first op that this thread evaluates may take the memory of x. The caller
// guarantees that no other handle to x exists. It does nothing under a transform, because rules may
// keep their operands, and for arrays that are not in host memory.
class DonatedOperand {
 public:
  explicit DonatedOperand(const Array& x);
  ~DonatedOperand();
  DonatedOperand(const DonatedOperand&) = delete;

 private:
  const Node* before_;
};
// Takes the memory of x if x is given and occurs once among the operands; x is invalid then.
Ref<Buffer> take_donated(const Array& x, const Arrays& operands);
// Memory of type t with the value of the first operand: its own memory if it is given, else a copy.
Fresh writable_first(const Type& t, const Arrays& operands);

}  // namespace weft
