// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/arrays_file.h: the inputs and outputs of a program as npz files.
#pragma once
#include <string>
#include <vector>

#include "weft/core/ir.h"
#include "weft/interop/npy.h"
#include "weft/tracer/array.h"

namespace weft::tools {

Array to_array(const NpyData& d);

// The arrays of a file: each in0, in1, … or, if there is a name for it, by name. FormatError names
// what is missing and what is there.
Arrays read_inputs(const std::string& path, size_t n, const std::vector<std::string>& names);
// Makes arrays fit parameters of the types `want`, but that sizes in which `want` and `or_else`
// differ are open. What npz does not have comes as as_in_file() makes it. FormatError where a shape
// or dtype is another.
void fit_inputs(const std::string& path, Arrays& x, const Types& want, const Types& or_else);
// What stands in an npz file for an array: bfloat16 is float32 there, and random keys are their two
// words, uint32[…, 2].
Array as_in_file(const Array& x);
// out0, out1, …, as_in_file().
void write_outputs(const std::string& path, const Arrays& out);

}  // namespace weft::tools
