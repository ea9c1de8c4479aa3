// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/catch.h: Catch2, whichever of version 2 and 3 is installed. Tests include this alone.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
#include "weft/core/ir.h"
