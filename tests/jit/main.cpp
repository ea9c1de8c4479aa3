// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/main.cpp: Catch2's main function.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
