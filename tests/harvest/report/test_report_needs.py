import ast

import pytest

from harvest.report.model import Need
from harvest.report.needs import find_needs

NEEDS = [
    ("x.cuda()", (Need.CUDA, "cuda")),
    ("f(x)[0].cuda()", (Need.CUDA, "cuda")),
    ("torch.ones(2, device='cuda')", (Need.CUDA, "cuda")),
    ("device = 'cuda:1'", (Need.CUDA, "cuda:1")),
    ("x.to(f'cuda:{i}')", (Need.CUDA, "cuda:")),
    ("torch.cuda.synchronize()", (Need.CUDA, "torch.cuda.synchronize")),
    ("with tf.device('/GPU:0'):\n    f()", (Need.CUDA, "/GPU:0")),
    ("x.to('mps')", (Need.MPS, "mps")),
    ("torch.device('xpu')", (Need.DEVICE, "xpu")),
    ("if torch.cuda.is_available():\n    pass\nx.cuda()", (Need.CUDA, "cuda")),
    ("import torchvision", (Need.PACKAGE, "torchvision")),
    ("from transformers import x", (Need.PACKAGE, "transformers")),
    ("from .a import b", (Need.PACKAGE, "a relative import")),
    ("import socket", (Need.NETWORK, "socket")),
    ("from urllib.request import urlopen", (Need.NETWORK, "urllib")),
    ("torch.hub.load('a', 'b')", (Need.NETWORK, "torch.hub.load")),
    ("M.from_pretrained('x')", (Need.NETWORK, "M.from_pretrained")),
    ("datasets.MNIST('.', download=True)", (Need.NETWORK, "datasets.MNIST(download=True)")),
    ("tf.keras.datasets.mnist.load_data()", (Need.NETWORK, "tf.keras.datasets.mnist.load_data")),
    ("keras.applications.ResNet50()", (Need.NETWORK, "the weights of ResNet50")),
    ("open('a.txt')", (Need.FILES, "a.txt")),
    ("path = 'a.pt'\ntorch.load(path)", (Need.FILES, "a.pt")),
    ("pickle.load(open('a.pkl', 'rb'))", (Need.FILES, "a.pkl")),
    ("np.load(file='a.npy')", (Need.FILES, "a.npy")),
    ("dist.init_process_group('gloo')", (Need.DISTRIBUTED, "init_process_group")),
    ("rank = os.environ['RANK']", (Need.DISTRIBUTED, "RANK")),
]

NOTHING = [
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
    "if torch.cuda.is_available():\n    x = x.cuda()",
    "use = torch.cuda.is_available()\nif use:\n    x.cuda()",
    "if torch.cuda.is_available():\n    d = 'cuda'\nelse:\n    d = 'cpu'",
    "torch.cuda.manual_seed(0)",
    "if device == 'cuda':\n    pass",
    "print('cuda', 1)",
    "tf.config.list_physical_devices('GPU')",
    "os.environ['CUDA_VISIBLE_DEVICES'] = ''",
    "import numpy, scipy.special, keras, os, tensorflow.keras",
    "try:\n    import triton\nexcept ImportError:\n    triton = None",
    "open('a.txt', 'w').write('x')\nopen('a.txt')",
    "torch.save(x, 'a.pt')\ntorch.load('a.pt')",
    "torch.load(io.BytesIO())",
    "open('/dev/null')",
    "keras.applications.ResNet50(weights=None)",
    "datasets.MNIST('.', download=False)",
    "os.environ['RANK'] = '0'",
]


@pytest.mark.parametrize(("code", "need"), NEEDS, ids=[code for code, _ in NEEDS])
def test_needs(code, need):
    assert need in find_needs(ast.parse(code))


@pytest.mark.parametrize("code", NOTHING)
def test_what_needs_nothing(code):
    assert find_needs(ast.parse(code)) == ()


def test_each_need_is_told_once():
    assert find_needs(ast.parse("x.cuda()\ny.cuda()")) == ((Need.CUDA, "cuda"),)
