# Native PyTorch on the same work. Reads the request of measure.mjs (jobs that carry their sizes) as JSON on stdin and prints
# one JSON line: {version, results}. Never required: without torch it says so and ends with code 1.
import json
import sys
import time

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError as error:
    print(json.dumps({"error": str(error)}))
    sys.exit(1)


def timed(run, seconds):
    start = time.perf_counter()
    run()
    first = time.perf_counter() - start
    group = 1
    warm = time.perf_counter() + seconds / 3
    while True:
        start = time.perf_counter()
        for _ in range(group):
            run()
        now = time.perf_counter()
        if now >= warm:
            break
        if now - start < 0.004:
            group *= 2
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        for _ in range(group):
            run()
        times.append((time.perf_counter() - start) / group)
    times.sort()
    return {"first": first * 1e3, "median": times[len(times) // 2] * 1e3, "tenth": times[len(times) // 10] * 1e3, "best": times[0] * 1e3}


def model_of(spec):
    kind = spec["model"]
    if kind == "linear":
        return nn.Linear(1, 1), [1]
    if kind == "mlp":
        w = spec["width"]
        return nn.Sequential(nn.Linear(784, w), nn.ReLU(), nn.Linear(w, w // 2), nn.ReLU(), nn.Linear(w // 2, 10)), [784]
    size = spec["size"]
    if kind == "lenet":
        layers = [nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
        layers += [nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    else:
        layers = [nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Flatten(), nn.Linear(16 * (size // 4) ** 2, 10)]
    return nn.Sequential(*layers), [1, size, size]


def step(job):
    if job.get("mode", "eager") != "eager":
        return None
    spec = job["spec"]
    model, features = model_of(spec)
    x = torch.rand(spec["batch"], *features)
    is_line = spec["model"] == "linear"
    y = 3 * x + 2 if is_line else torch.randint(0, 10, (spec["batch"],))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1) if is_line else torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_of = F.mse_loss if is_line else F.cross_entropy

    def run():
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return run


def without_gradients(call):
    def run():
        with torch.no_grad():
            call()

    return run


def forward(job):
    model, features = model_of(job["spec"])
    x = torch.rand(job["spec"]["batch"], *features)
    return without_gradients(lambda: model(x))


def matmul(job):
    size, transposed = job["sizes"]["size"], job["sizes"]["transposed"]
    a, b = torch.rand(size, size), torch.rand(size, size)
    a, b = a.t() if transposed == "a" else a, b.t() if transposed == "b" else b
    return without_gradients(lambda: a @ b)


def directed(direction, inputs, call):
    if direction == "forward":
        return without_gradients(call)
    for tensor in inputs:
        tensor.requires_grad_()
    root = call()
    upstream = torch.rand_like(root)
    return lambda: torch.autograd.grad(root, inputs, upstream, retain_graph=True)


def conv(job):
    s = job["sizes"]
    x = torch.rand(s["batch"], s["input"], s["size"], s["size"])
    w, b = torch.rand(*s["weight"]), torch.rand(s["output"])
    call = F.conv_transpose2d if s["transposed"] else F.conv2d
    options = dict(stride=s["stride"], padding=s["padding"], dilation=s["dilation"], groups=s["groups"])
    return directed(job["direction"], [x, w, b], lambda: call(x, w, b, **options))


def op(job):
    s, direction = job["sizes"], job["direction"]
    name = s["op"]
    if name == "lstm":
        layer = nn.LSTM(s["features"], s["hidden"])
        x = torch.rand(s["length"], s["batch"], s["features"])
        return directed(direction, [x, *layer.parameters()], lambda: layer(x)[0])
    if name == "attention":
        q, k, v = (torch.rand(s["batch"], s["heads"], s["length"], s["features"]) for _ in range(3))
        return directed(direction, [q, k, v], lambda: torch.softmax(q @ k.transpose(-1, -2) * s["features"] ** -0.5, -1) @ v)
    if name == "multihead":
        layer = nn.MultiheadAttention(s["features"], s["heads"], batch_first=True)
        x = torch.rand(s["batch"], s["length"], s["features"])
        return directed(direction, [x, *layer.parameters()], lambda: layer(x, x, x, need_weights=False)[0])
    x = torch.rand(*s["shape"])
    if name == "embedding":
        ids = torch.randint(0, s["shape"][0], s["ids"])
        return directed(direction, [x], lambda: F.embedding(ids, x))
    if name.endswith("Norm"):
        width = s["shape"][1 if name == "batchNorm" else -1]
        scale, shift = torch.rand(width), torch.rand(width)
        normal = (lambda: F.batch_norm(x, None, None, scale, shift, True)) if name == "batchNorm" else lambda: F.layer_norm(x, (width,), scale, shift)
        return directed(direction, [x, scale, shift], normal)
    calls = {
        "exp": lambda: torch.exp(x),
        "tanh": lambda: torch.tanh(x),
        "sigmoid": lambda: torch.sigmoid(x),
        "erf": lambda: torch.erf(x),
        "gelu": lambda: F.gelu(x),
        "add": lambda: x + x,
        "sum": lambda: x.sum(),
        "softmax": lambda: torch.softmax(x, -1),
        "maxPool": lambda: F.max_pool2d(x, 2),
    }
    return directed(direction, [x], calls[name])


def epoch(job):
    """The CNN on random pictures: what the steps cost, in seconds for all epochs. Its accuracy is not the question."""
    run = step({"spec": {"model": "cnn", "batch": 64, "size": 28}})
    steps = job.get("epochs", 2) * ((job.get("examples", 60000) + 63) // 64)
    for _ in range(10):
        run()
    start = time.perf_counter()
    for _ in range(steps):
        run()
    return {"seconds": time.perf_counter() - start}


def main():
    request = json.load(sys.stdin)
    torch.set_num_threads(request["threads"])
    torch.manual_seed(1)
    prepare = {"step": step, "forward": forward, "matmul": matmul, "conv": conv, "op": op}
    results = []
    for job in request["jobs"]:
        try:
            if job["kind"] == "epoch":
                results.append(epoch(job))
                continue
            run = prepare[job["kind"]](job) if job["kind"] in prepare else None
            results.append(run and timed(run, job.get("seconds", 1)))
        except Exception as error:  # One failing job leaves the others.
            results.append({"error": str(error).split("\n")[0][:160]})
    print(json.dumps({"version": f"PyTorch {torch.__version__}", "results": results}))


main()
