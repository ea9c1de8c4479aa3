# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/programs/jax_side.py: runs StableHLO text by XLA, one program after another, for the checks
# of random programs. A request on stdin has the text, the number of arguments and the arguments. An
# answer on stdout has the number of results and the results, or -1 and a message. Numbers are
# little-endian int64. A text follows its length. An array is the text "float32 2 3" and its bytes.
import os
import struct
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = " ".join([
    "--xla_allow_excess_precision=false", "--xla_cpu_multi_thread_eigen=false",
    # These passes change results. Constant folding computes -56 for clz of a negative int8. Code
    # motion moves loops that do not end in front of loops that make no trip. The rewriter to
    # libraries gives other results for a product with a constant array.
    "--xla_disable_hlo_passes=constant_folding,while-loop-invariant-code-motion,"
    "while-loop-expensive-invariant-code-motion,dot-library-rewriter"])

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _jax  # noqa: E402
from jaxlib.cpu import _lapack  # noqa: E402

jax.config.update("jax_enable_x64", True)
_lapack.initialize()  # finds LAPACK, as jax.lax.linalg does before it writes a call
device = jax.devices("cpu")[0]
stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # the output of libraries must not mix with the answers


def read(n):
    data = stdin.read(n)
    if len(data) < n:
        sys.exit(0)
    return data


def read_number():
    return struct.unpack("<q", read(8))[0]


def read_array():
    name, *shape = read(read_number()).decode().split()
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    shape = tuple(int(n) for n in shape)
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(read(count * dtype.itemsize), dtype).reshape(shape)


def text(s):
    return struct.pack("<q", len(s.encode())) + s.encode()


def array(x):
    head = " ".join([x.dtype.name, *map(str, x.shape)])
    return text(head) + np.ascontiguousarray(x).tobytes()


def run(program, arguments):
    executable = device.client.compile_and_load(
        program, _jax.DeviceList((device,)), _jax.CompileOptions())
    results = executable.execute_sharded([jax.device_put(a, device) for a in arguments])
    return [np.asarray(r[0]) for r in results.disassemble_into_single_device_arrays()]


while True:
    program = read(read_number())
    arguments = [read_array() for _ in range(read_number())]
    try:
        results = run(program, arguments)
        answer = struct.pack("<q", len(results)) + b"".join(map(array, results))
    except Exception as e:  # XLA's error for the program is the answer
        answer = struct.pack("<q", -1) + text(str(e))
    stdout.write(answer)
    stdout.flush()
