// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/effects.cpp: callbacks and debug prints on flat lists of arrays.
#include "weft/effects.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string_view>

#include "core/fork_mutex.h"
#include "core/text/format_text.h"
#include "ops/effects/effects.h"
#include "tracer/concrete.h"

namespace weft::detail {
namespace {

class Callback final : public HostFunction {
 public:
  explicit Callback(FlatCallback f) : f_(std::move(f)) {}
  Arrays call(const Arrays& x) const override { return f_(x); }

 private:
  FlatCallback f_;
};

Types strong_types(const Arrays& x) {
  Types r;
  for (const Array& a : x) r.push_back(a.type().strong());
  return r;
}

using Words = std::vector<uint64_t>;
struct Known {
  ForkMutex guard;
  std::map<Words, Ref<const HostFunction>> functions;
  static Known& instance() {
    static auto* k = new Known;
    return *k;
  }
};
// Returns one host function for each key. It is kept as long as the process runs: functions with
// equal keys have no state, so they are interchangeable.
Ref<const HostFunction> known_function(const KeyWriter& key, const FlatCallback& f) {
  Words words;
  for (size_t i = 0; i < key.size(); ++i) words.push_back(key[i]);
  Known& known = Known::instance();
  const std::lock_guard lock(known.guard);
  Ref<const HostFunction>& found = known.functions[words];
  if (!found) found = make_ref<const Callback>(f);
  return found;
}

// Appends to `all` one field for each leaf of a tree. The leaves are the values from index `leaf`
// on, and each field includes the text before it. `before` is the text before the tree. Returns the
// text after the last leaf.
std::string add_tree(const tree::Skeleton& s, size_t leaf, std::string before,
                     std::vector<TextField>* all) {
  constexpr char mark = '\1';  // marks a leaf
  const std::string text = tree_text(s, [] { return std::string(1, mark); });
  for (char c : text) {
    if (c == mark)
      all->push_back({std::exchange(before, {}), static_cast<int>(leaf++), "!r"});
    else
      before += c;
  }
  return before;
}

// Replaces the field of each tree in the text by one field for each of its leaves.
std::string with_leaves(std::string_view who, const std::string& text,
                        const std::vector<tree::Skeleton>& shapes) {
  std::vector<size_t> first;  // the first leaf of each value
  size_t leaves = 0;
  bool trees = false;
  for (const tree::Skeleton& s : shapes) {
    first.push_back(leaves);
    leaves += s.leaves;
    trees = trees || s.form != tree::Skeleton::leaf;
  }
  if (!trees) return text;
  std::vector<TextField> all;
  std::string behind;
  for (TextField& field : fields_of(who, text, shapes.size())) {
    field.before = std::exchange(behind, {}) + field.before;
    const size_t v = field.value;
    if (field.value < 0 || shapes[v].form == tree::Skeleton::leaf) {
      if (field.value >= 0) field.value = static_cast<int>(first[v]);
      all.push_back(std::move(field));
      continue;
    }
    if (!field.form.empty() && field.form != "!r" && field.form != "!s")
      throw FormatError(fmt::format(
          "{}: '{{{}}}' formats a real number, and value {} is a tree, in the text \"{}\"", who,
          field.form, v, text));
    behind = add_tree(shapes[v], first[v], std::move(field.before), &all);
  }
  return text_of(all);
}

}  // namespace

Array written_number(double x) { return scalar_of(F64, x); }

void print_text(const PlacedText& text, const TextValues& values) {
  const SourceScope source(text.at);
  debug_print_flat(with_leaves("debug_print", text.text, values.shapes), values.leaves);
}

void check_text(const Array& pred, const PlacedText& text, const TextValues& values) {
  const SourceScope source(text.at);
  check_flat(pred, with_leaves("check", text.text, values.shapes), values.leaves);
}

Arrays run_callback(const char* name, const FlatCallback& f, const KeyWriter* key,
                    const Arrays& result_types, const Arrays& x) {
  const Ref<const HostFunction> function =
      key ? known_function(*key, f) : make_ref<const Callback>(f);
  return callback_flat(function, std::string_view(name) == "io_callback",
                       strong_types(result_types), x);
}

void sink(const Arrays& x, Location at) {
  const SourceScope source(at);
  dce_sink_flat(x);
}

Arrays run_custom_call(const PlacedText& name, CustomCall f, const Arrays& result_types,
                       const Arrays& x) {
  const SourceScope source(name.at);
  if (!f)
    throw CompileError(
        fmt::format("custom_call: the function of '{}' is nullptr; give a function pointer, or a "
                    "lambda without captures",
                    name.text));
  return custom_call_flat(name.text, f, strong_types(result_types), x);
}

void raise_other_results(const char* name, const std::string& difference) {
  throw ShapeError(fmt::format("{}: the function returned another tree than result_types has: {}",
                               name, difference));
}

}  // namespace weft::detail
