#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/cpp/run.py: builds the peers that this machine can build, runs all programs in turn on
# one processor, and prints a table in Markdown. README.md describes the options.
import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = ROOT / "build/venv/bin/python"
EIGEN = pathlib.Path("/usr/include/eigen3")
CASES = ["ekf", "arm", "camera", "ilqr", "net", "spline"]
PROGRAMS = ["adjust", "mpc", "cloth", "filter"]  # only Weft and hand have them
CHECKED_LANES = 1024
RESULT = re.compile(r"^RESULT (\S+) (\S+) (\S+) first (\S+)$", re.M)


def python_has(module):
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


def install():
    """Makes build/venv, with CasADi, JAX and NumPy."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", PYTHON.parent.parent], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "-q", "casadi", "jax", "numpy"], check=True)


def compile_peer(name, out, *options):
    """Compiles peers/NAME.cpp, unless the program is newer than all sources."""
    program, source = out / name, HERE / "peers" / f"{name}.cpp"
    newest = max(f.stat().st_mtime for f in [*HERE.glob("*.h"), *HERE.glob("peers/*.h"), source])
    if not program.exists() or program.stat().st_mtime < newest:
        print(f"compiling {source.name}", flush=True)
        flags = ["-std=c++20", "-O3", "-march=native", "-DNDEBUG"]
        subprocess.run(["g++", *flags, source, "-o", program, *options], check=True)
    return program


def casadi_options():
    """The compiler's options for the headers and the library of the package from PyPI."""
    code = "import casadi, os; print(os.path.dirname(casadi.__file__))"
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    folder = done.stdout.strip()
    return [f"-I{folder}/include", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lcasadi", "-ldl"]


def build(options):
    """(name, commands, environment) of each peer that is wanted and can run here. The commands are
    those for the cases and for the programs."""
    out = options.out
    found, missing = [], []

    def add(names, there, command, otherwise):
        names = {n: e for n, e in names.items() if not options.peers or n in options.peers}
        if names and there():
            program = command()
            found.extend((name, program, environment) for name, environment in names.items())
        elif names:
            missing.append(f"{', '.join(names)}: {otherwise}")

    add({"weft": {"DTYPE": "64"}, "weft_f32": {"DTYPE": "32"}}, options.weft.exists,
        lambda: ([options.weft], [options.weft.with_name("weft_programs")]),
        f"there is no {options.weft}")
    add({"hand": {}}, lambda: True, lambda: (
        [compile_peer("hand_cases", out, "-ffast-math", "-fopenmp-simd", "-Wno-uninitialized")],
        [compile_peer("hand_programs", out)]), "")
    add({"eigen": {}}, EIGEN.exists, lambda: ([compile_peer("eigen_cases", out, f"-I{EIGEN}")], None),
        "apt install libeigen3-dev")
    add({"casadi": {}}, lambda: python_has("casadi"),
        lambda: ([compile_peer("casadi_cases", out, *casadi_options())], None),
        "run with --install")
    add({"jax": {"DTYPE": "64"}, "jax_f32": {"DTYPE": "32"}}, lambda: python_has("jax"),
        lambda: ([PYTHON, HERE / "peers/jax_cases.py", out / "data"], None), "run with --install")
    for line in missing:
        print(f"left out: {line}")
    return found


def run_case(program, case, options, environment):
    """{peer: (best, first)} of one run, in ms."""
    name, commands, own = program
    command = commands[case in PROGRAMS]
    if not command:
        return {}
    try:
        done = subprocess.run(
            [*command, case], cwd=options.out, env={**os.environ, **environment, **own},
            capture_output=True, text=True, timeout=options.timeout,
            preexec_fn=lambda: os.sched_setaffinity(0, {options.cpu}))
    except subprocess.TimeoutExpired:
        print(f"{case} {name}: no result after {options.timeout} s", flush=True)
        return {}
    if done.returncode:
        print(f"{case} {name}: exit status {done.returncode}\n{done.stderr[-600:]}", flush=True)
    return {m[2]: (float(m[3]), float(m[4])) for m in RESULT.finditer(done.stdout)}


def measure(programs, options, environment):
    """The best of all rounds for each (case, peer)."""
    best = {}
    for case in options.cases:
        for number in range(options.rounds):
            for program in programs:
                for peer, times in run_case(program, case, options, environment).items():
                    best[case, peer] = tuple(map(min, times, best.get((case, peer), times)))
            load = os.getloadavg()[0]
            print(f"{case}: round {number + 1} of {options.rounds}, load {load:.1f}", flush=True)
    return best


def text(ms):
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}"


def table(best, programs, cases):
    """Rows of peers: the best call, and the first call in brackets, in ms."""
    lines = ["| ms, best (first call) | " + " | ".join(cases) + " |"]
    lines.append("|---" * (len(cases) + 1) + "|")
    for name, _, _ in programs:
        cells = [best.get((case, name)) for case in cases]
        row = " | ".join(f"{text(c[0])} ({text(c[1])})" if c else "–" for c in cells)
        lines.append(f"| {name} | {row} |")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=CASES + PROGRAMS, help="without one: all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lanes", type=int, help="a limit of the lanes of each case")
    parser.add_argument("--peers", nargs="*", help="only these")
    parser.add_argument("--check", action="store_true", help="compare the results; print no table")
    parser.add_argument("--install", action="store_true", help="install peers into build/venv")
    parser.add_argument("--weft", type=pathlib.Path,
                        default=ROOT / "build/release/benchmarks/cpp/weft_cases")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench_cpp")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=int, default=600, help="seconds of one run")
    options = parser.parse_args()
    for case in options.cases:
        if case not in CASES + PROGRAMS:
            parser.error(f"there is no case {case}")
    if options.lanes is not None and options.lanes < 8:
        parser.error("--lanes must be at least 8, the lanes of a vector of hand_cases.cpp")
    options.out = options.out.resolve()
    options.weft = options.weft.resolve()
    return options


def main():
    options = arguments()
    if options.install:
        install()
    results = options.out / "results"
    for folder in (options.out / "data", results):
        folder.mkdir(parents=True, exist_ok=True)
    programs = build(options)
    environment = {}
    if options.check:
        options.rounds, options.lanes = 1, options.lanes or CHECKED_LANES
        environment["DUMP"] = str(results)
        for old in results.glob("*.f64"):
            old.unlink()
    if options.lanes:
        environment["LANES"] = str(options.lanes)
    dump = compile_peer("dump_data", options.out)
    subprocess.run([dump, options.out / "data"], env={**os.environ, **environment}, check=True)
    best = measure(programs, options, environment)
    if options.check:
        python = PYTHON if python_has("numpy") else sys.executable
        return subprocess.run([python, HERE / "compare.py", results]).returncode
    print("\n" + table(best, programs, options.cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
