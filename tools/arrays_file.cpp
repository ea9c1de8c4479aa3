// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/arrays_file.cpp: finds a program's inputs in an npz file, and writes its outputs.
#include "weft/tools/arrays_file.h"

#include <fmt/format.h>

#include "weft/core/error.h"
#include "weft/tracer/concrete.h"

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

}  // namespace

Array to_array(const NpyData& d) { return array_of_bytes(Type(d.dtype, d.shape), d.bytes.data()); }

Arrays read_inputs(const std::string& path, size_t n, const std::vector<std::string>& names) {
  const std::map<std::string, NpyData> all = read_npz(path);
  Arrays x;
  for (size_t i = 0; i < n; ++i) {
    const std::string number = fmt::format("in{}", i);
    auto it = all.find(number);
    if (it == all.end() && i < names.size()) it = all.find(names[i]);
    if (it == all.end())
      throw FormatError(fmt::format(
          "{}: input {} is missing; it is called '{}'{}. The file holds {}.", path, i, number,
          i < names.size() ? fmt::format(" or '{}'", names[i]) : "", listed(all)));
    x.push_back(to_array(it->second));
  }
  return x;
}

void fit_inputs(const std::string& path, Arrays& x, const Types& want, const Types& or_else) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (want[i].dtype() == BF16 && x[i].dtype() == F32) x[i] = x[i].astype(BF16);
    const Shape &a = want[i].shape(), &b = or_else[i].shape(), &got = x[i].shape();
    bool fits = x[i].dtype() == want[i].dtype() && got.size() == a.size();
    std::string sizes;
    for (size_t k = 0; k < a.size(); ++k) {
      const bool open = a.sizes()[k] != b.sizes()[k];
      fits = fits && (open || got.sizes()[k] == a.sizes()[k]);
      sizes += fmt::format("{}{}", k ? "," : "", open ? "*" : std::to_string(a.sizes()[k]));
    }
    if (!fits)
      throw FormatError(fmt::format("{}: input {} is {}, but the program takes {}[{}]", path, i,
                                    to_string(x[i].type()), short_name(want[i].dtype()), sizes));
  }
}

void write_outputs(const std::string& path, const Arrays& out) {
  std::map<std::string, NpyData> all;
  for (size_t i = 0; i < out.size(); ++i) {
    const Array x = out[i].dtype() == BF16 ? out[i].astype(F32) : out[i];
    const auto* p = static_cast<const std::byte*>(concrete(x).data());
    all[fmt::format("out{}", i)] = {x.dtype(), x.shape(),
                                    std::vector<std::byte>(p, p + x.type().bytes())};
  }
  write_npz(path, all);
}

}  // namespace weft::tools
