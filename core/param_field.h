// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/param_field.h: one field of the parameters of an equation, for readers that do not know
// their type.
#pragma once
#include <optional>
#include <string_view>
#include <variant>

#include "weft/core/param.h"

namespace weft {

// Nothing if there is no field of this name, or it is of another type.
template <class T>
std::optional<T> param_field(const AnyParams& p, std::string_view name) {
  for (const ParamField& f : p->fields())
    if (f.name == name)
      if (const T* v = std::get_if<T>(&f.value)) return *v;
  return {};
}

}  // namespace weft
