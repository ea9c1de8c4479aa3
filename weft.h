// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// weft.h: the one include of a program that uses Weft.
#pragma once
#include "weft/autodiff/grad.h"
#include "weft/batching/axes.h"
#include "weft/functions/create.h"
#include "weft/functions/index.h"
#include "weft/functions/linear.h"
#include "weft/functions/math.h"
#include "weft/functions/nn.h"
#include "weft/functions/reduce.h"
#include "weft/functions/shape.h"
#include "weft/functions/sort.h"
#include "weft/jit/jit.h"
#include "weft/runtime/stop.h"
#include "weft/tracer/array.h"
#include "weft/tracer/make_jaxpr.h"
#include "weft/tracer/tree.h"
#include "weft/transforms/control_flow.h"
#include "weft/transforms/custom.h"
#include "weft/transforms/jacobian.h"
#include "weft/transforms/pfor.h"
#include "weft/transforms/vmap.h"
