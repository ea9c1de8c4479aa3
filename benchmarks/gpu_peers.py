#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/gpu_peers.py: the rows of benchmarks/gpu_rows.h in JAX and PyTorch, on their GPU if
# they have one. Reads rows and their sizes as `gpu_rows --sizes` prints them, and prints the input
# of `gpu_rows --peers`. Arguments: seconds of repetitions per row (2). A row that a library cannot
# express is left out.
import math
import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
SEGMENTS, TABLE = 10000, 1000000
# The method of Dormand and Prince: the stages, the result, its error.
STAGES = ((0.2,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
          (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
          (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656))
RESULT = (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
ERROR = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def say(*fields):
    print("\t".join(" ".join(str(f).split()) for f in fields), flush=True)


def weighted(weights, ks):
    return sum(w * k for w, k in zip(weights, ks) if w)


def try_step(f, y, h):
    """Van der Pol's y after h, and the error of that."""
    ks = [f(y)]
    for stage in STAGES:
        ks.append(f(y + h * weighted(stage, ks)))
    after = y + h * weighted(RESULT, ks)
    return after, h * weighted(ERROR, [*ks, f(after)])


def measure(peer, name, run, parts=1):
    """run() returns when its results are there."""
    run()
    run()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (len(times) < 1000 and time.perf_counter() - begin < SECONDS):
        t = time.perf_counter()
        run()
        times.append((time.perf_counter() - t) / parts)
    say("time", peer, name, sorted(times)[len(times) // 2])


def measure_all(peer, rows, make):
    for name, size in rows:
        try:
            made = make(name, size)
            if made:
                measure(peer, name, *made)
        except Exception as e:  # a failing row does not end the others
            say("error", peer, name, f"{type(e).__name__}: {str(e)[:200]}")


# ---- JAX


def jax_programs(jax):
    jnp, lax, vmap = jax.numpy, jax.lax, jax.vmap

    def mandelbrot(cr, ci):
        def body(s):
            a, b, i = s
            return a * a - b * b + cr, 2 * a * b + ci, i + 1

        return lax.while_loop(lambda s: (s[0] * s[0] + s[1] * s[1] < 4) & (s[2] < 1000), body,
                              (jnp.float32(0), jnp.float32(0), 0))[2]

    def rk45(mu, y0):
        def f(y):
            return jnp.stack([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])

        def body(s):
            t, y, h, n = s
            h = jnp.minimum(h, 10 - t)
            after, e = try_step(f, y, h)
            err = jnp.sqrt(jnp.mean((e / (1e-5 + 1e-5 * jnp.maximum(jnp.abs(y), jnp.abs(after)))) ** 2))
            ok, longer = err <= 1, h * jnp.clip(0.9 * (err + 1e-10) ** -0.2, 0.2, 5)
            return jnp.where(ok, t + h, t), jnp.where(ok, after, y), longer, n + 1

        return lax.while_loop(lambda s: (s[0] < 10) & (s[3] < 20000), body,
                              (jnp.float32(0), y0, jnp.float32(0.01), 0))[1]

    def logits(net, x):
        for w, b in net[:-1]:
            x = jnp.tanh(x @ w + b)
        return x @ net[-1][0] + net[-1][1]

    def mlp_step(net, x, y):
        def loss(net):
            return jnp.mean(vmap(lambda xi, yi: -jax.nn.log_softmax(logits(net, xi))[yi])(x, y))

        return jax.tree.map(lambda p, g: p - 0.1 * g, net, jax.grad(loss)(net))

    def layer_norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def conv(x, k):
        return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    return {
        "copy": jnp.copy,
        "elementwise": lambda x: jnp.exp(-x * x) * jnp.sin(x) + jnp.sqrt(jnp.abs(x)),
        "saxpy": lambda a, x, y: a * x + y,
        "transpose": lambda x: x.T,
        "softmax": lambda x: jax.nn.softmax(x, -1),
        "softmax_long": lambda x: jax.nn.softmax(x, -1),
        "layer_norm": layer_norm,
        "mandelbrot": vmap(vmap(mandelbrot)),
        "rk45": vmap(rk45),
        "scan": lambda xs: lax.scan(lambda c, x: (c * 0.9 + x, c), jnp.float32(0), xs)[1],
        "mlp_step": mlp_step,
        "cholesky": vmap(jnp.linalg.cholesky),
        "solve": vmap(jnp.linalg.solve),
        "sort": jnp.sort,
        "segment_sum": lambda x, i: jax.ops.segment_sum(x, i, SEGMENTS),
        "scatter_add": lambda x, i: jnp.zeros(TABLE).at[i].add(x),
        "gemm": lambda a, b: a @ b,
        "conv": conv,
    }


def jax_operands(jax, name, n):
    jnp = jax.numpy

    def normal(*shape, seed=0):
        return jax.random.normal(jax.random.key(seed), shape)

    kind, _, of = name.partition("_")
    if kind in ("cholesky", "solve"):
        m = int(of)
        a = normal(n, m, m)
        a = jnp.einsum("bij,bkj->bik", a, a) + m * jnp.eye(m)
        return (a,) if kind == "cholesky" else (a, normal(n, m))
    if kind == "gemm":
        return tuple(normal(n, n, seed=i).astype(jnp.bfloat16 if of == "bf16" else jnp.float32) for i in (0, 1))
    if name == "mandelbrot":
        return tuple(jnp.meshgrid(jnp.linspace(-2, 0.6, n, dtype=jnp.float32),
                                  jnp.linspace(-1.2, 1.2, n, dtype=jnp.float32)))
    if name == "mlp_step":
        net = [(normal(a, b, seed=i) * 0.1, normal(b, seed=3 + i))
               for i, (a, b) in enumerate(((784, 512), (512, 512), (512, 10)))]
        return net, normal(n, 784), jnp.arange(n) % 10
    if name in ("segment_sum", "scatter_add"):
        end = SEGMENTS if name == "segment_sum" else TABLE
        return normal(n), jax.random.randint(jax.random.key(2), (n,), 0, end)
    return {
        "saxpy": lambda: (normal(), normal(n), normal(n)),
        "transpose": lambda: (normal(n, n),),
        "softmax": lambda: (normal(n, 1024),),
        "softmax_long": lambda: (normal(n, 4096),),
        "layer_norm": lambda: (normal(n, 1024),),
        "rk45": lambda: (jax.random.uniform(jax.random.key(1), (n,), minval=0.1, maxval=20), normal(n, 2)),
        "conv": lambda: (normal(32, n, n, 64), normal(3, 3, 64, 64, seed=1)),
    }.get(name, lambda: (normal(n),))()


def jax_rows(rows):
    import jax

    device = jax.devices()[0]
    say("version", "jax", "", f"{jax.__version__} on {device.device_kind}")
    programs = jax_programs(jax)

    def make(name, n):
        if name == "launch":
            f, x = jax.jit(lambda x: x + 1), jax.numpy.zeros(256)

            def run():
                y = x
                for _ in range(n):
                    y = f(y)
                y.block_until_ready()

            return run, n
        if name == "small_kernels":
            def chain(x):
                for _ in range(n):
                    x = x - jax.numpy.tanh(x).mean()
                return x

            f, x = jax.jit(chain), jax.random.normal(jax.random.key(0), (4096,))
            return lambda: f(x).block_until_ready(), n
        f, x = jax.jit(programs.get(name) or programs[name.split("_")[0]]), jax_operands(jax, name, n)
        return (lambda: jax.block_until_ready(f(*x)),)

    measure_all("jax", rows, make)


# ---- PyTorch


def torch_programs(torch):
    def mandelbrot(cr, ci):
        a, b, trips = torch.zeros_like(cr), torch.zeros_like(cr), torch.zeros_like(cr, dtype=torch.int32)
        for _ in range(1000):
            inside = a * a + b * b < 4
            trips += inside
            a, b = torch.where(inside, a * a - b * b + cr, a), torch.where(inside, 2 * a * b + ci, b)
        return trips

    def rk45(mu, y):
        def f(y):
            return torch.stack([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])

        y = y.T.contiguous()
        t, h = torch.zeros_like(mu), torch.full_like(mu, 0.01)
        for trip in range(20000):
            left = t < 10
            if trip % 16 == 0 and not left.any():
                break
            step = torch.minimum(h, 10 - t)
            after, e = try_step(f, y, step)
            err = torch.sqrt(((e / (1e-5 + 1e-5 * torch.maximum(y.abs(), after.abs()))) ** 2).mean(0))
            ok = (err <= 1) & left
            h = torch.where(left, step * torch.clip(0.9 * (err + 1e-10) ** -0.2, 0.2, 5), h)
            t, y = torch.where(ok, t + step, t), torch.where(ok, after, y)
        return y.T

    def mlp_step(net, x, y):
        for p in net:
            p.grad = None
        z = x
        for i in (0, 2, 4):
            z = z @ net[i] + net[i + 1]
            z = torch.tanh(z) if i < 4 else z
        torch.nn.functional.cross_entropy(z, y).backward()
        return [p.detach() - 0.1 * p.grad for p in net]

    return {
        "copy": torch.clone,
        "elementwise": lambda x: torch.exp(-x * x) * torch.sin(x) + torch.sqrt(torch.abs(x)),
        "saxpy": lambda a, x, y: a * x + y,
        "transpose": lambda x: x.T.contiguous(),
        "softmax": lambda x: torch.softmax(x, -1),
        "softmax_long": lambda x: torch.softmax(x, -1),
        "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (1024,)),
        "mandelbrot": mandelbrot,
        "rk45": rk45,
        "mlp_step": mlp_step,
        "cholesky": torch.linalg.cholesky,
        "solve": torch.linalg.solve,
        "sort": lambda x: torch.sort(x)[0],
        "segment_sum": lambda x, i: torch.zeros(SEGMENTS, device=x.device).index_add_(0, i, x),
        "scatter_add": lambda x, i: torch.zeros(TABLE, device=x.device).index_add_(0, i, x),
        "gemm": lambda a, b: a @ b,
        "conv": lambda x, k: torch.nn.functional.conv2d(x, k, padding=1),
    }


def torch_operands(torch, name, n, device):
    def normal(*shape, **options):
        return torch.randn(*shape, device=device, **options)

    kind, _, of = name.partition("_")
    if kind in ("cholesky", "solve"):
        m = int(of)
        a = normal(n, m, m)
        a = a @ a.transpose(1, 2) + m * torch.eye(m, device=device)
        return (a,) if kind == "cholesky" else (a, normal(n, m))
    if kind == "gemm":
        return tuple(normal(n, n).to(torch.bfloat16 if of == "bf16" else torch.float32) for _ in range(2))
    if name == "mandelbrot":
        re, im = torch.linspace(-2, 0.6, n, device=device), torch.linspace(-1.2, 1.2, n, device=device)
        return re.expand(n, n).contiguous(), im[:, None].expand(n, n).contiguous()
    if name == "mlp_step":
        net = []
        for a, b in ((784, 512), (512, 512), (512, 10)):
            net += [(normal(a, b) * 0.1).requires_grad_(), normal(b, requires_grad=True)]
        return net, normal(n, 784), torch.arange(n, device=device) % 10
    if name in ("segment_sum", "scatter_add"):
        end = SEGMENTS if name == "segment_sum" else TABLE
        return normal(n), torch.randint(0, end, (n,), device=device)
    return {
        "saxpy": lambda: (normal(1)[0], normal(n), normal(n)),
        "transpose": lambda: (normal(n, n),),
        "softmax": lambda: (normal(n, 1024),),
        "softmax_long": lambda: (normal(n, 4096),),
        "layer_norm": lambda: (normal(n, 1024),),
        "rk45": lambda: (torch.empty(n, device=device).uniform_(0.1, 20), normal(n, 2)),
        "conv": lambda: (normal(32, 64, n, n).to(memory_format=torch.channels_last), normal(64, 64, 3, 3)),
    }.get(name, lambda: (normal(n),))()


def torch_rows(rows):
    import torch

    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    say("version", "torch", "", f"{torch.__version__} on {torch.cuda.get_device_name() if gpu else 'cpu'}")
    programs = torch_programs(torch)

    def wait():
        if gpu:
            torch.cuda.synchronize()

    def make(name, n):
        if name == "launch" or name == "small_kernels":
            x = torch.zeros(256, device=device) if name == "launch" else torch.randn(4096, device=device)

            def chain():
                y = x
                for _ in range(n):
                    y = y + 1 if name == "launch" else y - torch.tanh(y).mean()
                wait()

            return chain, n
        f = programs.get(name) or programs.get(name.split("_")[0])
        if not f:
            return None
        x = torch_operands(torch, name, n, device)

        def run():
            f(*x)
            wait()

        return (run,)

    measure_all("torch", rows, make)


def main():
    rows = [(name, int(size)) for name, size in (line.split() for line in sys.stdin if line.strip())]
    if not math.isfinite(SECONDS) or SECONDS <= 0:
        sys.exit("gpu_peers.py: seconds must be more than 0")
    for peer, run in (("jax", jax_rows), ("torch", torch_rows)):
        try:
            run(rows)
        except ImportError as e:
            say("missing", peer, "", f"{e} ({sys.executable})")
        except Exception as e:  # for example, there is no device
            say("missing", peer, "", f"{type(e).__name__}: {str(e)[:200]}")


if __name__ == "__main__":
    main()
