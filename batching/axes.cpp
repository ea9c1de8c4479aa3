// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/axes.cpp: matches axes with trees, determines the sizes of mapped axes, and reports
// inconsistencies.
#include "weft/vmap/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir.h"
#include "tracer/initialized.h"

namespace weft {

Axes::Axes(std::initializer_list<Axes> l) : kind(Tuple), children(l) {}
Axes::Axes(std::initializer_list<AxisEntry> l) : kind(Map) {
  for (const AxisEntry& e : l) {
    keys.push_back(e.key.name);
    children.push_back(e.axes);
  }
}
Axes::Axes(std::vector<Axes> l) : kind(Tuple), children(std::move(l)) {}
Axes::Axes(const Axes&) = default;
Axes::Axes(Axes&&) noexcept = default;
Axes& Axes::operator=(const Axes&) = default;
Axes& Axes::operator=(Axes&&) noexcept = default;
Axes::~Axes() = default;

std::string to_string(const Axes& a) {
  return detail::text_of(a, [](int64_t axis) { return std::to_string(axis); });
}

namespace detail {

std::string text_of(const Axes& a, FunctionRef<std::string(int64_t)> leaf) {
  if (a.kind == Axes::None) return "none";
  if (a.kind == Axes::Int) return leaf(a.axis);
  std::string s;
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (i) s += ", ";
    if (a.kind == Axes::Map) s += a.keys[i] + ": ";
    s += text_of(a.children[i], leaf);
  }
  if (a.kind == Axes::Map) return "{" + s + "}";
  return "(" + s + (a.children.size() == 1 ? ",)" : ")");
}

namespace {

using tree::detail::Skeleton;

// Matches one specification with one tree.
struct Matcher {
  const PrefixName& name;
  RawAxes out = {};

  [[noreturn]] void mismatch(const std::string& path, const std::string& why) const {
    throw BatchingError(
        fmt::format("{} {} specification must be a tree prefix of the corresponding value: at "
                    "{}, {}. Got {} = {}.",
                    name.caller, name.parameter, path, why, name.parameter, name.text()));
  }

  void fill(const Skeleton& s, std::optional<int64_t> axis) {
    out.insert(out.end(), s.leaves, axis);
  }

  void match(const Axes& a, const Skeleton& s, const std::string& path) {
    if (a.kind == Axes::None) return fill(s, std::nullopt);
    if (a.kind == Axes::Int) return fill(s, a.axis);
    if (s.leaves == 0 && s.form != Skeleton::tuple && s.form != Skeleton::list) return;
    if (a.kind == Axes::Tuple) return match_tuple(a, s, path);
    match_map(a, s, path);
  }

  void match_tuple(const Axes& a, const Skeleton& s, const std::string& path) {
    if (s.form == Skeleton::leaf)
      mismatch(path, fmt::format("the value is an Array, but there are {} for a tuple of {}",
                                 name.entries, a.children.size()));
    if (s.form == Skeleton::map)
      mismatch(path, fmt::format("the value is a map: give its {} by key, {{{{\"key\", …}}, …}}",
                                 name.entries));
    const size_t with_leaves = std::count_if(s.children.begin(), s.children.end(),
                                             [](const Skeleton& k) { return k.leaves > 0; });
    const bool all = a.children.size() == s.children.size();
    if (!all && !(s.form == Skeleton::record && a.children.size() == with_leaves))
      mismatch(path, fmt::format("the value has {} entries, but there are {} for {}",
                                 s.children.size(), name.entries, a.children.size()));
    size_t next = 0;
    for (size_t i = 0; i < s.children.size(); ++i)
      if (all || s.children[i].leaves > 0)
        match(a.children[next++], s.children[i], entry(s, i, path));
  }

  void match_map(const Axes& a, const Skeleton& s, const std::string& path) {
    if (s.form != Skeleton::map && s.form != Skeleton::record)
      mismatch(path, fmt::format("the value is {}, but there are axes by name",
                                 s.form == Skeleton::leaf ? "an Array" : to_string(s)));
    for (const std::string& key : a.keys)
      if (std::find(s.names.begin(), s.names.end(), key) == s.names.end())
        mismatch(path, fmt::format("the value has no entry '{}'; there are {}", key,
                                   fmt::join(s.names, ", ")));
    for (size_t i = 0; i < s.children.size(); ++i) {
      const auto it = std::find(a.keys.begin(), a.keys.end(), s.names[i]);
      if (it != a.keys.end())
        match(a.children[it - a.keys.begin()], s.children[i], entry(s, i, path));
      else if (s.children[i].leaves > 0)
        mismatch(path, fmt::format("there is no axis for '{}'; write none for what is not mapped",
                                   s.names[i]));
    }
  }

  static std::string entry(const Skeleton& s, size_t i, const std::string& path) {
    if (s.form == Skeleton::map) return fmt::format("{}['{}']", path, s.names[i]);
    if (s.form == Skeleton::record) return fmt::format("{}.{}", path, s.names[i]);
    return fmt::format("{}[{}]", path, i);
  }
};

// A mapped axis, for the message about inconsistent sizes.
struct Mapped {
  int64_t size;
  std::string text;  // "axis 0 of args[1].w of type f32[3,4]"
};

[[noreturn]] void inconsistent(const std::vector<Mapped>& all, std::optional<int64_t> axis_size) {
  std::vector<int64_t> sizes;
  for (const Mapped& m : all)
    if (std::find(sizes.begin(), sizes.end(), m.size) == sizes.end()) sizes.push_back(m.size);
  const auto count = [&](int64_t n) {
    return std::count_if(all.begin(), all.end(), [&](const Mapped& m) { return m.size == n; });
  };
  std::stable_sort(sizes.begin(), sizes.end(),
                   [&](int64_t a, int64_t b) { return count(a) > count(b); });
  std::string s = "vmap got inconsistent sizes for array axes to be mapped:";
  if (axis_size) s += fmt::format("\n  * the `axis_size` argument was {};", *axis_size);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto n = count(sizes[i]);
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const Mapped& m) { return m.size == sizes[i]; });
    const char* who = i == 0 && sizes.size() > 1 ? "most" : "some";
    s += n == 1 ? fmt::format("\n  * one axis had size {}: {}", sizes[i], first->text)
                : fmt::format("\n  * {} axes ({} of them) had size {}, e.g. {}", who, n, sizes[i],
                              first->text);
    s += i + 1 < sizes.size() ? ";" : ".";
  }
  throw BatchingError(s);
}

int canonical_in_axis(int64_t axis, const Array& x, const std::string& path) {
  const int64_t rank = x.ndim();
  if (axis < -rank || axis >= rank)
    throw BatchingError(fmt::format(
        "vmap was requested to map its argument {} along axis {}, which implies that its rank "
        "should be at least {}, but is "
        "only {} (its shape is {}). Write none in in_axes for an argument that is not mapped.",
        path, axis, axis < 0 ? -axis : axis + 1, rank, to_string(x.shape())));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace

namespace {
// The hint for the error message that arguments without Arrays need an entry, too; empty if there
// are no such arguments.
std::string static_entries(const tree::detail::Skeleton& args) {
  std::vector<std::string> found;
  for (size_t i = 0; i < args.children.size(); ++i)
    if (args.children[i].form == tree::detail::Skeleton::value)
      found.push_back(fmt::format("args[{}]", i));
  if (found.empty()) return {};
  return fmt::format(
      " {} {} static, because the type of the parameter is not an Array: it is not mapped, and "
      "its entry is `none`.",
      fmt::join(found, ", "), found.size() == 1 ? "is" : "are");
}
}  // namespace

RawAxes match_in_axes(const Axes& a, const tree::detail::Skeleton& args) {
  const auto text = [&] { return to_string(a); };
  const PrefixName name{"vmap", "in_axes", "axes", text};
  if (a.kind == Axes::Map) {
    if (args.children.size() != 1)
      throw BatchingError(
          fmt::format("vmap in_axes by name stand for the only argument, but there are {} "
                      "arguments; write {{{}, …}}, one entry an argument",
                      args.children.size(), to_string(a)));
    return match_prefix(a, args.children[0], "args[0]", name);
  }
  if (a.kind == Axes::Tuple && a.children.size() != args.children.size())
    throw BatchingError(fmt::format(
        "vmap in_axes must be an int, none, or a tuple of entries corresponding to the "
        "arguments passed to the function. Got {} entries, {}, for {} arguments.{} The axes of one "
        "tree argument take one more pair of braces.",
        a.children.size(), to_string(a), args.children.size(), static_entries(args)));
  return match_prefix(a, args, "args", name);
}

RawAxes match_out_axes(const Axes& a, const tree::detail::Skeleton& result) {
  const auto text = [&] { return to_string(a); };
  const PrefixName name{"vmap", "out_axes", "axes", text};
  return match_prefix(a, result, "result", name);
}

RawAxes match_prefix(const Axes& a, const tree::detail::Skeleton& tree, const char* root,
                     const PrefixName& name) {
  Matcher m{name};
  const bool braced =
      a.kind == Axes::Tuple && a.children.size() == 1 && tree.form == tree::detail::Skeleton::leaf;
  m.match(braced ? a.children[0] : a, tree, root);
  return m.out;
}

MappedArguments map_arguments(const Axes& in, const Arrays& x, std::optional<int64_t> axis_size,
                              FunctionRef<tree::detail::Skeleton()> args) {
  if (axis_size && *axis_size < 0)
    throw BatchingError(fmt::format("vmap: axis_size must not be negative, got {}", *axis_size));
  RawAxes raw(x.size());
  if (in.kind == Axes::Int)
    std::fill(raw.begin(), raw.end(), in.axis);
  else if (in.kind != Axes::None)
    raw = match_in_axes(in, args());
  detail::require_initialized("vmap", x, args, "args");
  const auto path = [&](size_t i) { return tree::detail::paths(args(), "args")[i]; };
  MappedArguments r;
  r.axis.resize(x.size());
  bool any = false, agree = true;
  if (axis_size) r.size = *axis_size;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!raw[i]) continue;
    const int64_t rank = x[i].ndim();
    const bool ok = *raw[i] >= -rank && *raw[i] < rank;
    r.axis[i] = ok ? static_cast<int>(*raw[i] < 0 ? *raw[i] + rank : *raw[i])
                   : canonical_in_axis(*raw[i], x[i], path(i));
    const int64_t n = x[i].shape()[*r.axis[i]];
    if (!any && !axis_size) r.size = n;
    any = true;
    agree = agree && n == r.size;
  }
  if (!agree) {
    std::vector<Mapped> all;
    for (size_t i = 0; i < x.size(); ++i)
      if (r.axis[i])
        all.push_back({x[i].shape()[*r.axis[i]], fmt::format("axis {} of {} of type {}", *raw[i],
                                                             path(i), to_string(x[i].type()))});
    inconsistent(all, axis_size);
  }
  if (any || axis_size) return r;
  if (x.empty())
    throw BatchingError(
        "vmap wrapped function must be passed at least one argument containing an array or "
        "axis_size must be specified");
  throw BatchingError(
      "vmap must have at least one non-None value in in_axes or axis_size must be specified");
}

}  // namespace detail
}  // namespace weft
