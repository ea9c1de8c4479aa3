// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/print.cpp: the texts of arrays and of trees with their arrays.
#include "weft/print.h"

#include <fmt/format.h>

#include <ostream>

#include "core/text/print_array.h"
#include "tracer/concrete.h"
#include "tracer/trace.h"

namespace weft {
namespace {

void print(const tree::detail::Skeleton& s, FunctionRef<std::string()> leaf, std::string& out) {
  using Form = tree::detail::Skeleton::Form;
  if (s.form == Form::leaf) {
    out += leaf();
    return;
  }
  if (s.form == Form::value || s.form == Form::empty) {
    out += tree::detail::to_string(s);
    return;
  }
  const bool tuple = s.form == Form::tuple, list = s.form == Form::list;
  out += tuple ? "(" : list ? "[" : "{";
  for (size_t i = 0; i < s.children.size(); ++i) {
    if (i) out += ", ";
    if (s.form == Form::map) out += fmt::format("'{}': ", s.names[i]);
    if (s.form == Form::record) out += s.names[i] + ": ";
    print(s.children[i], leaf, out);
  }
  if (tuple && s.children.size() == 1) out += ",";
  out += tuple ? ")" : list ? "]" : "}";
}

}  // namespace

std::ostream& detail::write(std::ostream& o, std::string_view text) { return o << text; }

std::string detail::tree_text(const tree::detail::Skeleton& s, const Arrays& leaves) {
  const Array* next = leaves.data();
  return tree_text(s, [&] { return to_string(*next++); });
}
std::string detail::tree_text(const tree::detail::Skeleton& s, FunctionRef<std::string()> leaf) {
  std::string out;
  print(s, leaf, out);
  return out;
}

std::string to_string(const Array& x) {
  if (x.empty_handle()) return "Array()";
  const Concrete* c = concrete_or_null(x);
  if (c) return array_repr(c->data(), x.dtype(), x.shape());
  const auto& t = static_cast<const Tracer&>(x.node());
  return fmt::format("traced array {} ({})", to_string(x.type()), t.trace->name());
}
std::string to_string(DType d) { return numpy_name(d); }

std::ostream& operator<<(std::ostream& o, const Array& x) { return o << to_string(x); }

}  // namespace weft
