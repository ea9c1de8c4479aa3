// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/sink.cpp: dce_sink: reads values and does nothing else.
#include "ops/effects/effects.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

const Primitive<None>& sink_op = define<None>({
    .name = "dce_sink",
    .doc = "Has no result, but its operands are computed even if nothing else reads them.",
    .type = [](const Types&, const None&) { return Types{}; },
    .reference = [](const Arrays&, const None&) { return Arrays{}; },
    .jvp = [](const JvpArgs<None>&) { return Arrays{}; },
    .batch = [](const BatchArgs<None>& b) { return Batched{b.op.bind(b.x, {}), {}}; },
    .implementations =
        [] {
          return std::vector<Implementation<None>>{{.name = "native", .make = [](const Use<None>&) {
                                                      return NativeCall{[](const NativeArgs&) {}};
                                                    }}};
        },
    .effects = [](const None&) { return Effect::ordered; },
    .samples =
        [] {
          return std::vector<Sample<None>>{{{Type(F32, {3})}, {}},
                                           {{Type(F32, {2}), Type(I32, {})}, {}}};
        },
});

}  // namespace

void dce_sink_flat(const Arrays& values) { sink_op.bind(values, {}); }

}  // namespace weft
