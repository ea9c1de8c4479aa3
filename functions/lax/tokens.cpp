// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/tokens.cpp: sends and receives. psend permutes its operand immediately and stores
// the result in the token, from which precv reads it.
#include "weft/lax/tokens.h"

#include <fmt/format.h>

#include "functions/kit.h"

namespace weft::lax {
namespace {

// The route as text, such as "'i': 0 to 1, 1 to 2". A send and a receive match if their routes are
// equal.
std::string route_of(const AxisNames& axes, const LanePairs& perm) {
  std::vector<std::string> pairs;
  for (const auto& [from, to] : perm) pairs.push_back(fmt::format("{} to {}", from, to));
  return fmt::format("'{}': {}", fmt::join(axes.names(), "', '"), fmt::join(pairs, ", "));
}
std::string sends_of(const Token& token) {
  if (token.sent.empty()) return "nothing was sent";
  std::vector<std::string> all;
  for (size_t i = 0; i < token.sent.size(); ++i)
    all.push_back(fmt::format("{} over {}", to_string(token.sent[i].type()), token.routes[i]));
  return fmt::format("sent was {}", fmt::join(all, "; "));
}

}  // namespace

Token create_token() { return {}; }

Token psend(const Arg& x, const AxisNames& axes, const LanePairs& perm, Location at) {
  return {{detail::permute("psend", x, axes, perm, at)}, {route_of(axes, perm)}};
}

Array precv(const Token& token, const ShapeDtypeStruct& out_shape, const AxisNames& axes,
            const LanePairs& perm, Location at) {
  const SourceScope s(at);
  detail::need_names("precv", axes, at);
  const std::string route = route_of(axes, perm);
  for (size_t i = 0; i < token.sent.size(); ++i)
    if (token.routes[i] == route && token.sent[i].shape() == out_shape.shape &&
        token.sent[i].dtype() == out_shape.dtype)
      return token.sent[i];
  fn::fail_shape(fmt::format("precv: no psend behind the token has sent {} over {}; {}",
                             to_string(Type{out_shape.dtype, out_shape.shape}), route,
                             sends_of(token)));
}

}  // namespace weft::lax
