// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/arrays_file.h: the inputs and outputs of a program as npz files.
#pragma once
#include <string>
#include <vector>

#include "core/ir.h"
#include "interop/npy.h"
#include "weft/array.h"

namespace weft::tools {

Array to_array(const NpyData& d);

// The arrays of a file: in0, in1, …, or by the parameter's name if it has one. Throws FormatError
// with the missing names and the existing ones.
Arrays read_inputs(const std::string& path, size_t n, const std::vector<std::string>& names);
// Converts arrays to the parameter types `want`. Sizes in which `want` and `or_else` differ are
// arbitrary. Types that npz does not have are converted back from those of as_in_file(). Throws
// FormatError if a shape or dtype does not match.
void fit_inputs(const std::string& path, Arrays& x, const Types& want, const Types& or_else);
// The representation of an array in an npz file: bfloat16 is stored as float32, and random keys as
// their two words, uint32[…, 2].
Array as_in_file(const Array& x);
// Writes out0, out1, … in the form of as_in_file().
void write_outputs(const std::string& path, const Arrays& out);

}  // namespace weft::tools
