// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/tree.cpp: texts, paths and comparison of trees; trees as vectors.
#include "weft/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "runtime/fork.h"
#include "tracer/base_ops.h"
#include "tracer/types_of.h"
#include "weft/detail/callable.h"
#include "weft/tree/functions.h"

namespace weft::tree::detail {

Skeleton value_skeleton(std::string text) {
  Skeleton s;
  s.form = Skeleton::value;
  s.text = std::move(text);
  s.leaves = 0;
  return s;
}

Skeleton parent_skeleton(Skeleton::Form form, std::vector<Skeleton> children,
                         std::vector<std::string> names) {
  Skeleton s;
  s.form = form;
  s.children = std::move(children);
  s.names = std::move(names);
  s.leaves = 0;
  for (const Skeleton& k : s.children) s.leaves += k.leaves;
  return s;
}

std::string to_string(const Skeleton& s) {
  switch (s.form) {
    case Skeleton::leaf: return "*";
    case Skeleton::value: return s.text;
    case Skeleton::empty: return "none";
    default: break;
  }
  std::string r;
  for (size_t i = 0; i < s.children.size(); ++i) {
    if (i) r += ", ";
    if (s.form == Skeleton::map) r += text_of(s.names[i]) + ": ";
    if (s.form == Skeleton::record) r += s.names[i] + ": ";
    r += to_string(s.children[i]);
  }
  if (s.form == Skeleton::tuple) return "(" + r + (s.children.size() == 1 ? ",)" : ")");
  return s.form == Skeleton::list ? "[" + r + "]" : "{" + r + "}";
}

std::string child_path(const Skeleton& s, size_t i, const std::string& at) {
  if (s.form == Skeleton::map) return fmt::format("{}['{}']", at, s.names[i]);
  if (s.form == Skeleton::record) return at.empty() ? s.names[i] : at + "." + s.names[i];
  return fmt::format("{}[{}]", at, i);
}

namespace {
void collect_paths(const Skeleton& s, const std::string& at, std::vector<std::string>& out) {
  if (s.form == Skeleton::leaf) out.push_back(at);
  for (size_t i = 0; i < s.children.size(); ++i)
    collect_paths(s.children[i], child_path(s, i, at), out);
}
}  // namespace

std::vector<std::string> paths(const Skeleton& s, const std::string& root) {
  std::vector<std::string> out;
  collect_paths(s, root, out);
  return out;
}

std::vector<std::pair<std::string, std::string>> values(const Skeleton& s,
                                                        const std::string& root) {
  if (s.form == Skeleton::value) return {{root, s.text}};
  std::vector<std::pair<std::string, std::string>> out;
  for (size_t i = 0; i < s.children.size(); ++i)
    for (auto& v : values(s.children[i], child_path(s, i, root))) out.push_back(std::move(v));
  return out;
}

std::optional<Difference> first_difference(const Skeleton& a, const Skeleton& b,
                                           const std::string& root) {
  const bool same_node = a.form == b.form && a.text == b.text && a.names == b.names &&
                         a.children.size() == b.children.size();
  if (!same_node) return Difference{root, &a, &b};
  for (size_t i = 0; i < a.children.size(); ++i)
    if (auto d = first_difference(a.children[i], b.children[i], child_path(a, i, root))) return d;
  return std::nullopt;
}

std::string difference(const Skeleton& a, const Skeleton& b, const std::string& root) {
  const auto d = first_difference(a, b, root);
  if (!d) return "";
  return fmt::format("{}is {} on one side and {} on the other",
                     d->path.empty() ? "" : d->path + " ", to_string(*d->a), to_string(*d->b));
}

namespace {
struct StaticValue {
  const void* value;
  uint64_t number;
};
}  // namespace

uint64_t static_number(const StaticType& type, const void* x) {
  static auto& guard = *new ForkMutex;
  static auto* known = new std::map<const StaticType*, std::vector<StaticValue>>;
  static uint64_t next = 0;
  const std::lock_guard lock(guard);
  std::vector<StaticValue>& values = (*known)[&type];
  for (const StaticValue& v : values)
    if (type.equal(v.value, x)) return v.number;
  values.push_back({type.copy(x), next});
  return next++;
}

std::string text_of(int64_t x) { return fmt::format("{}", x); }
std::string text_of(uint64_t x) { return fmt::format("{}", x); }
std::string text_of(double x) { return fmt::format("{}", x); }
std::string text_of(const Shape& x) { return weft::to_string(x); }
std::string text_of(const std::string& x) {
  std::string r = "'";
  for (char c : x) {
    if (c == '\'' || c == '\\') r += '\\';
    r += c;
  }
  return r + "'";
}

void wrong_leaf_count(size_t got, size_t want) {
  throw ShapeError(fmt::format("tree::unflatten: got {} arrays for a tree of {}", got, want));
}

void require_structure(const char* who, const Skeleton& a, const Skeleton& b, const char* name_a,
                       const char* name_b) {
  const auto d = first_difference(a, b, "");
  if (!d) return;
  throw ShapeError(
      fmt::format("{}: the trees must have the same structure, but at {} {} has {} and {} has {} "
                  "(* is an Array)",
                  who, d->path.empty() ? "the root" : d->path, name_a, to_string(*d->a), name_b,
                  to_string(*d->b)));
}

void Collect::leaf(const Array& x) { out->push_back(x); }

Raveled ravel_leaves(const Arrays& x) {
  Raveled r;
  if (x.empty()) {
    r.vector = base::zeros(Type(F32, {0}));
    return r;
  }
  r.types = types_of(x);
  const Promoted common = common_type(r.types);
  Arrays flat;
  for (const Array& a : x)
    flat.push_back(base::convert(base::reshape(a, {a.size()}), common.dtype));
  r.vector = flat.size() == 1 ? flat[0] : base::concatenate(flat, 0);
  return r;
}

Arrays unravel_leaves(const Array& vector, const Types& types) {
  const int64_t want = elements_of(types);
  if (vector.shape() != Shape{want})
    throw ShapeError(fmt::format("unravel: expected a vector of {} elements, got {}", want,
                                 weft::to_string(vector.type())));
  Arrays out;
  int64_t at = 0;
  for (const Type& t : types) {
    const Array part = base::slice_axis(vector, 0, at, at + t.elements());
    out.push_back(base::convert(base::reshape(part, t.shape()), t.dtype()));
    at += t.elements();
  }
  return out;
}

}  // namespace weft::tree::detail

namespace weft::tree {

bool Mask::operator[](Subscript i) const {
  if (i.n >= 0 && i.n < static_cast<int64_t>(bits_.size())) return bits_[i.n];
  const SourceScope source(i.at);
  throw IndexError(fmt::format("leaf {} of a Mask of {} leaves", i.n, bits_.size()));
}
Mask::Mask() = default;
Mask::Mask(std::initializer_list<bool> bits) : bits_(bits) {}
Mask::Mask(std::vector<bool> bits) : bits_(std::move(bits)) {}
Mask::Mask(const Mask&) = default;
Mask::Mask(Mask&&) noexcept = default;
Mask& Mask::operator=(const Mask&) = default;
Mask& Mask::operator=(Mask&&) noexcept = default;
Mask::~Mask() = default;
size_t Mask::size() const { return bits_.size(); }
bool Mask::equals(const Mask& other) const { return bits_ == other.bits_; }
bool Mask::any() const { return std::find(bits_.begin(), bits_.end(), true) != bits_.end(); }
bool Mask::all() const { return std::find(bits_.begin(), bits_.end(), false) == bits_.end(); }

const Array& Blocks::operator()(size_t out_leaf, size_t in_leaf, Location at) const {
  const SourceScope source(at);
  if (out_leaf >= blocks.size() || in_leaf >= in.size())
    throw IndexError(fmt::format("block ({}, {}) of a Jacobian of {} by {} leaves", out_leaf,
                                 in_leaf, blocks.size(), in.size()));
  return blocks[out_leaf][in_leaf];
}

const Array& Blocks::operator()(const std::string& out_path, const std::string& in_path,
                                Location at) const {
  const SourceScope source(at);
  const auto find = [](const std::vector<std::string>& names, const std::string& name) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end())
      throw IndexError(
          fmt::format("the Jacobian has no leaf '{}'; there are {}", name, fmt::join(names, ", ")));
    return static_cast<size_t>(it - names.begin());
  };
  return (*this)(find(out, out_path), find(in, in_path));
}

}  // namespace weft::tree

void weft::detail::unidentified_argument() {
  throw CompileError(
      "jit: an argument is a wrapper of a callable that captures; what it captures is not part of "
      "the "
      "key of the compiled program. Let the function capture the wrapper, or pass what it captures "
      "as an argument.");
}

template class weft::detail::FlatResult<weft::Array>;

void weft::detail::KeyWriter::add_beyond(uint64_t w) { more_.push_back(w); }
bool weft::detail::KeyWriter::equals(const KeyWriter& o) const {
  if (size_ != o.size_ || hash_ != o.hash_) return false;
  for (size_t i = 0; i < size_; ++i)
    if ((*this)[i] != o[i]) return false;
  return true;
}
void weft::detail::KeyWriter::add_bytes(const char* p, size_t n) {
  add(n);
  for (size_t i = 0; i < n; i += 8) {
    uint64_t w = 0;
    std::memcpy(&w, p + i, n - i < 8 ? n - i : 8);
    add(w);
  }
}
