// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/arrays_file.cpp: finds a program's inputs in an npz file, and writes its outputs.
#include "tools/weft/arrays_file.h"

#include <fmt/format.h>

#include <set>

#include "ops/random/random.h"
#include "tracer/concrete.h"
#include "weft/error.h"

namespace weft::tools {
namespace {

std::string listed(const std::map<std::string, NpyData>& all) {
  std::string s;
  size_t n = 0;
  for (const auto& [name, a] : all) {
    if (++n > 20) return s + ", …";
    s += fmt::format("{}{} {}", s.empty() ? "" : ", ", name, to_string(Type(a.dtype, a.shape)));
  }
  return s.empty() ? "nothing" : s;
}

// "'in0' or 'x', 'in1' or 'y'"
std::string input_names(size_t n, const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < n; ++i) {
    if (i == 20) return s + ", …";
    s += fmt::format("{}'in{}'", i ? ", " : "", i);
    if (i < names.size()) s += fmt::format(" or '{}'", names[i]);
  }
  return s.empty() ? "nothing" : s;
}

// The type that a file has for an array of this type.
Type type_in_file(const Type& t) {
  if (t.dtype() == BF16) return Type(F32, t.shape());
  return is_key(t.dtype()) ? Type(U32, t.shape().inserted(t.ndim(), 2)) : t.strong();
}

// Sizes in which the two types differ are arbitrary.
bool is_open(const Type& want, const Type& or_else, size_t axis) {
  return want.shape().sizes()[axis] != or_else.shape().sizes()[axis];
}
bool fits(const Type& got, const Type& want, const Type& or_else) {
  bool same = got.dtype() == want.dtype() && got.ndim() == want.ndim();
  for (size_t k = 0; same && k < want.shape().size(); ++k)
    same = is_open(want, or_else, k) || got.shape().sizes()[k] == want.shape().sizes()[k];
  return same;
}
std::string open_text(const Type& want, const Type& or_else) {
  std::string sizes;
  for (size_t k = 0; k < want.shape().size(); ++k)
    sizes += (k ? "," : "") +
             (is_open(want, or_else, k) ? "*" : std::to_string(want.shape().sizes()[k]));
  return fmt::format("{}[{}]", short_name(want.dtype()), sizes);
}

}  // namespace

Array to_array(const NpyData& d) { return array_of_bytes(Type(d.dtype, d.shape), d.bytes.data()); }

Arrays read_inputs(const std::string& path, size_t n, const std::vector<std::string>& names) {
  const std::map<std::string, NpyData> all = read_npz(path);
  std::set<std::string> read;
  Arrays x;
  for (size_t i = 0; i < n; ++i) {
    const std::string number = fmt::format("in{}", i);
    auto it = all.find(number);
    if (it == all.end() && i < names.size()) it = all.find(names[i]);
    if (it == all.end())
      throw FormatError(fmt::format(
          "{}: input {} is missing; it is called '{}'{}. The file holds {}.", path, i, number,
          i < names.size() ? fmt::format(" or '{}'", names[i]) : "", listed(all)));
    read.insert(it->first);
    x.push_back(to_array(it->second));
  }
  for (const auto& [name, a] : all)
    if (!read.contains(name))
      throw FormatError(fmt::format(
          "{}: '{}' is not one of the program's {} inputs, which are called {}; leave it out, or "
          "give it the name of one",
          path, name, n, input_names(n, names)));
  return x;
}

void fit_inputs(const std::string& path, Arrays& x, const Types& want, const Types& or_else) {
  for (size_t i = 0; i < x.size(); ++i) {
    const Type held = type_in_file(want[i]), other = type_in_file(or_else[i]);
    if (!fits(x[i].type(), held, other)) {
      std::string s = fmt::format("{}: input {} is {}, but the program takes {}", path, i,
                                  to_string(x[i].type()), open_text(want[i], or_else[i]));
      if (want[i].dtype() != held.dtype())
        s += fmt::format(", which the file holds as {}", open_text(held, other));
      throw FormatError(s);
    }
    if (want[i].dtype() == BF16) x[i] = x[i].astype(BF16);
    if (is_key(want[i].dtype())) x[i] = random_wrap(x[i], want[i].dtype());
  }
}

Array as_in_file(const Array& x) {
  if (x.dtype() == BF16) return x.astype(F32);
  return is_key(x.dtype()) ? random_unwrap(x) : x;
}

void write_outputs(const std::string& path, const Arrays& out) {
  std::map<std::string, NpyData> all;
  for (size_t i = 0; i < out.size(); ++i) {
    const Array x = as_in_file(out[i]);
    const auto* p = static_cast<const std::byte*>(concrete(x).data());
    all[fmt::format("out{}", i)] = {x.dtype(), x.shape(),
                                    std::vector<std::byte>(p, p + x.type().bytes())};
  }
  write_npz(path, all);
}

}  // namespace weft::tools
