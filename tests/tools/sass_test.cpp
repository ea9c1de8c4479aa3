// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tools/sass_test.cpp: the parsers of the reports of ptxas and nvdisasm.
#include "tools/cuda/sass.h"

#include "support/catch.h"
#include "tools/cuda/toolkit.h"

namespace weft::toolkit {
namespace {

// Returns lines as nvdisasm writes them. "L:" is a label, and the others are instructions.
std::string listing(const std::string& name, const std::vector<std::string>& lines) {
  std::string s = "\t.section\t.text." + name + ",\"ax\",@progbits\n" + name + ":\n";
  for (const std::string& l : lines)
    s += l.ends_with(':') ? "." + l + "\n" : "        /*0000*/                   " + l + " ;\n";
  return s;
}
SassCounts counts(const std::vector<std::string>& lines) {
  return read_sass(listing("k", lines)).at("k");
}

}  // namespace

TEST_CASE("Instructions are counted without the padding at the end") {
  const SassCounts c = counts({"S2R R0, SR_TID.X", "@P0 EXIT", "STG.E [R2.64], R0", "EXIT",
                               "L_x_0:", "BRA `(.L_x_0)", "NOP", "NOP", "L_x_1:"});
  CHECK(c.instructions == 4);
  CHECK(c.inner_loops.empty());
}

TEST_CASE("Loops that hold no other are counted, the longest first") {
  const SassCounts c =
      counts({"MOV R0, RZ", "L_x_0:", "MOV R1, RZ", "L_x_1:", "FADD R2, R2, R1",
              "ISETP.GE.AND P0, PT, R1, 0x8, PT", "@!P0 BRA `(.L_x_1)", "@P1 BRA `(.L_x_0)",
              "L_x_2:", "IADD3 R1, R1, 0x1, RZ", "@P2 BRA `(.L_x_3)", "FADD R3, R3, R1",
              "FADD R3, R3, R1", "L_x_3:", "@!P0 BRA P1, `(.L_x_2)", "EXIT"});
  CHECK(c.instructions == 12);
  CHECK(c.inner_loops == std::vector<int>{5, 3});
}

TEST_CASE("The check of the stop word is not counted as part of a loop") {
  const SassCounts c = counts({"L_x_0:", "IADD3 R8, R8, -0x12, RZ", "@P0 BRA `(.L_x_1)",
                               "LDG.E.STRONG.SYS R2, [R2.64]", "@P1 EXIT",
                               "L_x_1:", "FADD R3, R3, R1", "@P2 BRA `(.L_x_0)", "EXIT"});
  CHECK(c.instructions == 7);
  CHECK(c.inner_loops == std::vector<int>{4});
}

TEST_CASE("Loops report how many numbers a trip loads") {
  const SassCounts c =
      counts({"L_x_0:", "LDG.E R2, [R4.64]", "LDG.E.128 R8, [R4.64+0x10]", "LDG.E.64 R6, [R4.64]",
              "@P0 BRA `(.L_x_0)", "L_x_1:", "LDS R2, [R4]", "@P0 BRA `(.L_x_1)", "EXIT"});
  CHECK(c.inner_loops == std::vector<int>{4, 2});
  CHECK(c.inner_loads == std::vector<int>{7, 0});
}

TEST_CASE("The path of wide accesses excludes instructions of other paths") {
  const SassCounts c = counts({"S2R R0, SR_TID.X", "@P0 EXIT", "@P1 BRA `(.L_x_1)",
                               "L_x_0:", "LDG.E R2, [R4.64]", "@P0 BRA `(.L_x_0)", "EXIT",
                               "L_x_1:", "LDG.E.128 R4, [R2.64]", "FADD R4, R4, R5", "EXIT"});
  CHECK(c.wide_path == 6);
  CHECK(counts({"LDG.E R2, [R4.64]", "EXIT"}).wide_path == 0);
}

TEST_CASE("Kernels of one listing are told apart") {
  const auto kernels = read_sass(listing("a", {"EXIT"}) + "\t.section\t.nv.info,\"\",@\"\"\n" +
                                 listing("b", {"MOV R1, R2", "EXIT"}));
  CHECK(kernels.size() == 2);
  CHECK(kernels.at("a").instructions == 1);
  CHECK(kernels.at("b").instructions == 2);
}

TEST_CASE("Registers, stack, spills and shared memory are read by entry") {
  const auto entries = read_resources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
      "ptxas info    : Function properties for f\n"
      "    64 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 22 registers, used 1 barriers, 4096 bytes smem, 376 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'g' for 'sm_80'\n"
      "ptxas info    : Function properties for g\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  REQUIRE(entries.size() == 2);
  const Resources& f = entries.at("f");
  CHECK(f.registers == 22);
  CHECK(f.stack == 64);
  CHECK(f.spilled == 20);
  CHECK(f.shared == 4096);
  CHECK(entries.at("g").registers == 8);
  CHECK(entries.at("g").shared == 0);
}

TEST_CASE("Without a CUDA toolkit its programs are not found") {
  CHECK(find_in(pinned_folders("/nowhere"), "ptxas").empty());
  CHECK(!find("sh", "/nowhere").empty());
  CHECK(find("no-such-program", "/nowhere").empty());
}

}  // namespace weft::toolkit
