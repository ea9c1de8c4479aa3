// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/main.cpp: main() of every test binary.
#define CATCH_CONFIG_RUNNER
#include "weft/tests/catch.h"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
