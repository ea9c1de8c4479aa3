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
    "Exit codes: 0 done, 1 it failed, 2 wrong usage, 3 a file is wrong or missing,\n"
    "130 ended by Ctrl-C.";

void add_run(CLI::App& app, RunOptions& o) {
  CLI::App* c = app.add_subcommand("run", "Run, transform or show a program");
  c->add_option("PROGRAM", o.program,
                "StableHLO text (.mlir), as jax.jit(f).lower(...).as_text() gives it, or a jaxpr "
                "of Weft (.jaxpr)")
      ->required();
  c->add_option("--apply", o.apply,
                "The transforms of the program f, as in Python: f, jit(E), vmap(E, in_axes=(0, "
                "None, -1), out_axes=0, axis_size=4, axis_name='i'), grad(E, argnums=(0, 2)), "
                "value_and_grad(E), jvp(E), vjp(E), jacfwd(E), jacrev(E), hessian(E). Axes and "
                "argnums address the flat arguments")
      ->type_name("EXPR");
  c->add_option("--inputs", o.inputs,
                "The inputs: arrays in0, in1, ... or called as the parameters (arg0, ... of "
                "StableHLO, a, b, ... of a jaxpr). A random key is its two words, uint32[..., 2], "
                "and bfloat16 is float32, as in --out")
      ->type_name("FILE.npz");
  c->add_option("--out", o.out, "Write the outputs out0, out1, ... there, rather than print them")
      ->type_name("FILE.npz");
  c->add_option("--device", o.device, "Where to run: cpu, or cuda:N for a GPU of NVIDIA")
      ->type_name("NAME");
  c->add_flag("--time", o.time, "Say on the standard error how long each stage takes");
  c->add_option(
       "--show", o.show,
       "Print the program as traced (jaxpr, stablehlo), a later stage (optimized, kernels, llvm, "
       "asm, ptx), or what became of it (report). Without --inputs nothing runs.")
      ->type_name("STAGE")
      ->check(CLI::IsMember(
          {"jaxpr", "optimized", "kernels", "llvm", "asm", "ptx", "stablehlo", "report"}));
  c->footer(
      "Without --inputs and --show it says what the program takes and gives. Where a vmap is\n"
      "given no axis_size and there are no inputs, 8 lanes stand for any number.\n" +
      std::string(exits));
}

void add_conformance(CLI::App& app, ConformanceOptions& o) {
  CLI::App* c = app.add_subcommand("conformance", "Run a suite of programs with known results");
  c->add_option("DIR", o.dir,
                "The folder: cases.json and data.npz, or the files of --stablehlo or --programs")
      ->required();
  c->add_flag("--stablehlo", o.stablehlo, "The folder holds .mlir files that check themselves");
  c->add_flag("--programs", o.programs,
              "The folder holds a folder a program: whole.mlir, in.npz, out.npz, and perhaps "
              "one.mlir, whose transforms to the same results meta.json names as apply");
  c->add_flag("--reference", o.reference, "Evaluate by reference rules rather than compile");
  c->add_option("--filter", o.filter, "Only the cases (or files) whose name matches")
      ->type_name("GLOB");
  c->add_option("--every", o.every, "Only the first of each N of them, for a sample")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  c->add_option("--device", o.device, "Where the programs run: cpu, or cuda:0")->type_name("NAME");
  c->add_flag("--bits", o.bits,
              "Run each on the host, too: a case fails whose results on the --device are not the "
              "same to the bit, unless the host leaves an op to a library that the device has not");
  c->add_option("--jobs", o.jobs, "Processes at a time (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  c->add_option("--known", o.known,
                "Cases that may fail: the first word of each line; '#' begins a comment")
      ->type_name("FILE");
  c->add_option("--seconds", o.seconds,
                "Of its processor that a case may take, six times as many by the clock")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->footer(
      "Each failing case is one line with its cause; the last line counts. A case that crashes\n"
      "fails alone. The exit code is 1 if any case failed that --known does not list.\n" +
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
  app.add_subcommand("info", "This version, the machine, and the libraries found");
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
