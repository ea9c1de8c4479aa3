// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/safetensors.cpp: the .safetensors format, whose JSON header is checked completely.
#include "interop/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "core/ir.h"
#include "weft/error.h"

namespace weft {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

using Json = nlohmann::json;
constexpr size_t max_axes = 64;
constexpr const char* damaged = "the file is damaged or not complete: fetch or write it again";

struct Named {
  const char* name;
  DType dtype;
};
// In the reverse of the order in which the reference writer places types.
constexpr std::array<Named, 14> types = {{{"BOOL", Bool},
                                          {"U8", U8},
                                          {"I8", I8},
                                          {"I16", I16},
                                          {"U16", U16},
                                          {"F16", F16},
                                          {"BF16", BF16},
                                          {"I32", I32},
                                          {"U32", U32},
                                          {"F32", F32},
                                          {"C64", C64},
                                          {"F64", F64},
                                          {"I64", I64},
                                          {"U64", U64}}};
const Named* find(DType d) {
  const auto it = std::find_if(types.begin(), types.end(), [&](auto& t) { return t.dtype == d; });
  return it == types.end() ? nullptr : &*it;
}

using Item = std::pair<const std::string, SafetensorsEntry>;
// Sorts by offset. Arrays without bytes are sorted by name.
bool before(const Item* a, const Item* b) {
  const SafetensorsEntry &e = a->second, &f = b->second;
  return std::tie(e.begin, e.end, a->first) < std::tie(f.begin, f.end, b->first);
}

// Makes text printable for messages, because a file may contain any bytes.
std::string printable(std::string_view s) {
  std::string out;
  for (const char c : s.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  return s.size() > 60 ? out + "..." : out;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, uint64_t data_bytes, const std::string& name)
      : text_(text), data_bytes_(data_bytes), name_(name) {}

  SafetensorsHeader read() {
    const Json root = parse();
    SafetensorsHeader h;
    for (const auto& [key, value] : root.items())
      if (key == "__metadata__")
        read_metadata(value, &h.metadata);
      else
        h.arrays.emplace(key, read_entry(key, value));
    check_places(h.arrays);
    return h;
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& why,
                         const char* what_to_do = damaged) const {
    throw FormatError(fmt::format("{}: {}: {}; {}", name_, where, why, what_to_do));
  }

  // Parses the JSON, with at most three levels and without duplicate names.
  Json parse() const {
    if (!text_.starts_with('{'))
      fail("the header",
           fmt::format("it begins with '{}', not with '{{'", printable(text_.substr(0, 1))),
           "this is not a safetensors file");
    constexpr int deepest = 3;
    std::array<std::set<std::string>, deepest + 2> names;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
      if (depth > deepest) fail("the header", "an entry is nested deeper than the format has it");
      const auto level = static_cast<size_t>(depth);
      if (event == Json::parse_event_t::object_start) names[level + 1].clear();
      if (event == Json::parse_event_t::key && !names[level].insert(value).second)
        fail("the header",
             fmt::format("the name '{}' is there twice", printable(value.get<std::string>())),
             "write the file again with a name for each array");
      return true;
    };
    try {
      return Json::parse(text_, watch);
    } catch (const Json::parse_error& e) {
      fail(fmt::format("byte {} of the header", e.byte), "no JSON stands there");
    } catch (const Json::exception& e) {  // a number that is out of range
      fail("the header", printable(e.what()));
    }
  }

  void read_metadata(const Json& value, std::map<std::string, std::string>* out) const {
    if (value.is_null()) return;  // accepted by the reference reader
    if (!value.is_object()) fail("'__metadata__'", "it is not an object of texts");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string())
        fail("'__metadata__'", fmt::format("the value of '{}' is not a text", printable(key)));
      out->emplace(key, text.get<std::string>());
    }
  }

  const Json& field(const std::string& where, const Json& entry, const char* name) const {
    const auto it = entry.find(name);
    if (it == entry.end()) fail(where, fmt::format("it has no \"{}\"", name));
    return *it;
  }
  uint64_t number(const std::string& where, const Json& x) const {
    if (!x.is_number_unsigned())
      fail(where,
           fmt::format("{} is not a whole number of 0 or more", printable(x.dump(-1, ' ', true))));
    return x.get<uint64_t>();
  }

  DType read_dtype(const std::string& where, const Json& x) const {
    if (!x.is_string()) fail(where, "\"dtype\" is not a text");
    const auto& text = x.get_ref<const std::string&>();
    for (const Named& t : types)
      if (text == t.name) return t.dtype;
    if (text.starts_with("F8") || text.starts_with("F6") || text.starts_with("F4"))
      fail(where, fmt::format("elements of {} are not read", printable(text)),
           "convert the array to BF16 or F16 where the file is made");
    fail(where, fmt::format("there is no element type '{}'", printable(text)));
  }

  Shape read_shape(const std::string& where, const Json& x) const {
    if (!x.is_array()) fail(where, "\"shape\" is not a list");
    if (x.size() > max_axes)
      fail(where, fmt::format("it has {} axes, more than {}", x.size(), max_axes),
           "save it with fewer axes");
    std::vector<int64_t> sizes;
    for (const Json& n : x) {
      const uint64_t size = number(where + ", \"shape\"", n);
      if (size > INT64_MAX) fail(where, fmt::format("the size {} is too big", size));
      sizes.push_back(static_cast<int64_t>(size));
    }
    return Shape(std::move(sizes));
  }

  SafetensorsEntry read_entry(const std::string& name, const Json& x) const {
    const std::string where = "array '" + printable(name) + "'";
    if (!x.is_object()) fail(where, "its entry is not an object");
    SafetensorsEntry e;
    e.dtype = read_dtype(where, field(where, x, "dtype"));
    e.shape = read_shape(where, field(where, x, "shape"));
    const Json& offsets = field(where, x, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2)
      fail(where, "\"data_offsets\" is not a list of two numbers");
    e.begin = number(where + ", \"data_offsets\"", offsets[0]);
    e.end = number(where + ", \"data_offsets\"", offsets[1]);
    if (e.begin > e.end || e.end > data_bytes_)
      fail(where, fmt::format("its bytes are [{}, {}) of {} that follow the header", e.begin, e.end,
                              data_bytes_));
    int64_t bytes = 0;
    try {
      bytes = checked_mul(e.shape.elements(), itemsize(e.dtype));
    } catch (const ShapeError&) {
      fail(where, "its shape " + to_string(e.shape) + " is too big");
    }
    if (static_cast<uint64_t>(bytes) != e.end - e.begin)
      fail(where, fmt::format("{}{} has {} bytes, and its data_offsets span {}",
                              short_name(e.dtype), to_string(e.shape), bytes, e.end - e.begin));
    return e;
  }

  // Checks that the arrays cover all bytes in sequence, without gaps or overlaps.
  void check_places(const std::map<std::string, SafetensorsEntry>& arrays) const {
    std::vector<const Item*> by_place;
    for (const Item& a : arrays) by_place.push_back(&a);
    std::sort(by_place.begin(), by_place.end(), before);
    uint64_t at = 0;
    for (const Item* a : by_place) {
      const std::string where = "array '" + printable(a->first) + "'";
      if (a->second.begin < at)
        fail(where,
             fmt::format("its bytes begin at {}, inside those of the array before, which end "
                         "at {}",
                         a->second.begin, at));
      if (a->second.begin > at)
        fail(where,
             fmt::format("its bytes begin at {}, and those before it end at {}: there is a gap",
                         a->second.begin, at));
      at = a->second.end;
    }
    if (at != data_bytes_)
      fail("the end",
           fmt::format("{} bytes follow the header, and the arrays have {}", data_bytes_, at));
  }

  std::string_view text_;
  uint64_t data_bytes_;
  const std::string& name_;
};

}  // namespace

uint64_t safetensors_header_length(std::string_view prefix, uint64_t file_bytes,
                                   const std::string& name) {
  const auto fail = [&](const std::string& why, const char* what_to_do) {
    throw FormatError(fmt::format("{}: the first 8 bytes: {}; {}", name, why, what_to_do));
  };
  if (prefix.size() < safetensors_prefix) fail("the file has no more", damaged);
  uint64_t length = 0;
  for (size_t i = safetensors_prefix; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(prefix[i]);
  if (length > safetensors_longest_header)
    fail(fmt::format("a header of {} bytes is promised, and the format allows {}", length,
                     safetensors_longest_header),
         "this is not a safetensors file");
  if (length > file_bytes - safetensors_prefix)
    fail(fmt::format("a header of {} bytes is promised, and {} follow", length,
                     file_bytes - safetensors_prefix),
         damaged);
  return length;
}

SafetensorsHeader parse_safetensors_header(std::string_view header, uint64_t data_bytes,
                                           const std::string& name) {
  return HeaderReader(header, data_bytes, name).read();
}

void place_safetensors(std::map<std::string, SafetensorsEntry>* arrays) {
  std::vector<Item*> order;
  for (Item& a : *arrays) {
    const DType d = a.second.dtype;
    if (!find(d))
      throw DTypeError(fmt::format(
          "the safetensors format has no {}, which '{}' is; save {}", short_name(d), a.first,
          is_key(d) ? "random::key_data of it" : "its real and imaginary parts as two arrays"));
    order.push_back(&a);
  }
  std::sort(order.begin(), order.end(), [](const Item* a, const Item* b) {
    const Named *s = find(a->second.dtype), *t = find(b->second.dtype);
    return s != t ? s > t : a->first < b->first;
  });
  uint64_t at = 0;
  for (Item* a : order) {
    a->second.begin = at;
    at += static_cast<uint64_t>(checked_mul(a->second.shape.elements(), itemsize(a->second.dtype)));
    a->second.end = at;
  }
}

std::string format_safetensors_header(const SafetensorsHeader& h) {
  using Ordered = nlohmann::ordered_json;
  Ordered root = Ordered::object();
  try {
    if (!h.metadata.empty()) root["__metadata__"] = h.metadata;
    std::vector<const Item*> order;
    for (const auto& a : h.arrays) order.push_back(&a);
    std::sort(order.begin(), order.end(), before);
    for (const auto* a : order) {
      if (a->first == "__metadata__")
        throw FormatError("safetensors: no array may have the name '__metadata__'; rename it");
      Ordered& e = root[a->first] = Ordered::object();
      e["dtype"] = find(a->second.dtype)->name;
      e["shape"] = a->second.shape.sizes();
      e["data_offsets"] = {a->second.begin, a->second.end};
    }
    std::string text = root.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    if (text.size() > safetensors_longest_header)
      throw FormatError(
          fmt::format("safetensors: the header would have {} bytes, and the format "
                      "allows {}; save fewer arrays or texts in one file",
                      text.size(), safetensors_longest_header));
    std::string prefix;
    for (size_t i = 0; i < safetensors_prefix; ++i)
      prefix += static_cast<char>(text.size() >> 8 * i & 255);
    return prefix + text;
  } catch (const nlohmann::json::exception&) {
    throw FormatError("safetensors: a name or a text of the metadata is not UTF-8; rename it");
  }
}

}  // namespace weft
