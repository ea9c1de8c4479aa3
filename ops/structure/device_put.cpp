// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/device_put.cpp: the op that moves a value to a device.
#include "weft/device/device_put.h"

#include "ops/kit/kit.h"
#include "tracer/placement.h"
#include "weft/device.h"

namespace weft {
namespace {

struct DevicePut {
  std::string device;
  WEFT_FIELDS(device)
};

Array put(const Array& x, const DevicePut& p);

const Primitive<DevicePut>& device_put_op = define_elementwise([] {
  auto d = elementwise_with<DevicePut, DTypes::any, 1>(
      "device_put", "Returns the operand in the memory of `device`.",
      [](const DevicePut&, auto x) { return x; });
  d.reference = [](const Arrays& x, const DevicePut& p) {
    return Arrays{placed(x[0], detail::find_device(p.device, "device_put"))};
  };
  d.jvp = [](const JvpArgs<DevicePut>& j) { return Arrays{put(j.dx[0], j.params)}; };
  d.transpose = [](const TransposeArgs<DevicePut>& t) { return Arrays{t.ct[0]}; };
  d.simplify = [](const SimplifyArgs<DevicePut>& s) { return Arrays{s.x[0]}; };
  d.result_device = [](const DevicePut& p) { return p.device; };
  d.samples = [] { return nary_samples<DevicePut>(DTypes::any, 1, {"cpu"}); };
  return d;
}());

Array put(const Array& x, const DevicePut& p) { return device_put_op({x}, p); }

}  // namespace

Array base::device_put(const Array& x, const std::string& device) { return put(x, {device}); }

Array device_put(const Arg& x, const std::string& device) {
  const SourceScope s(x.at());
  return put(x, {detail::find_device(device, "device_put").name()});
}

}  // namespace weft
