"""EAGLE's rule 7 on PyTorch: F(I) = the formula in F's documentation.

A row is (call, formula, inputs): what the documentation says, written with other functions than
the one it is about. Inputs are named by their domain.
"""

import torch
from eagle_pairs import Pair
from eagle_templates_torch import values

F = "torch.nn.functional."
FORMULAS = (
    ("F.softmax(x, 1)", "torch.exp(x) / torch.exp(x).sum(1, keepdim=True)", "x"),
    ("F.log_softmax(x, 1)", "x - torch.log(torch.exp(x).sum(1, keepdim=True))", "x"),
    ("F.softmin(x, 1)", "torch.exp(-x) / torch.exp(-x).sum(1, keepdim=True)", "x"),
    ("torch.logsumexp(x, 1)", "torch.log(torch.exp(x).sum(1))", "x"),
    ("torch.logcumsumexp(x, 1)", "torch.log(torch.cumsum(torch.exp(x), 1))", "x"),
    ("torch.softmax(x, 0)", "torch.exp(x) / torch.exp(x).sum(0, keepdim=True)", "x"),
    ("F.softplus(x, beta=2.0)", "torch.log(1 + torch.exp(2.0 * x)) / 2.0", "x"),
    ("F.silu(x)", "x / (1 + torch.exp(-x))", "x"),
    ("F.mish(x)", "x * torch.tanh(torch.log(1 + torch.exp(x)))", "x"),
    ("F.gelu(x)", "x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))", "x"),
    (
        'F.gelu(x, approximate="tanh")',
        "0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))",
        "x",
    ),
    (
        "F.selu(x)",
        "1.0507009873554805 * (x.clamp(min=0) + (1.6732632423543772 * (torch.exp(x) - "
        "1)).clamp(max=0))",
        "x",
    ),
    ("F.elu(x, alpha=1.5)", "torch.where(x > 0, x, 1.5 * (torch.exp(x) - 1))", "x"),
    ("F.celu(x, alpha=1.5)", "x.clamp(min=0) + (1.5 * (torch.exp(x / 1.5) - 1)).clamp(max=0)", "x"),
    ("F.hardswish(x)", "x * (x + 3).clamp(0, 6) / 6", "x"),
    ("F.hardsigmoid(x)", "(x / 6 + 0.5).clamp(0, 1)", "x"),
    ("F.hardtanh(x, -0.5, 1.5)", "x.clamp(-0.5, 1.5)", "x"),
    ("F.relu6(x)", "x.clamp(0, 6)", "x"),
    ("F.leaky_relu(x, 0.2)", "x.clamp(min=0) + 0.2 * x.clamp(max=0)", "x"),
    ("F.prelu(x, y[0, :1].flatten())", "x.clamp(min=0) + y[0, 0] * x.clamp(max=0)", "xy"),
    ("F.hardshrink(x, 0.5)", "torch.where(x.abs() > 0.5, x, torch.zeros_like(x))", "x"),
    ("F.softshrink(x, 0.5)", "torch.sign(x) * (x.abs() - 0.5).clamp(min=0)", "x"),
    ("F.tanhshrink(x)", "x - torch.tanh(x)", "x"),
    ("F.softsign(x)", "x / (1 + x.abs())", "x"),
    ("F.logsigmoid(x)", "-torch.log(1 + torch.exp(-x))", "x"),
    ("F.threshold(x, 0.25, 7.0)", "torch.where(x > 0.25, x, torch.full_like(x, 7.0))", "x"),
    ("F.glu(x, 1)", "x[:, :2] * torch.sigmoid(x[:, 2:])", "x"),
    ("F.normalize(x, dim=1)", "x / x.pow(2).sum(1, keepdim=True).sqrt().clamp(min=1e-12)", "x"),
    ("F.linear(x, y)", "x @ y.t()", "xy"),
    (
        "F.layer_norm(x, (4,), eps=0.5)",
        "(x - x.mean(1, keepdim=True)) / torch.sqrt(x.var(1, unbiased=False, keepdim=True) + 0.5)",
        "x",
    ),
    (
        "F.batch_norm(x, None, None, training=True, eps=0.5)",
        "(x - x.mean(0, keepdim=True)) / torch.sqrt(x.var(0, unbiased=False, keepdim=True) + 0.5)",
        "x",
    ),
    ("F.batch_norm(x, y[0], p[0], eps=0.5)", "(x - y[0]) / torch.sqrt(p[0] + 0.5)", "xyp"),
    (
        "F.group_norm(x, 2, eps=0.5)",
        "((x.view(3, 2, 2) - x.view(3, 2, 2).mean(2, keepdim=True)) / torch.sqrt(x.view(3, 2, "
        "2).var(2, unbiased=False, keepdim=True) + 0.5)).view(3, 4)",
        "x",
    ),
    ("F.rms_norm(x, (4,), eps=0.5)", "x / torch.sqrt(x.pow(2).mean(1, keepdim=True) + 0.5)", "x"),
    ("F.mse_loss(x, y)", "((x - y) ** 2).mean()", "xy"),
    ("F.l1_loss(x, y)", "((x - y).abs()).mean()", "xy"),
    (
        "F.smooth_l1_loss(x, y, beta=0.5)",
        "torch.where((x - y).abs() < 0.5, (x - y) ** 2, (x - y).abs() - 0.25).mean()",
        "xy",
    ),
    (
        "F.huber_loss(x, y, delta=0.5)",
        "torch.where((x - y).abs() < 0.5, (x - y) ** 2 / 2, 0.5 * ((x - y).abs() - 0.25)).mean()",
        "xy",
    ),
    (
        "F.binary_cross_entropy(u, v)",
        "-(v * torch.log(u) + (1 - v) * torch.log(1 - u)).mean()",
        "uv",
    ),
    (
        "F.binary_cross_entropy_with_logits(x, v)",
        "-(v * torch.log(torch.sigmoid(x)) + (1 - v) * torch.log(1 - torch.sigmoid(x))).mean()",
        "xv",
    ),
    (
        "F.binary_cross_entropy_with_logits(x, v, pos_weight=p[0])",
        "-(p[0] * v * torch.log(torch.sigmoid(x)) + (1 - v) * torch.log(1 - "
        "torch.sigmoid(x))).mean()",
        "xvp",
    ),
    ('F.kl_div(x, u, reduction="sum")', "(u * (torch.log(u) - x)).sum()", "xu"),
    ("F.poisson_nll_loss(x, p)", "(torch.exp(x) - p * x).mean()", "xp"),
    (
        "F.poisson_nll_loss(x, p, log_input=False, eps=0.5)",
        "(x - p * torch.log(x + 0.5)).mean()",
        "px=p",
    ),
    (
        "F.gaussian_nll_loss(x, y, p)",
        "(0.5 * (torch.log(p.clamp(min=1e-6)) + (x - y) ** 2 / p.clamp(min=1e-6))).mean()",
        "xyp",
    ),
    ("F.cross_entropy(x, i)", "-F.log_softmax(x, 1)[torch.arange(3), i].mean()", "xi"),
    (
        "F.cross_entropy(x, i, weight=p[0])",
        "-(p[0][i] * F.log_softmax(x, 1)[torch.arange(3), i]).sum() / p[0][i].sum()",
        "xip",
    ),
    (
        "F.cross_entropy(x, i, label_smoothing=0.25)",
        "-(0.75 * F.log_softmax(x, 1)[torch.arange(3), i] + 0.25 * F.log_softmax(x, "
        "1).mean(1)).mean()",
        "xi",
    ),
    ("F.cross_entropy(x, u)", "-(u * F.log_softmax(x, 1)).sum(1).mean()", "xu"),
    ("F.nll_loss(x, i)", "-x[torch.arange(3), i].mean()", "xi"),
    (
        "F.nll_loss(x, i, weight=p[0])",
        "-(p[0][i] * x[torch.arange(3), i]).sum() / p[0][i].sum()",
        "xip",
    ),
    ("F.hinge_embedding_loss(x, s)", "torch.where(s == 1, x, (1 - x).clamp(min=0)).mean()", "xs"),
    (
        "F.margin_ranking_loss(x, y, s, margin=0.5)",
        "(-s * (x - y) + 0.5).clamp(min=0).mean()",
        "xys",
    ),
    ("F.soft_margin_loss(x, s)", "torch.log(1 + torch.exp(-s * x)).mean()", "xs"),
    (
        "F.multilabel_soft_margin_loss(x, v)",
        "-(v * torch.log(torch.sigmoid(x)) + (1 - v) * torch.log(torch.sigmoid(-x))).mean()",
        "xv",
    ),
    (
        "F.multi_margin_loss(x, i)",
        "(((1 - x[torch.arange(3), i].unsqueeze(1) + x).clamp(min=0).sum(1) - 1) / 4).mean()",
        "xi",
    ),
    (
        "F.triplet_margin_loss(x, y, z, margin=0.5, eps=0.0)",
        "((x - y).pow(2).sum(1).sqrt() - (x - z).pow(2).sum(1).sqrt() + 0.5).clamp(min=0).mean()",
        "xyz",
    ),
    (
        "F.cosine_similarity(x, p)",
        "(x * p).sum(1) / (x.pow(2).sum(1).sqrt() * p.pow(2).sum(1).sqrt()).clamp(min=1e-8)",
        "xp",
    ),
    ("F.pairwise_distance(x, y, eps=0.0)", "(x - y).pow(2).sum(1).sqrt()", "xy"),
    (
        "F.pdist(x)",
        "torch.stack([(x[0] - x[1]).norm(), (x[0] - x[2]).norm(), (x[1] - x[2]).norm()])",
        "x",
    ),
    ("F.one_hot(i, 4)", "(i.unsqueeze(1) == torch.arange(4)).long()", "i"),
    ("F.embedding(i, x.t())", "x.t()[i]", "xi"),
    ("torch.cdist(x, y)", "(x.unsqueeze(1) - y.unsqueeze(0)).pow(2).sum(-1).sqrt()", "xy"),
    ("torch.dist(x, y, 3)", "(x - y).abs().pow(3).sum().pow(1 / 3)", "xy"),
    ("torch.var(x, 1)", "(x - x.mean(1, keepdim=True)).pow(2).sum(1) / 3", "x"),
    ("torch.std(x, 1)", "torch.sqrt((x - x.mean(1, keepdim=True)).pow(2).sum(1) / 3)", "x"),
    ("torch.cov(x)", "(x - x.mean(1, keepdim=True)) @ (x - x.mean(1, keepdim=True)).t() / 3", "x"),
    ("torch.lerp(x, y, 0.25)", "x + 0.25 * (y - x)", "xy"),
    ("torch.addcmul(x, y, z, value=0.5)", "x + 0.5 * y * z", "xyz"),
    ("torch.addcdiv(x, y, p, value=0.5)", "x + 0.5 * y / p", "xyp"),
    (
        "torch.addmm(x[:, :3], y, z.t(), beta=0.5, alpha=2.0)",
        "0.5 * x[:, :3] + 2.0 * (y @ z.t())",
        "xyz",
    ),
    (
        "torch.addmv(x[:, 0], y, z[0], beta=0.5, alpha=2.0)",
        "0.5 * x[:, 0] + 2.0 * (y @ z[0])",
        "xyz",
    ),
    (
        "torch.addr(x, y[:, 0], z[0], beta=0.5, alpha=2.0)",
        "0.5 * x + 2.0 * torch.outer(y[:, 0], z[0])",
        "xyz",
    ),
    ("torch.logaddexp(x, y)", "torch.log(torch.exp(x) + torch.exp(y))", "xy"),
    ("torch.logaddexp2(x, y)", "torch.log2(2**x + 2**y)", "xy"),
    ("torch.hypot(x, y)", "torch.sqrt(x**2 + y**2)", "xy"),
    ("torch.sinc(p)", "torch.sin(math.pi * p) / (math.pi * p)", "p"),
    ("torch.xlogy(x, p)", "x * torch.log(p)", "xp"),
    ("torch.special.xlog1py(x, p)", "x * torch.log(1 + p)", "xp"),
    ("torch.special.entr(u)", "-u * torch.log(u)", "u"),
    ("torch.logit(u)", "torch.log(u / (1 - u))", "u"),
    ("torch.expm1(x)", "torch.exp(x) - 1", "x"),
    ("torch.log1p(p)", "torch.log(1 + p)", "p"),
    ("torch.rsqrt(p)", "1 / torch.sqrt(p)", "p"),
    ("torch.copysign(x, y)", "torch.where(torch.signbit(y), -x.abs(), x.abs())", "xy"),
    ("torch.heaviside(x, y)", "torch.where(x == 0, y, (x > 0).float())", "xy"),
    ("torch.remainder(x, p)", "x - torch.floor(x / p) * p", "xp"),
    ("torch.fmod(x, p)", "x - torch.trunc(x / p) * p", "xp"),
    ("torch.nan_to_num(x / y)", "torch.where(y == 0, torch.nan_to_num(x / y), x / y)", "xy"),
    ("torch.diff(x, dim=1)", "x[:, 1:] - x[:, :-1]", "x"),
    ("torch.trapezoid(x, dim=1)", "((x[:, 1:] + x[:, :-1]) / 2).sum(1)", "x"),
    ("torch.kron(x, y)", "torch.einsum('ab,cd->acbd', x, y).reshape(9, 16)", "xy"),
    ("torch.outer(x[0], y[0])", "x[0].unsqueeze(1) * y[0]", "xy"),
    ("torch.vander(x[0])", "torch.stack([x[0] ** 3, x[0] ** 2, x[0], torch.ones(4)], 1)", "x"),
    ("torch.trace(x)", "x[0, 0] + x[1, 1] + x[2, 2]", "x"),
    (
        "torch.cross(x[:, :3], y[:, :3], dim=1)",
        "torch.stack([x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1], x[:, 2] * y[:, 0] - x[:, 0] * y[:,"
        " 2], x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]], 1)",
        "xy",
    ),
    (
        "torch.linalg.cross(x[:, :3], y[:, :3])",
        "torch.stack([x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1], x[:, 2] * y[:, 0] - x[:, 0] * y[:,"
        " 2], x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]], 1)",
        "xy",
    ),
    ("torch.linalg.vector_norm(x, 3, dim=1)", "x.abs().pow(3).sum(1).pow(1 / 3)", "x"),
    ('torch.linalg.matrix_norm(x, "fro")', "x.pow(2).sum().sqrt()", "x"),
    ("torch.linalg.matrix_norm(x, 1)", "x.abs().sum(0).max()", "x"),
    ('torch.linalg.matrix_norm(x, float("inf"))', "x.abs().sum(1).max()", "x"),
    ("torch.linalg.matrix_power(x[:, :3], 3)", "x[:, :3] @ x[:, :3] @ x[:, :3]", "x"),
    ("torch.linalg.multi_dot([x, y.t(), z])", "x @ y.t() @ z", "xyz"),
    ("torch.renorm(x, 2, 0, 1.0)", "x / x.pow(2).sum(1, keepdim=True).sqrt().clamp(min=1.0)", "x"),
    ("torch.count_nonzero(x, 1)", "(x != 0).sum(1)", "x"),
    ("torch.polar(p, x).real", "p * torch.cos(x)", "xp"),
    ("torch.special.logit(u)", "torch.log(u / (1 - u))", "u"),
    ("torch.special.expit(x)", "1 / (1 + torch.exp(-x))", "x"),
    ("torch.special.log_ndtr(x)", "torch.log(torch.special.ndtr(x))", "x"),
    ("torch.special.ndtr(x)", "(1 + torch.erf(x / math.sqrt(2))) / 2", "x"),
    ("torch.special.erfcx(x)", "torch.exp(x**2) * torch.erfc(x)", "x"),
    ("torch.special.i0e(x)", "torch.exp(-x.abs()) * torch.special.i0(x)", "x"),
    ("torch.special.i1e(x)", "torch.exp(-x.abs()) * torch.special.i1(x)", "x"),
    (
        "torch.special.multigammaln(p + 2, 2)",
        "math.log(math.pi) / 2 + torch.lgamma(p + 2) + torch.lgamma(p + 1.5)",
        "p",
    ),
)
SHAPE = 3, 4
DOMAINS = {"p": "positive", "u": "unit", "v": "unit", "i": "index", "s": "sign"}


def entries():
    """One entry per formula."""
    return [formula(*row) for row in FORMULAS]


def formula(call, text, needs):
    call, text = call.replace("F.", F), text.replace("F.", F)
    api = call.partition("(")[0]

    def entry(step, rng):
        for _ in range(3 << step):
            inputs = {name: drawn(rng, name) for name in needs.partition("=")[0]}
            if "=" in needs:
                inputs["x"] = drawn(rng, needs[-1])
            yield Pair("7", "formula", api, inputs, text, call)

    return entry


def drawn(rng, name):
    """An input of the domain that its name tells."""
    domain = DOMAINS.get(name, "real")
    if domain == "index":
        return torch.tensor([rng.randrange(4) for _ in range(SHAPE[0])])
    x = values(rng, *SHAPE)
    if domain == "positive":
        return x.abs() + 0.25
    if domain == "unit":
        return (x + 2.5) / 5
    return torch.where(x < 0, -torch.ones(SHAPE), torch.ones(SHAPE)) if domain == "sign" else x
