// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/named.h: finds functions of linked C libraries by name, so that a new op with a
// usual name needs no line in the tables of exact values.
#pragma once
#include <dlfcn.h>

#include <string>

namespace weft::accuracy {

// Returns the function of C with this name, or null. The caller knows its type.
template <class F>
F function_named(const std::string& name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name.c_str()));
}

}  // namespace weft::accuracy
