// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/param.h: typed parameters of an equation. One description of their fields provides hashing,
// comparison, printing and parsing.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir.h"
#include "weft/detail/any_params.h"
#include "weft/type.h"

namespace weft {

// A C++ object in an equation that can be neither parsed back nor hashed: a callback, or the rule
// of custom_vmap. It compares by identity.
struct Opaque {
  Ref<const RefCounted> object;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

// The possible types of a field.
using ParamValue =
    std::variant<bool, int64_t, double, std::string, DType, Ints, Bools, Strings,
                 Ref<const JaxprData>, std::vector<Ref<const JaxprData>>, Types, Opaque>;
// The type of a member that is either a program or a C++ object. The member is one field, which has
// the value that is set.
using ProgramOrObject = std::variant<Ref<const JaxprData>, Opaque>;
namespace ir {
struct ParamField {
  const char* name;
  ParamValue value;
};
}  // namespace ir
// The field with this name, for readers that do not know the type of the parameters. The result is
// empty if there is no such field or it has another type.
template <class T>
std::optional<T> param_field(const AnyParams& p, std::string_view name) {
  for (const ParamField& f : p->fields())
    if (f.name == name)
      if (const T* v = std::get_if<T>(&f.value)) return *v;
  return {};
}

size_t hash_of(const ParamValue& v);
// Calls f with the programs that a field holds.
void for_inner(const ParamValue& v, FunctionRef<void(const Ref<const JaxprData>&)> f);

// No parameters.
struct None {
  template <class V>
  void fields(V&&) {}
};

namespace detail {
struct FieldWriter {
  std::vector<ParamField>* out;
  template <class T>
  void operator()(const char* name, T& x) const {
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>)
      out->push_back({name, static_cast<int64_t>(x)});
    else if constexpr (std::is_same_v<T, int>)
      out->push_back({name, static_cast<int64_t>(x)});
    else if constexpr (std::is_same_v<T, ProgramOrObject>)
      std::visit([&](const auto& v) { out->push_back({name, v}); }, x);
    else
      out->push_back({name, x});
  }
};
// Fields that are missing in the text keep their defaults. `ok` becomes false if a given field has
// the wrong type.
struct FieldReader {
  const std::vector<std::pair<std::string, ParamValue>>* in;
  size_t* used;
  bool* ok;
  // Integers and enumerators that do not fit their C++ type are rejected, not truncated.
  template <class T>
  void assign_integer(const ParamValue& value, T& x) const {
    const auto* v = std::get_if<int64_t>(&value);
    if (v && static_cast<int64_t>(static_cast<T>(*v)) == *v)
      x = static_cast<T>(*v);
    else
      *ok = false;
  }
  template <class T>
  void operator()(const char* name, T& x) const {
    for (const auto& [key, value] : *in)
      if (key == name) {
        ++*used;
        if constexpr ((std::is_enum_v<T> && !std::is_same_v<T, DType>) || std::is_same_v<T, int>) {
          assign_integer(value, x);
        } else if constexpr (std::is_same_v<T, ProgramOrObject>) {
          if (const auto* program = std::get_if<Ref<const JaxprData>>(&value))
            x = *program;
          else if (const auto* object = std::get_if<Opaque>(&value))
            x = *object;
          else
            *ok = false;
        } else if (const auto* v = std::get_if<T>(&value)) {
          x = *v;
        } else if constexpr (std::is_same_v<T, Bools> || std::is_same_v<T, Ints> ||
                             std::is_same_v<T, Strings> || std::is_same_v<T, Types> ||
                             std::is_same_v<T, std::vector<Ref<const JaxprData>>>) {
          // "()" is parsed as an empty list of integers, whatever the element type of the list is.
          if (const auto* e = std::get_if<Ints>(&value); e && e->empty())
            x = T{};
          else
            *ok = false;
        } else {
          *ok = false;
        }
      }
  }
};
}  // namespace detail

// P declares its fields once, with WEFT_FIELDS(axes, keepdims).
template <class P>
struct ParamsOf final : ParamsBase {
  P value;
  explicit ParamsOf(P p) : value(std::move(p)) {}
  std::vector<ParamField> fields() const override {
    std::vector<ParamField> out;
    const_cast<P&>(value).fields(detail::FieldWriter{&out});
    return out;
  }
  const std::type_info& type() const override { return typeid(P); }
};

template <class P>
AnyParams make_params(P p) {
  return AnyParams(new ParamsOf<P>(std::move(p)));
}
template <class P>
const P& params_as(const AnyParams& p) {
  return static_cast<const ParamsOf<P>&>(*p).value;
}

#define WEFT_FIELD_1(a) v(#a, a);
#define WEFT_FIELD_2(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_1(__VA_ARGS__)
#define WEFT_FIELD_3(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_2(__VA_ARGS__)
#define WEFT_FIELD_4(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_3(__VA_ARGS__)
#define WEFT_FIELD_5(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_4(__VA_ARGS__)
#define WEFT_FIELD_6(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_5(__VA_ARGS__)
#define WEFT_FIELD_7(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_6(__VA_ARGS__)
#define WEFT_FIELD_8(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_7(__VA_ARGS__)
#define WEFT_FIELD_9(a, ...) \
  v(#a, a);                  \
  WEFT_FIELD_8(__VA_ARGS__)
#define WEFT_FIELD_10(a, ...) \
  v(#a, a);                   \
  WEFT_FIELD_9(__VA_ARGS__)
#define WEFT_FIELD_N(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, N, ...) WEFT_FIELD_##N
#define WEFT_FIELDS(...)                                                  \
  template <class V>                                                      \
  void fields(V&& v) {                                                    \
    WEFT_FIELD_N(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)(__VA_ARGS__) \
  }

}  // namespace weft
