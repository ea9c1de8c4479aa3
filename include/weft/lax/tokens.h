// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/tokens.h: tokens, and psend and precv, a permutation of lanes in two steps.
#pragma once
#include <concepts>
#include <string>

#include "weft/collective.h"
#include "weft/shape_dtype.h"

namespace weft::lax {

// An ordering token, the result of create_token, after_all and psend. It is a tree, so it may be
// returned, carried and passed as an argument. The effects of a program keep their order without
// tokens; a token only holds the values that psend sent.
struct Token {
  Arrays sent = {};
  std::vector<std::string> routes = {};  // the lanes of the exchange, one entry for each value sent
};
// Returns a token that depends on nothing. Source: jax.lax.create_token.
Token create_token();
// Returns a token that depends on all of these. Source: jax.lax.after_all.
template <std::same_as<Token>... T>
Token after_all(const T&... tokens) {
  Token all;
  for (const Token& t : std::initializer_list<Token>{tokens...}) {
    all.sent.insert(all.sent.end(), t.sent.begin(), t.sent.end());
    all.routes.insert(all.routes.end(), t.routes.begin(), t.routes.end());
  }
  return all;
}
// Starts ppermute(x, axes, perm): sends x, which precv receives with the token, the same axes and
// the same pairs. Errors are those of ppermute. Source: jax.lax.psend, which GPUs alone have.
Token psend(const typing::Arg& x, const AxisNames& axes, const typing::LanePairs& perm,
            typing::Location at = typing::Location::here());
// Receives the value that a psend with these axes and pairs sent through the token; it has the
// given shape and dtype. A lane gets the x of its source, and a lane that is not a destination gets
// zeros. If there are several such values, it receives the first. Raises ShapeError if there is no
// such psend. Source: jax.lax.precv.
//
//     auto f = [](Array x) {
//       return lax::precv(lax::psend(x, "i", {{0, 1}}), {{}, I32}, "i", {{0, 1}});
//     };
//     vmap(f, 0, 0, {.axis_name = "i"})(array({5, 6}))  // array([0, 5], dtype=int32)
Array precv(const Token& token, const ShapeDtypeStruct& out_shape, const AxisNames& axes,
            const typing::LanePairs& perm, typing::Location at = typing::Location::here());

}  // namespace weft::lax
