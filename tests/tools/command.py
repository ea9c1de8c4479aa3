#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/tools/command.py: the weft command from a shell: its output, its exit codes, and files that
# it must refuse. Arguments: the command, and the emulated driver of GPUs.
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

WEFT, FAKE_CUDA = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])

MULTIPLY = """
module @jit_f {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<3xf32>
    %1 = stablehlo.sine %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
"""
JAXPR = "{ lambda ; a:f32[3] b:f32[3]. let c:f32[3] = mul a b; d:f32[3] = sin c in (d,) }"
SCALAR = "{ lambda ; a:f32[] b:f32[]. let c:f32[] = mul a a; d:f32[] = mul c b in (d,) }"
# Folds 7 into a key and returns the result and the first bits of the key. JAX computed the expected
# values for key data (0, 0), (0, 1), (2, 3).
KEYS = ("{ lambda ; a:key<fry>[]. let b:key<fry>[] = random_fold_in a 7:u32[]; "
        "c:u32[] = random_bits[bit_width=32 shape=()] a in (b, c) }")
FOLDED = ((2716826189, 292468403), (954670714, 4016809582), (2254267559, 2123646612))
BITS = (4070199207, 1883912375, 3196973704)
# Counts to a number that no machine reaches.
ENDLESS = """
func.func @main(%arg0: tensor<i64>) -> tensor<i64> {
  %limit = stablehlo.constant dense<9000000000000000000> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.while(%i = %arg0) : tensor<i64>
   cond {
    %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.xor %i, %three : tensor<i64>
    %2 = stablehlo.remainder %1, %three : tensor<i64>
    %3 = stablehlo.add %2, %one : tensor<i64>
    stablehlo.return %3 : tensor<i64>
  }
  return %0 : tensor<i64>
}
"""


def npy(descr, shape, data, header=None):
    text = header or f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def floats(*values):
    return npy("<f4", (len(values),), struct.pack(f"<{len(values)}f", *values))


def words(shape, *values):
    return npy("<u4", shape, struct.pack(f"<{len(values)}I", *values))


def read_npz(path):
    """name -> (descr and shape as written, bytes)"""
    arrays = {}
    with zipfile.ZipFile(path) as z:
        for name in z.namelist():
            raw = z.read(name)
            length = struct.unpack("<H", raw[8:10])[0]
            arrays[name.removesuffix(".npy")] = (eval(raw[10 : 10 + length]), raw[10 + length :])
    return arrays


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("f.mlir", MULTIPLY)
        self.write("f.jaxpr", JAXPR)
        self.write("s.jaxpr", SCALAR)
        self.npz("in.npz", in0=floats(0, 1, 2), in1=floats(3, 0.5, 0.25))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        pathlib.Path(self.path(name)).write_bytes(text if isinstance(text, bytes) else text.encode())

    def npz(self, name, **arrays):
        with zipfile.ZipFile(self.path(name), "w") as z:
            for key, data in arrays.items():
                z.writestr(key + ".npy", data)

    def weft(self, *arguments, code=0, **environment):
        r = subprocess.run([WEFT, *arguments], capture_output=True, text=True, cwd=self.folder.name,
                           timeout=120, check=False, env=dict(os.environ, **environment))
        self.assertEqual(r.returncode, code, f"weft {arguments}\n{r.stdout}\n{r.stderr}")
        return r

    # ---- correct calls

    def test_results_are_printed_as_numpy_prints(self):
        for program in ("f.mlir", "f.jaxpr"):
            out = self.weft("run", program, "--inputs", "in.npz").stdout
            self.assertEqual(out, "out0 f32[3]\n[0.         0.47942555 0.47942555]\n")

    def test_inputs_by_name_and_outputs_in_a_file(self):
        self.npz("named.npz", a=floats(0, 1, 2), b=floats(3, 0.5, 0.25))
        out = self.weft("run", "f.jaxpr", "--inputs", "named.npz", "--out", "out.npz").stdout
        self.assertEqual(out, "")
        header, data = read_npz(self.path("out.npz"))["out0"]
        self.assertEqual((header["descr"], header["shape"]), ("<f4", (3,)))
        self.assertAlmostEqual(struct.unpack("<3f", data)[1], 0.47942555, places=6)
        self.npz("more.npz", in0=floats(0, 1, 2), b=floats(3, 0.5, 0.25), c=floats(1))
        err = self.weft("run", "f.jaxpr", "--inputs", "more.npz", code=3).stderr
        self.assertIn("more.npz: 'c' is not one of the program's 2 inputs, which are called 'in0' or 'a', 'in1' or 'b'", err)
        self.npz("named.npz", arg0=floats(0, 1, 2), arg1=floats(3, 0.5, 0.25))
        self.weft("run", "f.mlir", "--inputs", "named.npz")

    def test_transforms(self):
        self.npz("s.npz", in0=npy("<f4", (), struct.pack("<f", 2)), in1=npy("<f4", (), struct.pack("<f", 5)))
        run = ["run", "s.jaxpr", "--inputs", "s.npz", "--apply"]
        self.assertEqual(self.weft(*run, "grad(f, argnums=(1, 0))").stdout, "out0 f32[]\n4.0\nout1 f32[]\n20.0\n")
        self.npz("m.npz", in0=floats(1, 2, 3, 4), in1=npy("<f4", (), struct.pack("<f", 5)))
        out = self.weft("run", "s.jaxpr", "--inputs", "m.npz", "--apply", "vmap(hessian(f), in_axes=(0, None))")
        self.assertEqual(out.stdout, "out0 f32[4]\n[10. 10. 10. 10.]\n")

    def test_bfloat16_comes_and_goes_as_float32(self):
        self.write("b.jaxpr", "{ lambda ; a:bf16[2]. let b:bf16[2] = mul a a in (b,) }")
        self.npz("b.npz", in0=floats(1.5, 1.00390625))
        self.weft("run", "b.jaxpr", "--inputs", "b.npz", "--out", "out.npz")
        header, data = read_npz(self.path("out.npz"))["out0"]
        self.assertEqual(header["descr"], "<f4")
        self.assertEqual(struct.unpack("<2f", data), (2.25, 1.0))  # 1.00390625 rounds to 1
        self.assertIn("bf16[2]", self.weft("run", "b.jaxpr", "--inputs", "b.npz").stdout)

    def test_random_keys_come_and_go_as_their_two_words(self):
        self.write("k.jaxpr", KEYS)
        self.npz("k.npz", in0=words((2,), 0, 0))
        self.weft("run", "k.jaxpr", "--inputs", "k.npz", "--out", "out.npz")
        out = read_npz(self.path("out.npz"))
        self.assertEqual([(out[n][0]["descr"], out[n][0]["shape"]) for n in ("out0", "out1")],
                         [("<u4", (2,)), ("<u4", ())])
        self.assertEqual(struct.unpack("<2I", out["out0"][1]), FOLDED[0])
        self.assertEqual(struct.unpack("<I", out["out1"][1])[0], BITS[0])
        self.assertEqual(self.weft("run", "k.jaxpr", "--inputs", "k.npz").stdout,
                         "out0 key[]\n[{:>10} {:>10}]\nout1 u32[]\n{}\n".format(*FOLDED[0], BITS[0]))
        # A mapped axis comes before the axis of the words, which is always the last one.
        self.npz("m.npz", a=words((3, 2), 0, 0, 0, 1, 2, 3))
        for apply, axes in (("vmap(f)", 0), ("vmap(f, in_axes=-1)", 0), ("jit(vmap(f, in_axes=0))", 0)):
            self.weft("run", "k.jaxpr", "--inputs", "m.npz", "--apply", apply, "--out", "out.npz")
            out = read_npz(self.path("out.npz"))
            self.assertEqual(out["out0"][0]["shape"], (3, 2))
            self.assertEqual(struct.unpack("<6I", out["out0"][1]), sum(FOLDED, ()))
            self.assertEqual(struct.unpack("<3I", out["out1"][1]), BITS)

    def test_inputs_that_are_no_keys(self):
        self.write("k.jaxpr", KEYS)
        for descr, shape, size in (("<u4", (3,), 12), ("<u4", (), 4), ("<u4", (1, 2), 8), ("<i4", (2,), 8),
                                   ("<u8", (1,), 8), ("<u4", (2, 0), 0), ("<f4", (2,), 8)):
            self.npz("k.npz", in0=npy(descr, shape, bytes(size)))
            err = self.weft("run", "k.jaxpr", "--inputs", "k.npz", code=3).stderr
            self.assertIn("k.npz: input 0 is ", err)
            self.assertIn("but the program takes key[], which the file holds as u32[2]", err)
        for apply, want in (("vmap(f)", "u32[*,2]"), ("vmap(f, axis_size=4)", "u32[4,2]")):
            err = self.weft("run", "k.jaxpr", "--inputs", "k.npz", "--apply", apply, code=3).stderr
            self.assertIn(want, err)
        self.npz("k.npz", in0=npy("<u4", (2,), bytes(8)))
        for apply in ("grad(f)", "jacrev(f)", "hessian(f)"):
            self.weft("run", "k.jaxpr", "--inputs", "k.npz", "--apply", apply, code=1)
        self.write("b.jaxpr", "{ lambda ; a:bf16[2]. let b:bf16[2] = mul a a in (b,) }")
        self.npz("b.npz", in0=npy("<i4", (2,), bytes(8)))
        err = self.weft("run", "b.jaxpr", "--inputs", "b.npz", code=3).stderr
        self.assertIn("input 0 is i32[2], but the program takes bf16[2], which the file holds as f32[2]", err)

    def test_without_inputs_it_says_what_it_takes(self):
        out = self.weft("run", "f.mlir").stdout
        self.assertIn("in0   f32[3]  (or arg0)", out)
        self.assertIn("out0  f32[3]", out)
        r = self.weft("run", "f.mlir", "--apply", "vmap(f, in_axes=(0, None))")
        self.assertIn("in0   f32[8,3]", r.stdout)
        self.assertIn("8 lanes", r.stderr)
        self.write("none.jaxpr", "{ lambda ; . let b:f32[] = sin 0.0:f32[] in (b,) }")
        self.assertEqual(self.weft("run", "none.jaxpr").stdout, "out0 f32[]\n0.0\n")

    def test_every_stage_is_shown_without_running(self):
        for stage, word in (("jaxpr", "lambda"), ("optimized", "lambda"), ("kernels", "f32"),
                            ("llvm", "define"), ("asm", ".text"), ("report", "\n"),
                            ("stablehlo", "builtin.module")):
            self.assertIn(word, self.weft("run", "f.mlir", "--show", stage).stdout)
        r = self.weft("run", "f.jaxpr", "--show", "jaxpr", "--inputs", "in.npz")
        self.assertTrue(r.stdout.startswith("{ lambda"))
        self.assertIn("out0 f32[3]", r.stdout)
        # Output as a jaxpr can be run again.
        self.write("again.jaxpr", self.weft("run", "f.mlir", "--show", "jaxpr", "--apply", "jvp(f)").stdout)
        self.assertIn("in3", self.weft("run", "again.jaxpr").stdout)
        # So can output as StableHLO.
        self.write("again.mlir", self.weft("run", "f.mlir", "--show", "stablehlo", "--apply", "jvp(f)").stdout)
        self.assertIn("in3", self.weft("run", "again.mlir").stdout)

    def test_ptx_is_one_module_and_nothing_else(self):
        out = self.weft("run", "f.mlir", "--apply", "vmap(jacfwd(f))", "--show", "ptx").stdout
        self.assertEqual(out.count(".version"), 1)
        self.assertIn(".entry", out)
        lines = [line for line in out.splitlines() if line and not line.startswith("//")]
        self.assertTrue(lines[0].startswith(".version"), lines[0])

    def test_ptx_needs_no_gpu(self):
        def lines(*arguments, **environment):
            r = self.weft("run", "f.mlir", "--apply", "vmap(f, axis_size=5)", "--show", "ptx", *arguments,
                          **environment)
            return [line for line in r.stdout.splitlines() if line and not line.startswith("//")], r.stderr
        none = {"WEFT_CUDA_LIBRARY": "/nowhere/libcuda.so.1"}
        alone, note = lines("--device", "cuda:0", **none)
        self.assertTrue(alone[0].startswith(".version"), alone[0])
        self.assertIn(".target sm_80", alone)
        self.assertIn("there is no GPU here", note)
        here, note = lines(**none)
        self.assertEqual(here, alone)
        self.assertEqual(note, "")
        for devices in ({"FAKE_CUDA_DEVICES": "0"}, {"FAKE_CUDA_CAPABILITIES": "61,61"}):
            self.assertEqual(lines("--device", "cuda:3", WEFT_CUDA_LIBRARY=FAKE_CUDA, **devices)[0], alone)
        # If there are GPUs, the code is for the one that is named.
        there, note = lines("--device", "cuda:1", WEFT_CUDA_LIBRARY=FAKE_CUDA, FAKE_CUDA_CAPABILITIES="80,90")
        self.assertIn(".target sm_90", there)
        self.assertEqual(note, "")
        # All other options need the device.
        run = ["run", "f.mlir", "--device", "cuda:0"]
        for arguments in (["--show", "report"], ["--show", "kernels"], ["--inputs", "in.npz"],
                          ["--show", "ptx", "--inputs", "in.npz"]):
            err = self.weft(*run, *arguments, code=2, **none).stderr
            self.assertIn("--device: default_device: there is no device 'cuda:0'; this process has: cpu. CUDA: the "
                          "driver's library could not be opened (/nowhere/libcuda.so.1: ", err)
        for device in ("cuda:7", "cuda:x", "cuda:"):
            err = self.weft("run", "f.mlir", "--device", device, "--show", "ptx", code=2,
                            WEFT_CUDA_LIBRARY=FAKE_CUDA).stderr
            self.assertIn(f"there is no device '{device}'; this process has: cpu, cuda:0, cuda:1", err)
            if device != "cuda:7":
                self.weft("run", "f.mlir", "--device", device, "--show", "ptx", code=2, **none)

    def test_programs_run_on_gpus_and_are_shown_for_them(self):
        gpu = {"WEFT_CUDA_LIBRARY": FAKE_CUDA}
        run = ["run", "f.mlir", "--device", "cuda:0"]
        for more in (["--inputs", "in.npz"], ["--inputs", "in.npz", "--apply", "jit(jacrev(f))"]):
            self.assertEqual(self.weft(*run, *more, **gpu).stdout, self.weft("run", "f.mlir", *more).stdout)
        self.weft(*run, "--inputs", "in.npz", "--out", "there.npz", **gpu)
        self.weft("run", "f.mlir", "--inputs", "in.npz", "--out", "here.npz")
        self.assertEqual(read_npz(self.path("there.npz")), read_npz(self.path("here.npz")))
        self.write("b.jaxpr", "{ lambda ; a:bf16[2] k:key<fry>[]. let b:bf16[2] = mul a a; "
                              "c:key<fry>[] = random_fold_in k 7:u32[] in (b, c) }")
        self.npz("b.npz", in0=floats(1.5, 1.00390625), in1=words((2,), 0, 0))
        for out in (["--out", "there.npz"], []):
            b = ["run", "b.jaxpr", "--inputs", "b.npz"]
            printed = "" if out else self.weft(*b).stdout
            self.assertEqual(self.weft(*b, "--device", "cuda:1", *out, **gpu).stdout, printed)
        self.assertEqual(struct.unpack("<2I", read_npz(self.path("there.npz"))["out1"][1]), FOLDED[0])
        for stage, pattern in (("jaxpr", r"^{ lambda"), ("optimized", r"^{ lambda"),
                               ("kernels", r"# 1 block of 256 threads"),
                               ("llvm", r"target triple = \"nvptx64"), ("asm", r"\.target sm_90"),
                               ("ptx", r"\.target sm_90"), ("stablehlo", r"builtin.module"),
                               ("report", r"device: cuda:0 \(.*occupancy 100 %")):
            out = self.weft(*run, "--show", stage, **gpu).stdout
            self.assertRegex(out, re.compile(pattern, re.S))
        r = self.weft(*run, "--inputs", "in.npz", "--time", "--show", "report", **gpu)
        self.assertRegex(r.stderr, r"best of [0-9]+ runs [0-9.]+ ms")

    def test_schedules_are_forced_by_a_file(self):
        shown = self.weft("run", "f.jaxpr", "--show", "kernels").stdout
        entry = shown[shown.index("schedule "):]
        self.write("s.txt", entry.splitlines()[0] + "\nmode scalar\n")
        forced = ["run", "f.jaxpr", "--inputs", "in.npz"]
        self.assertEqual(self.weft(*forced, WEFT_SCHEDULE="s.txt").stdout, self.weft(*forced).stdout)
        shown = self.weft("run", "f.jaxpr", "--show", "kernels", WEFT_SCHEDULE="s.txt").stdout
        self.assertIn("mode scalar\nvector_width 1\n", shown)
        self.write("s.txt", "schedule 0123456789abcdef\nmode scalar\n")
        r = self.weft(*forced, code=1, WEFT_SCHEDULE="s.txt")
        self.assertEqual(r.stderr.count("no kernel is one of these nests: 0123456789abcdef (line 1)"), 1)
        r = self.weft(*forced, code=3, WEFT_SCHEDULE="none.txt")
        self.assertIn("cannot read the file 'none.txt'", r.stderr)

    def test_times(self):
        r = self.weft("run", "f.mlir", "--inputs", "in.npz", "--time")
        self.assertRegex(r.stderr, r"compile [0-9.]+ ms.*best of [0-9]+ runs [0-9.]+ ms")

    def test_info(self):
        out = self.weft("info").stdout
        for word in ("weft", "LLVM", "features", "threads", "cache", "OpenBLAS", "libzip"):
            self.assertRegex(out, rf"(?m)^{word} +\S")

    def test_info_lists_devices(self):
        out = self.weft("info", WEFT_CUDA_LIBRARY=FAKE_CUDA, FAKE_CUDA_CAPABILITIES="90,61").stdout
        self.assertRegex(out, r"(?m)^devices +cpu cuda:0$")
        self.assertRegex(out, r"(?m)^cuda:0 +Emulated GPU 0, sm_90, 1\.0 GiB, 4 multiprocessors, driver of CUDA 12\.4$")
        self.assertRegex(out, r"(?m)^missing +CUDA: device 1 \(Emulated GPU 1\) has compute capability 6\.1, and 7\.5 ")
        out = self.weft("info", WEFT_CUDA_LIBRARY="/nowhere/libcuda.so.1").stdout
        self.assertRegex(out, r"(?m)^devices +cpu$")
        self.assertRegex(out, r"(?m)^missing +CUDA: the driver's library could not be opened \(/nowhere/")
        self.assertNotRegex(self.weft("info", WEFT_CUDA_LIBRARY=FAKE_CUDA).stdout, "(?m)^missing")

    def test_info_lists_libraries_of_gpus(self):
        folder = os.path.join(os.path.dirname(FAKE_CUDA), "fake_libraries")
        out = self.weft("info", WEFT_CUDA_LIBRARY=FAKE_CUDA, WEFT_CUDA_LIBRARIES=folder).stdout
        for name, file in (("cuSOLVER", "libcusolver.so.11"), ("cuBLAS", "libcublas.so.12"),
                           ("cuBLASLt", "libcublasLt.so.12"), ("cuFFT", "libcufft.so.11"),
                           ("cuDNN", "libcudnn.so.9")):
            self.assertRegex(out, rf"(?m)^{name} +12\.3\.1 \({re.escape(folder)}/{file}\)$")
        out = self.weft("info", WEFT_CUDA_LIBRARY=FAKE_CUDA, WEFT_CUDA_LIBRARIES="/nowhere").stdout
        self.assertRegex(out, r"(?m)^cuSOLVER +cuSOLVER is not there: libcusolver\.so\.11 could not be opened in /nowhere ")
        self.assertNotRegex(self.weft("info", WEFT_CUDA_LIBRARY="/nowhere/libcuda.so.1").stdout, "(?m)^cu")

    def test_weft_cpu_reaches_all_code(self):
        out = self.weft("info", WEFT_CPU="x86-64-v2").stdout
        self.assertRegex(out, r"(?m)^processor +x86-64-v2$")
        self.assertRegex(out, r"(?m)^native code +x86-64-v2$")
        r = self.weft("info", code=1, WEFT_CPU="8086")
        self.assertIn("choose x86-64-v2, x86-64-v3, x86-64-v4 or native", r.stderr)

    def test_help(self):
        for arguments in (["--help"], ["run", "--help"], ["conformance", "--help"], ["info", "--help"]):
            self.assertIn("Usage", self.weft(*arguments).stdout)
        self.assertRegex(self.weft("--version").stdout, r"weft \d+\.\d+\.\d+")

    # ---- wrong usage: 2

    def test_wrong_usage(self):
        for arguments in ([], ["nope"], ["run"], ["run", "f.mlir", "--nope"],
                          ["run", "f.mlir", "--show", "mlir"], ["run", "f.mlir", "--device", "cuda:0"],
                          ["run", "f.mlir", "--out", "x.npz"], ["run", "f.mlir", "--time"],
                          ["conformance", ".", "--jobs", "0"],
                          ["conformance", ".", "--seconds", "0"], ["conformance", ".", "--every", "0"],
                          ["conformance"]):
            self.assertNotEqual(self.weft(*arguments, code=2).stderr, "")

    def test_unknown_commands_are_named(self):
        self.assertIn("no command 'rum'", self.weft("rum", "f.mlir", code=2).stderr)

    def test_mistakes_in_expressions_have_a_caret(self):
        text = "vmap(grad(f), in_axs=0)"
        err = self.weft("run", "f.mlir", "--apply", text, code=2).stderr.rstrip("\n").split("\n")
        self.assertEqual(err[-2:], ["  " + text, "  " + " " * text.index("in_axs") + "^"])
        self.assertIn("in_axes", err[0])
        self.weft("run", "f.mlir", "--apply", "vmap(f, in_axes=(0, 0, 0))", code=2)
        self.weft("run", "f.mlir", "--apply", "(" * 60000, code=2)

    # ---- the program refuses: 1

    def test_errors_of_the_library(self):
        err = self.weft("run", "f.mlir", "--apply", "grad(f)", "--inputs", "in.npz", code=1).stderr
        self.assertIn("only defined for scalar-output", err)

    # ---- files: 3

    def test_files_that_are_wrong(self):
        self.weft("run", "absent.mlir", code=3)
        self.weft("run", ".", code=3)
        self.write("bad.mlir", "func.func @main(")
        self.assertIn("line 1", self.weft("run", "bad.mlir", code=3).stderr)
        self.write("bad.jaxpr", "{ lambda ; a:f32[3]. let b:f32[3] = nope a in (b,) }")
        self.assertIn("nope", self.weft("run", "bad.jaxpr", code=3).stderr)
        self.write("op.mlir", MULTIPLY.replace("sine", "no_such_op"))
        self.assertIn("missing op 'stablehlo.no_such_op'", self.weft("run", "op.mlir", code=3).stderr)
        self.weft("run", "f.mlir", "--inputs", "absent.npz", code=3)
        self.weft("run", "f.mlir", "--inputs", "in.npz", "--out", "no/folder/out.npz", code=3)
        self.weft("conformance", "absent", code=3)
        self.weft("conformance", ".", code=3)

    def test_inputs_that_do_not_fit(self):
        self.npz("one.npz", in0=floats(1, 2, 3))
        self.assertIn("in1", self.weft("run", "f.mlir", "--inputs", "one.npz", code=3).stderr)
        self.npz("shape.npz", in0=floats(1, 2, 3), in1=floats(1, 2))
        err = self.weft("run", "f.mlir", "--inputs", "shape.npz", code=3).stderr
        self.assertIn("input 1 is f32[2], but the program takes f32[3]", err)
        self.npz("dtype.npz", in0=floats(1, 2, 3), in1=npy("<f8", (3,), bytes(24)))
        self.assertIn("f64[3]", self.weft("run", "f.mlir", "--inputs", "dtype.npz", code=3).stderr)
        err = self.weft("run", "f.mlir", "--inputs", "in.npz", "--apply", "vmap(f)", code=3).stderr
        self.assertIn("f32[*,3]", err)

    def test_hostile_npz_files(self):
        good = pathlib.Path(self.path("in.npz")).read_bytes()
        objects = npy("|O", (3,), b"\x80\x04N." * 3)
        huge = npy("<f4", (1 << 40,), b"")
        overflow = npy("<f4", (1 << 62, 1 << 62), b"")
        files = {
            "empty": b"",
            "cut": good[: len(good) // 2],
            "no zip": b"PK" * 100,
            "text": b"hello",
        }
        for name, member in (("pickle", objects), ("huge", huge), ("overflow", overflow), ("no npy", b"x"),
                             ("negative", npy("", (), b"", "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }")),
                             ("deep", npy("", (), b"", "{'descr': " + "(" * 5000)),
                             ("short", floats(1, 2, 3)[:-1])):
            self.npz("h.npz", in0=member, in1=floats(1, 2, 3))
            files[name] = pathlib.Path(self.path("h.npz")).read_bytes()
        with zipfile.ZipFile(self.path("h.npz"), "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("in0.npy", npy("<f4", (3,), bytes(1 << 28)))  # compresses to a thousandth
            z.writestr("in1.npy", objects)
        files["bomb"] = pathlib.Path(self.path("h.npz")).read_bytes()
        for at in range(0, len(good), 19):  # single wrong bytes are refused or harmless
            files[f"byte {at}"] = good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :]
        for name, data in files.items():
            self.write("h.npz", data)
            with self.subTest(name):
                r = subprocess.run([WEFT, "run", "f.jaxpr", "--inputs", "h.npz"], capture_output=True,
                                   text=True, cwd=self.folder.name, timeout=120, check=False)
                self.assertIn(r.returncode, (0, 3) if name.startswith("byte") else (3,), r.stderr)
                if r.returncode:
                    self.assertIn("h.npz", r.stderr)

    # ---- Ctrl-C

    def test_interrupt_ends_a_run(self):
        self.write("endless.mlir", ENDLESS)
        self.npz("start.npz", in0=npy("<i8", (), bytes(8)))
        with subprocess.Popen([WEFT, "run", "endless.mlir", "--inputs", "start.npz"], stderr=subprocess.PIPE,
                              text=True, cwd=self.folder.name) as p:
            time.sleep(3)
            self.assertIsNone(p.poll(), "the program ended by itself")
            p.send_signal(signal.SIGINT)
            err = p.communicate(timeout=30)[1]
        self.assertEqual(p.returncode, 130, err)
        self.assertIn("interrupt", err.lower())

    # ---- conformance

    def suite(self):
        """Three programs, one that Weft lacks an op for; a right result, a wrong one."""
        folder = pathlib.Path(self.path("suite/f"))
        folder.mkdir(parents=True)
        (folder / "mul.mlir").write_text(MULTIPLY)
        (folder / "lacks.mlir").write_text(MULTIPLY.replace("sine", "no_such_op"))
        (folder / "broken.mlir").write_text("func.func @main(")
        (folder / "endless.mlir").write_text(ENDLESS)
        names = (("mul.eval", "mul", "f"), ("mul.wrong", "mul", "f"), ("lacks.eval", "lacks", "f"),
                 ("broken.eval", "broken", "f"), ("mul.expr", "mul", "vmpa(f)"))
        case = ('{{"case": "{0}", "program": "f/{1}.mlir", "apply": "{2}", "inputs": 2, "outputs": 1,'
                ' "rtol": 1e-5, "atol": 1e-6}}')
        cases = [case.format(*n) for n in names]
        cases.append('{"case": "endless.eval", "program": "f/endless.mlir", "apply": "f", "inputs": 1,'
                     ' "outputs": 1, "rtol": 0, "atol": 0}')
        self.write("suite/cases.json", "[" + ",\n".join(cases) + "]")
        arrays = {"endless.eval/in0": npy("<i8", (), bytes(8)), "endless.eval/out0": npy("<i8", (), bytes(8))}
        for name, _, _ in names:
            arrays[name + "/in0"] = floats(0, 1, 2)
            arrays[name + "/in1"] = floats(3, 0.5, 0.25)
            arrays[name + "/out0"] = floats(0, 0.47942555, 0.6 if name == "mul.wrong" else 0.47942555)
        self.npz("suite/data.npz", **arrays)

    def test_conformance(self):
        self.suite()
        out = self.weft("conformance", "suite", "--jobs", "2", "--seconds", "2", code=1).stdout
        self.assertEqual(out.splitlines()[-1], "1 passed, 5 failed")
        for line in ("FAIL  mul.wrong: wrong result: out0: element [2] is 0.47942555, expected 0.6; 1 of 3",
                     "FAIL  lacks.eval: missing op:", "FAIL  broken.eval: parse:", "FAIL  mul.expr: ",
                     "FAIL  endless.eval: time-out: not done after 2 s of the processor or 12 s by the clock"):
            self.assertIn(line, out)
        self.write("known.txt", "# what fails\nmul.wrong wrong result\nlacks.eval\n\nbroken.eval  parse\n"
                                "mul.expr\nmul.eval\n")
        out = self.weft("conformance", "suite", "--known", "known.txt", "--filter", "[!e]*").stdout
        self.assertIn("passes mul.eval", out)
        self.assertIn("known lacks.eval", out)
        self.write("known.txt", "mul.wrong\n")
        self.weft("conformance", "suite", "--known", "known.txt", "--filter", "mul.[ew]*l", code=0)
        self.weft("conformance", "suite", "--known", "known.txt", "--filter", "lacks.*", code=1)
        self.weft("conformance", "suite", "--filter", "nothing*", code=2)
        out = self.weft("conformance", "suite", "--reference", "--filter", "mul.eval").stdout
        self.assertEqual(out.splitlines()[-1], "1 passed, 0 failed")
        out = self.weft("conformance", "suite", "--every", "3", "--filter", "mul.*", code=0).stdout
        self.assertEqual(out.splitlines()[-1], "1 passed, 0 failed")

    def test_conformance_on_a_device(self):
        self.suite()
        out = self.weft("conformance", "suite", "--device", "cpu", "--filter", "mul.eval").stdout
        self.assertEqual(out.splitlines()[-1], "1 passed, 0 failed")
        err = self.weft("conformance", "suite", "--device", "cuda:0", code=2).stderr
        self.assertIn("--device: there is no device 'cuda:0'; this process has: cpu", err)
        err = self.weft("conformance", "suite", "--bits", code=2).stderr
        self.assertIn("--bits compares a device with the host; name one by --device", err)
        err = self.weft("conformance", "suite", "--device", "cuda:0", "--reference", code=2).stderr
        self.assertIn("--reference evaluates on the host", err)

    def test_conformance_with_random_keys(self):
        self.write("keys/k.jaxpr", KEYS)
        self.write("keys/cases.json", "[" + ", ".join(
            f'{{"case": "k.{name}", "program": "k.jaxpr", "apply": "{apply}", "inputs": 1, "outputs": 2,'
            ' "rtol": 0, "atol": 0}' for name, apply in
            (("eval", "f"), ("vmap", "vmap(f)"), ("wrong", "f"), ("shape", "f"), ("input", "f"))) + "]")
        arrays = {}
        for case in ("eval", "wrong", "shape", "input"):
            arrays[f"k.{case}/in0"] = words((2,), 0, 0)
            arrays[f"k.{case}/out0"] = words((2,), *FOLDED[0])
            arrays[f"k.{case}/out1"] = words((), BITS[0])
        arrays["k.vmap/in0"] = words((3, 2), 0, 0, 0, 1, 2, 3)
        arrays["k.vmap/out0"] = words((3, 2), *sum(FOLDED, ()))
        arrays["k.vmap/out1"] = words((3,), *BITS)
        arrays["k.wrong/out0"] = words((2,), *FOLDED[1])
        arrays["k.shape/out0"] = words((1, 2), *FOLDED[0])
        arrays["k.input/in0"] = words((3,), 0, 0, 0)
        self.npz("keys/data.npz", **arrays)
        for how in ([], ["--reference"]):
            out = self.weft("conformance", "keys", *how, code=1).stdout
            self.assertEqual(out.splitlines()[-1], "2 passed, 3 failed")
            for line in ("FAIL  k.wrong: wrong result: out0: element [0] is 2716826189, expected 954670714",
                         "FAIL  k.shape: wrong result: out0: the type is u32[2], expected u32[1,2]",
                         "FAIL  k.input: ", "k.input: input 0 is u32[3], but the program takes key[], which"):
                self.assertIn(line, out)

    def test_conformance_refuses_broken_suites(self):
        self.suite()
        for text in ("", "{}", "[{}]", '[{"case": 1}]', "[" * 1000):
            self.write("suite/cases.json", text)
            self.assertNotEqual(self.weft("conformance", "suite", code=3).stderr, "")

    def test_conformance_of_files_that_check_themselves(self):
        check = """
module {
  func.func public @main() -> tensor<3xf32> {
    %%0 = call @inputs() : () -> tensor<3xf32>
    %%1 = call @expected() : () -> tensor<3xf32>
    %%2 = stablehlo.add %%0, %%0 : tensor<3xf32>
    stablehlo.custom_call @check.expect_%s(%%2, %%1) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return %%2 : tensor<3xf32>
  }
  func.func private @inputs() -> tensor<3xf32> {
    %%0 = stablehlo.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
    return %%0 : tensor<3xf32>
  }
  func.func private @expected() -> tensor<3xf32> {
    %%0 = stablehlo.constant dense<[2.0, %s, 0x7FC00000]> : tensor<3xf32>
    return %%0 : tensor<3xf32>
  }
}
"""
        os.makedirs(self.path("h"))
        self.write("h/good.mlir", check % ("eq", "4.0"))
        self.write("h/near.mlir", check % ("close", "4.000001"))
        self.write("h/almost.mlir", check % ("almost_eq", "4.0005"))
        self.write("h/bad.mlir", check % ("eq", "4.000001"))
        self.write("h/none.mlir", MULTIPLY)
        self.write("h/quant.mlir", "// !quant.uniform<i8:f32>\n" + check % ("eq", "4.0"))
        out = self.weft("conformance", "h", "--stablehlo", code=1).stdout
        self.assertEqual(out.splitlines()[-1], "3 passed, 1 failed, 2 skipped")
        self.assertIn("FAIL  bad.mlir: wrong result: check 1: element [1] is 4.0, expected 4.000001", out)
        self.assertIn("within the numeric rule", out)
        self.assertRegex(out, r"causes: .*checks nothing 1")
        self.write("h/manifest.tsv", "file\tcategory\tgroup\tfamily\n" + "".join(
            f"{name}.mlir\tP0\t{group}\tfam_{name}\n"
            for name, group in (("good", "a"), ("near", "b"), ("almost", "b"), ("bad", "b"))))
        out = self.weft("conformance", "h", "--stablehlo", code=1).stdout
        self.assertRegex(out, r"P0 +3 of 4 +75.0 % +75.0 % +100.0 %")
        self.assertRegex(out, r"b +2 of 3 ")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
