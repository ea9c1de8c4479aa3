# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/interop/data/make_safetensors.py: writes the *.safetensors files of this folder with the
# package of that name. tests/interop/safetensors_test.cpp knows their content.
#
# Run with safetensors and ml_dtypes: python make_safetensors.py (made with safetensors 0.8.0).
import os

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

os.chdir(os.path.dirname(os.path.abspath(__file__)))
DTYPES = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
          "i32": np.int32, "u32": np.uint32, "f32": np.float32, "c64": np.complex64, "f64": np.float64, "i64": np.int64, "u64": np.uint64}
save_file({name: np.arange(6).reshape(2, 3).astype(d) for name, d in DTYPES.items()}, "all_types.safetensors")
save_file({"scalar": np.array(2.5, np.float32), "empty": np.zeros((2, 0, 3), np.float64), 'layer.0."w"\n\u00e9': np.array([[1, -2], [3, -4]], np.int8)},
          "shapes.safetensors", {"format": "pt"})
save_file({}, "nothing.safetensors")
save_file({"f8": np.array([1, 2], ml_dtypes.float8_e4m3fn)}, "f8.safetensors")
