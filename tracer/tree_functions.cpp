// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/tree_functions.cpp: prefixes of trees, trees of trees, stacks of trees.
#include <fmt/format.h>

#include "tracer/base_ops.h"
#include "weft/tree/functions.h"

namespace weft::tree::detail {
namespace {

// "the root" or the path.
std::string place(const std::string& path) { return path.empty() ? "the root" : path; }

void match_prefix(const Skeleton& prefix, const Skeleton& full, const std::string& path,
                  size_t* next, std::vector<size_t>* out) {
  if (prefix.form == Skeleton::leaf) {
    out->insert(out->end(), full.leaves, (*next)++);
    return;
  }
  if (prefix.form != full.form || prefix.text != full.text || prefix.names != full.names ||
      prefix.children.size() != full.children.size())
    throw ShapeError(
        fmt::format("tree::broadcast: the prefix must have the structure of the tree down to its "
                    "Arrays, but at {} it is {} and the tree {}",
                    place(path), to_string(prefix), to_string(full)));
  for (size_t i = 0; i < prefix.children.size(); ++i)
    match_prefix(prefix.children[i], full.children[i], child_path(full, i, path), next, out);
}

// outer with its leaves replaced by inner.
Skeleton composed(const Skeleton& outer, const Skeleton& inner) {
  if (outer.form == Skeleton::leaf) return inner;
  Skeleton s = outer;
  s.leaves = outer.leaves * inner.leaves;
  for (Skeleton& c : s.children) c = composed(c, inner);
  return s;
}

}  // namespace

std::vector<std::pair<std::string, Array>> named_leaves(const std::vector<std::string>& names,
                                                        const Arrays& values) {
  std::vector<std::pair<std::string, Array>> r;
  for (size_t i = 0; i < values.size(); ++i) r.emplace_back(names[i], values[i]);
  return r;
}
void no_leaves(const char* who) {
  throw ShapeError(fmt::format("{}: there are no Arrays, and no initial value", who));
}

std::vector<size_t> prefix_leaves(const Skeleton& prefix, const Skeleton& full) {
  std::vector<size_t> out;
  size_t next = 0;
  match_prefix(prefix, full, "", &next, &out);
  return out;
}

void check_transposed(const Skeleton& outer, const Skeleton& inner, const Skeleton& got) {
  const Skeleton want = composed(outer, inner);
  const std::string d = difference(want, got, "");
  if (!d.empty())
    throw ShapeError(fmt::format(
        "tree::transpose: Mismatch: expected a tree {} of trees {}, got {}: the tree {}",
        to_string(outer), to_string(inner), to_string(got), d));
}

Arrays stack_leaves(const std::vector<Arrays>& trees, const std::vector<std::string>& paths) {
  Arrays out;
  for (size_t k = 0; k < paths.size(); ++k) {
    const Type want = trees[0][k].type().strong();
    Arrays rows;
    for (const Arrays& t : trees) {
      const Type got = t[k].type().strong();
      const std::string text = fmt::format("tree::stack: {} is {} in one tree and {} in another",
                                           place(paths[k]), to_string(want), to_string(got));
      if (got.shape() != want.shape()) throw ShapeError(text);
      if (got != want) throw DTypeError(text + "; convert it with astype()");
      rows.push_back(base::reshape(t[k], want.shape().inserted(0, 1)));
    }
    out.push_back(rows.size() == 1 ? rows[0] : base::concatenate(rows, 0));
  }
  return out;
}

std::vector<Arrays> unstack_leaves(const Arrays& x, const std::vector<std::string>& paths) {
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k].ndim() == 0 || x[0].ndim() == 0 || x[k].shape()[0] != x[0].shape()[0])
      throw ShapeError(
          fmt::format("tree::unstack: all Arrays must have the same leading size: {} is {}, {} is "
                      "{}",
                      place(paths[0]), weft::to_string(x[0].type()), place(paths[k]),
                      weft::to_string(x[k].type())));
  std::vector<Arrays> rows(x[0].shape()[0]);
  for (size_t i = 0; i < rows.size(); ++i)
    for (const Array& a : x) {
      const auto n = static_cast<int64_t>(i);
      rows[i].push_back(base::reshape(base::slice_axis(a, 0, n, n + 1), a.shape().erased(0)));
    }
  return rows;
}

}  // namespace weft::tree::detail
