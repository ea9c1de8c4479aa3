// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/weft.cpp: the weft command: its options, and the exit codes of errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "tools/weft/command.h"
#include "tools/weft/expr.h"
#include "weft/version.h"

namespace weft::tools {
namespace {

constexpr const char* exits =
    "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 a file is wrong or missing,\n"
    "130 ended by Ctrl-C.";

void add_run(CLI::App& app, RunOptions& o) {
  CLI::App* c = app.add_subcommand("run", "Run, transform or show a program");
  c->add_option("PROGRAM", o.program,
                "StableHLO text (.mlir), as jax.jit(f).lower(...).as_text() gives it, or a jaxpr "
                "of Weft (.jaxpr)")
      ->required();
  c->add_option(
       "--apply", o.apply,
       "An expression E of transforms of the program f, as in Python. E is f, jit(E), vmap(E, "
       "in_axes=(0, None, -1), out_axes=0, axis_size=4, axis_name='i') or grad(E, argnums=(0, 2)). "
       "It may also be value_and_grad(E), jvp(E), vjp(E), jacfwd(E), jacrev(E) or hessian(E). Axes "
       "and argnums address the flat arguments")
      ->type_name("EXPR");
  c->add_option(
       "--inputs", o.inputs,
       "The inputs. Their names are in0, in1, ... or those of the parameters (arg0, ... of "
       "StableHLO, a, b, ... of a jaxpr). A random key is stored as its two words, "
       "uint32[..., 2], and bfloat16 as float32, as in --out")
      ->type_name("FILE.npz");
  c->add_option("--out", o.out,
                "Write the outputs to this file, as out0, out1, ..., instead of printing them")
      ->type_name("FILE.npz");
  c->add_option("--device", o.device,
                "The device that runs the program: cpu, or cuda:N for a GPU of NVIDIA")
      ->type_name("NAME");
  c->add_flag("--time", o.time, "Print to the standard error how long each stage takes");
  c->add_option(
       "--show", o.show,
       "Print the program as traced (jaxpr, stablehlo), at a later stage (optimized, kernels, "
       "llvm, asm, ptx), or a report on how it was compiled (report). Without --inputs the program "
       "does not run.")
      ->type_name("STAGE")
      ->check(CLI::IsMember(
          {"jaxpr", "optimized", "kernels", "llvm", "asm", "ptx", "stablehlo", "report"}));
  c->footer(
      "Without --inputs and --show, the types of the program's inputs and outputs are printed.\n"
      "Without inputs, a vmap without axis_size has 8 lanes.\n" +
      std::string(exits));
}

void add_conformance(CLI::App& app, ConformanceOptions& o) {
  CLI::App* c = app.add_subcommand("conformance", "Run a suite of programs with known results");
  c->add_option(
       "DIR", o.dir,
       "The folder with cases.json and data.npz, or with the files for --stablehlo or --programs")
      ->required();
  c->add_flag("--stablehlo", o.stablehlo,
              "The folder contains .mlir files that check their own results");
  c->add_flag(
      "--programs", o.programs,
      "The folder contains a folder for each program, with whole.mlir, in.npz and out.npz. If "
      "it has one.mlir, that gives the same results under the transforms that meta.json "
      "names as apply");
  c->add_flag("--reference", o.reference,
              "Evaluate programs by reference rules instead of compiling them");
  c->add_option("--filter", o.filter, "Run only the cases (or files) whose names match")
      ->type_name("GLOB");
  c->add_option("--every", o.every, "Run only the first of every N cases, as a sample")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  c->add_option("--device", o.device, "The device that runs the programs: cpu, or cuda:0")
      ->type_name("NAME");
  c->add_flag("--bits", o.bits,
              "Run each case on the host, too. It fails if its results on the --device have other "
              "bits, unless the host calls a library that the device does not have");
  c->add_option("--jobs", o.jobs, "The number of processes at a time (default: one for each core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  c->add_option(
       "--known", o.known,
       "A list of cases that may fail, as the first word of each line; '#' begins a comment")
      ->type_name("FILE");
  c->add_option("--seconds", o.seconds,
                "The processor time that a case may take, in seconds; its elapsed time may be six "
                "times as long")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->footer(
      "Each failing case gets a line with the cause, and the last line counts the cases. A crash\n"
      "fails only its own case. The exit code is 1 if a case failed that --known does not list.\n" +
      std::string(exits));
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Weft " + version() + ": a just-in-time compiler for array programs", "weft"};
  app.footer(exits);
  app.set_version_flag("--version", "weft " + version());
  app.require_subcommand(1);
  RunOptions run;
  ConformanceOptions conformance;
  add_run(app, run);
  add_conformance(app, conformance);
  app.add_subcommand("info", "Print this version, the machine, and the libraries found");
  const auto is_named = [&](const CLI::App* c) { return c->get_name() == argv[1]; };
  const std::vector<CLI::App*> commands = app.get_subcommands(nullptr);
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), is_named))
    throw UsageError(fmt::format(
        "there is no command '{}'; there are run, conformance and info (weft --help)", argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? ok : bad_usage;
  }
  if (app.got_subcommand("run")) return run_command(run);
  if (app.got_subcommand("conformance")) return conformance_command(conformance);
  return info_command();
}

int say(int code, const char* what) {
  fmt::print(stderr, "weft: {}\n", what);
  return code;
}

int guarded(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const ExprError& e) {
    return say(bad_usage, e.what());
  } catch (const UsageError& e) {
    return say(bad_usage, e.what());
  } catch (const ParseError& e) {
    return say(bad_file, e.what());
  } catch (const FormatError& e) {
    return say(bad_file, e.what());
  } catch (const InterruptedError& e) {
    return say(interrupted, e.what());
  } catch (const Error& e) {
    return say(failed, e.what());
  } catch (const std::bad_alloc&) {
    return say(failed, "out of memory");
  }
}

}  // namespace
}  // namespace weft::tools

int main(int argc, char** argv) { return weft::tools::guarded(argc, argv); }
