// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/like.cpp: traces functions whose results must match given values.
#include "transforms/like.h"

#include <fmt/format.h>

#include "tracer/base_ops.h"
#include "weft/error.h"

namespace weft::detail {

ClosedJaxpr traced_like(const LikeNames& names, const char* which, const Types& in,
                        const Types& want, FunctionRef<Arrays(const Arrays&, Arrays* aux)> f) {
  return record(
      in,
      [&](const Arrays& x) {
        Arrays aux, y = f(x, &aux);
        if (y.size() != want.size())
          throw ShapeError(fmt::format("{}: {} returns {} arrays, {} has {}", names.who, which,
                                       y.size(), names.root, want.size()));
        for (size_t k = 0; k < y.size(); ++k) {
          if (y[k].weak_type() && y[k].shape() == want[k].shape())
            y[k] = base::convert(y[k], want[k].dtype());
          if (y[k].type().strong() != want[k])
            throw ShapeError(fmt::format(
                "{}: {} must return what is like {}: expected {} for {}, got {}", names.who, which,
                names.root, to_string(want[k]), tree::detail::paths(names.tree(), names.root)[k],
                to_string(y[k].type())));
        }
        y.insert(y.end(), aux.begin(), aux.end());
        return y;
      },
      names.who);
}

Arrays inexact_values(const LikeNames& names, const Arrays& x) {
  Arrays r;
  for (const Array& each : x) {
    if (!is_inexact(each.dtype()))
      throw DTypeError(fmt::format("{}: takes floating-point and complex {}, got {}", names.who,
                                   names.root, to_string(each.type())));
    r.push_back(base::convert(each, each.dtype()));
  }
  return r;
}

}  // namespace weft::detail
