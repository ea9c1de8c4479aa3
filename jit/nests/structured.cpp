// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/structured.cpp: loops and branches whose contents a C++ function writes.
#include "jit/nests/structured.h"

namespace weft::compiler {

using nest::BlockId, nest::Id, nest::Kind;

std::vector<Kind> kinds_of(const nest::Builder& b, const std::vector<Id>& ids) {
  std::vector<Kind> k;
  for (Id id : ids) k.push_back(b.kind(id));
  return k;
}

std::vector<Id> params_of(const nest::Builder& b, BlockId block, size_t n) {
  std::vector<Id> ids;
  for (size_t k = 0; k < n; ++k) ids.push_back(b.param(block, static_cast<int>(k)));
  return ids;
}

void push(std::vector<Id>* ids, const Elem& e) {
  ids->push_back(e.re);
  if (e.im != nest::no_id) ids->push_back(e.im);
}

namespace {
// Returns the body of a loop over indices.
BlockId loop_body(nest::Builder& b, const std::function<void(Id)>& each) {
  const BlockId body = b.open({Kind::I64});
  each(b.param(body, 0));
  b.yield({});
  b.leave();
  return body;
}
}  // namespace

void sequential_loop(nest::Builder& b, int64_t n, const std::function<void(Id)>& each) {
  const BlockId body = loop_body(b, each);
  b.loop(b.integer(0), b.integer(n), 1, {}, body);
}

void sequential_loops(nest::Builder& b, const std::vector<int64_t>& extents,
                      const std::function<void(const Coords&)>& each) {
  Coords at;
  const std::function<void()> next = [&] {
    if (at.size() == extents.size()) return each(at);
    sequential_loop(b, extents[at.size()], [&](Id i) {
      at.push_back(i);
      next();
      at.pop_back();
    });
  };
  next();
}

void vector_loop(nest::Builder& b, int64_t n, const std::function<void(Id)>& each) {
  const BlockId body = loop_body(b, each);
  b.for_each(b.integer(n), body);
}

std::vector<Id> branch(nest::Builder& b, Id mask, const std::function<std::vector<Id>()>& then,
                       const std::function<std::vector<Id>()>& otherwise) {
  BlockId blocks[2];
  for (int k : {0, 1}) {
    blocks[k] = b.open_branch();
    b.yield(k == 0 ? then() : otherwise());
    b.leave();
  }
  return b.branch(mask, blocks[0], blocks[1]);
}

void if_then(nest::Builder& b, Id mask, const std::function<void()>& then) {
  const std::vector<Id> none;
  branch(b, mask, [&] { return then(), none; }, [&] { return none; });
}

}  // namespace weft::compiler
