// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/tokens.h: tokens, and a permutation of lanes in two steps, psend and precv.
#pragma once
#include <concepts>
#include <string>

#include "weft/functions/collective.h"
#include "weft/tracer/trees/shape_dtype.h"

namespace weft::lax {

// That something is done before what takes it: what create_token, after_all and psend give. A tree:
// it may be returned, carried and passed as an argument. Effects of a program keep their order
// without one, so that all a token holds is what psend has sent.
struct Token {
  Arrays sent = {};
  std::vector<std::string> routes = {};  // over which lanes, one for each that was sent
};
// A token behind nothing. Source: jax.lax.create_token.
Token create_token();
// A token behind all of these. Source: jax.lax.after_all.
template <std::same_as<Token>... T>
Token after_all(const T&... tokens) {
  Token all;
  for (const Token& t : std::initializer_list<Token>{tokens...}) {
    all.sent.insert(all.sent.end(), t.sent.begin(), t.sent.end());
    all.routes.insert(all.routes.end(), t.routes.begin(), t.routes.end());
  }
  return all;
}
// The first half of ppermute(x, axes, perm): x is sent, and precv with the token, the same axes and
// the same pairs gets it. Errors as of ppermute. Source: jax.lax.psend, which GPUs alone have.
Token psend(const typing::Arg& x, const AxisNames& axes, const typing::LanePairs& perm,
            typing::Location at = typing::Location::here());
// What a psend of these axes and pairs behind the token has sent, of that shape and dtype: x of the
// source, and zeros in lanes that are no destination; of several the first. ShapeError if there is
// none. Source: jax.lax.precv.
//
//     auto f = [](Array x) {
//       return lax::precv(lax::psend(x, "i", {{0, 1}}), {{}, I32}, "i", {{0, 1}});
//     };
//     vmap(f, 0, 0, {.axis_name = "i"})(array({5, 6}))  // array([0, 5], dtype=int32)
Array precv(const Token& token, const ShapeDtypeStruct& out_shape, const AxisNames& axes,
            const typing::LanePairs& perm, typing::Location at = typing::Location::here());

}  // namespace weft::lax
