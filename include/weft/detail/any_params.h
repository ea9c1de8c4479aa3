// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/any_params.h: the type-erased parameters of an equation, as jaxprs store
// them. core/param.h describes their fields; public headers do not need it.
#pragma once
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

#include "weft/detail/ref.h"
#include "weft/dtype.h"

namespace weft::ir {

class JaxprData;
struct ParamField;
using Ints = std::vector<int64_t>;
using Bools = std::vector<bool>;
using Strings = std::vector<std::string>;

// The type-erased parameters of an equation.
class ParamsBase : public RefCounted {
 public:
  virtual std::vector<ParamField> fields() const = 0;
  virtual const std::type_info& type() const = 0;
  size_t hash() const;
};
using AnyParams = Ref<const ParamsBase>;
bool equal(const AnyParams& a, const AnyParams& b);

}  // namespace weft::ir
