#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/tools/speed_laws.py: the command that measures the laws of speed: its output for two small
# programs, its files and its exit codes. Argument: the command.
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

COMMAND = str(pathlib.Path(sys.argv[1]).resolve())
SMALL = ("--random", "0", "--filter", "function/affine", "--filter", "function/sum_squares")
LAWS = ("map", "chunk", "together", "flat", "sizes")
MODULE = """
func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
  %0 = stablehlo.sine %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
BROKEN = re.compile(r"broken (\w+) +\S+ +([\d.]+) \(([\d.]+) to ([\d.]+)\)  .+: .+ [num]s beside .+ [num]s.*")
SUMMARY = re.compile(r"law (\w+) +(\d+) programs measured, (\d+) broken, \d+ with undecided comparisons; "
                     r"(\d+) comparisons, geometric mean (none|[\d.]+)")
LAST = re.compile(r"(\d+) programs, \d+ of them not begun; \d+ s of at most (\d+) s")


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


class SpeedLaws(unittest.TestCase):
    def lines(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_two_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/out.json"
            lines = self.lines(run(*SMALL, "--seconds", "2", "--json", file))
            record = json.loads(pathlib.Path(file).read_text())
        last = LAST.fullmatch(lines[-1])
        self.assertTrue(last, lines[-1])
        self.assertEqual(last.groups(), ("2", "2"))
        summaries = [SUMMARY.fullmatch(line) for line in lines[-6:-1]]
        self.assertTrue(all(summaries), lines)
        self.assertEqual(tuple(s[1] for s in summaries), LAWS)
        broken = [BROKEN.fullmatch(line) for line in lines[:-6]]
        self.assertTrue(all(broken), lines)
        ratios = [float(b[2]) for b in broken]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        self.assertEqual(record["refused"], [])
        self.assertEqual(tuple(record["laws"]), LAWS)
        self.assertEqual(sum(f["broken"] for f in record["findings"]), len(broken))
        for finding in record["findings"]:
            self.assertIn(finding["program"], ("function/affine", "function/sum_squares"))
            self.assertEqual(finding["decided"], finding["pairs"] >= 6)
            if finding["decided"]:
                self.assertLessEqual(finding["low"], finding["ratio"])
                self.assertLessEqual(finding["ratio"], finding["high"])

    def test_chosen_laws(self):
        lines = self.lines(run(*SMALL, "--seconds", "1", "--law", "chunk,map"))
        self.assertEqual([s[1] for s in map(SUMMARY.fullmatch, lines) if s], ["map", "chunk"])

    def test_list(self):
        names = self.lines(run("--list", "--random", "3"))
        self.assertIn("function/mandelbrot", names)
        self.assertEqual(sum(n.startswith("random/") for n in names), 3)
        self.assertEqual(len(names), len(set(names)))

    def test_random(self):
        name = self.lines(run("--list", "--random", "1"))[-1]
        lines = self.lines(run("--random", "1", "--filter", name, "--seconds", "2", "--law", "map"))
        self.assertTrue(LAST.fullmatch(lines[-1]), lines)

    def test_modules(self):
        numpy = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
        header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + numpy.ljust(117).encode() + b"\n"
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder) / "sine"
            module.mkdir()
            (module / "one.mlir").write_text(MODULE)
            (module / "meta.json").write_text('{"apply": "vmap(f, in_axes=(0,))"}')
            with zipfile.ZipFile(module / "in.npz", "w") as z:
                z.writestr("in0.npy", header + bytes(24))
            chosen = ("--random", "0", "--filter", "module/", "--programs", folder)
            self.assertEqual(self.lines(run(*chosen, "--list")), ["module/sine"])
            lines = self.lines(run(*chosen, "--law", "map", "--seconds", "2"))
        self.assertFalse([line for line in lines if line.startswith("refused")], lines)

    def test_refusals(self):
        for wrong in (("--law", "none"), ("--seconds", "0"), ("--programs", "/nowhere"), ("--new",)):
            done = run("--random", "0", *wrong)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertTrue(done.stderr, wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
