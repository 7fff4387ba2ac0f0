"""Folders as fuzzers leave them; the calls really fail on PyTorch 2.13 and TensorFlow 2.21."""

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np

DIAGONAL = """import torch
arg_1_tensor = torch.eye(3).to_sparse_csr()
arg_1 = arg_1_tensor.clone()
arg_2 = torch.ones(3)
res = torch.diagonal_scatter(arg_1, arg_2,)
"""
CRASH = """x = torch.ones(3)
y = x.as_strided_([2], [1], 2305878193585782784)
print(y)
"""
TWO_WAYS = """import torch
results = dict()
arg_1 = {argument}
try:
  results["res_1"] = {one}
except Exception as e:
  results["err_1"] = "ERROR:"+str(e)
try:
  results["res_2"] = {other}
except Exception as e:
  results["err_2"] = "ERROR:"+str(e)

print(results)
"""
OVERFLOW = TWO_WAYS.format(
    argument="torch.full([4], 1e20)",
    one="torch.linalg.norm(arg_1)",
    other="torch.linalg.norm(arg_1.double()).float()",
)
DEVICES = """results = dict()
import torch
arg_1_tensor = torch.rand([3])
arg_1 = arg_1_tensor.clone()
try:
  results["res_cpu"] = torch.abs(arg_1,)
except Exception as e:
  results["err_cpu"] = "ERROR:"+str(e)
arg_1 = arg_1_tensor.clone().cuda()
try:
  results["res_gpu"] = torch.abs(arg_1,)
except Exception as e:
  results["err_gpu"] = "ERROR:"+str(e)

print(results)
"""
PRECISION = """results = dict()
import torch
import time
arg_1 = torch.rand([64, 64]).half()
start = time.time()
results["time_low"] = torch.matmul(arg_1, arg_1)
results["time_low"] = time.time() - start
arg_1 = arg_1.float()
start = time.time()
results["time_high"] = torch.matmul(arg_1, arg_1)
results["time_high"] = time.time() - start

print(results)
"""
QUANT = "tf.quantization.fake_quant_with_min_max_vars_per_channel"


def write(root, files):
    """Write `{path: text or bytes}` below a folder and return it."""
    for path, content in files.items():
        place = Path(root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(root)


def freefuzz(root):
    return write(
        root,
        {
            "crash-oracle/potential-bug/torch.diagonal_scatter/1.py": DIAGONAL,
            "crash-oracle/success/torch.abs/1.py": "import torch\ntorch.abs(torch.ones(2))\n",
            "cuda-oracle/potential-bug/torch.abs/3.py": DEVICES,
            "precision-oracle/potential-bug/torch.matmul/4.py": PRECISION,
            "runcrash.txt": "torch.as_strided\n\ntorch.take\n",
            "temp.py": "import torch\n" + CRASH,
        },
    )


def deeprel(root):
    pair = "torch.linalg.norm+torch.norm+1"
    return write(
        root,
        {
            f"output-0/{pair}/neq/2.py": OVERFLOW,
            f"output-0/{pair}/success/1.py": OVERFLOW,
            "output-0/torch.diagonal_scatter+torch.select_scatter+rel+0/neq/7.py": TWO_WAYS.format(
                argument="torch.eye(3).to_sparse_csr()",
                one="torch.diagonal_scatter(arg_1, torch.ones(3))",
                other="torch.abs(arg_1)",
            ),
            "output-0/bug/9.py": DIAGONAL,
            "output-0/error/3.py": DIAGONAL,
            "output-0/test-confirmed-1.txt": "torch.diagonal_scatter torch.select_scatter\n",
            "torch-candidate/torch.abs.json": '["torch.absolute", 0.9]\n["torch.neg", 0.4]\n',
        },
    )


def titanfuzz(root):
    internal = '"""self.has_storage() INTERNAL ASSERT FAILED"""\n'
    lines = [
        "TitanFuzzTestcase 0 torch.abs torch.abs_2 VarInconsistentCatch 420 x differs",
        "TitanFuzzTestcase 1 torch.Tensor.as_strided_ torch.Tensor.as_strided__4 CpuCrashCatch 420",
        "TitanFuzzTestcase 2 torch.cumsum torch.cumsum_1 TimeoutFail 420 slow",
    ]
    return write(
        root,
        {
            "Results/torch/crash/torch.Tensor.as_strided__4.py": '"""SIGSEGV"""\n' + CRASH,
            "Results/torch/exception/torch.diagonal_scatter_5.py": internal
            + DIAGONAL.removeprefix("import torch\n"),
            "Results/torch/exception/torch.abs_9.py": '"""a bad argument"""\ntorch.abs("x")\n',
            "Results/torch/valid/torch.abs_1.py": "torch.abs(torch.ones(3))\n",
            "Results/torch/valid/torch.abs_2.py": "torch.abs(torch.ones(3))\n",
            "Results/torch/valid/torch.cumsum_1.py": "torch.cumsum(torch.ones(3), 0)\n",
            "Results/trace.txt": "\n".join(lines),
        },
    )


def acetest(root):
    parts = "import torch\nx = torch.ones(3)\ny = torch.exp(x)\n"
    return write(
        root,
        {
            "out/torch.Tensor.as_strided_/crash/cpu_0_1.py": "import torch\n" + CRASH,
            "out/torch.Tensor.as_strided_/crash/crash_summary.csv": "torch.Tensor.as_strided_, cpu,"
            " /home/ace/out/torch.Tensor.as_strided_/crash/cpu_0_1.py, -11\n",
            "out/torch.exp/crash/diff_1_0.py": parts
            + "# ====================CPU_GPU_DIFF====================\n"
            + parts.replace("ones(3)", "ones(3).cuda()"),
            "out/torch.exp/timeout/cpu_2_0.py": parts,
            "out/torch.exp/invalid/cpu_3_0.py": parts,
            "out/torch.exp/samples/1.json": "{}",
        },
    )


def pickled(thing):
    """The bytes of a pickle, and the name that DocTer gives it."""
    data = thing if isinstance(thing, bytes) else pickle.dumps(thing)
    return data, hashlib.sha1(data).hexdigest()


def docter_place(api):
    return f"tf/conform_constr/{api}.yaml_workdir"


def docter_files(api, thing, *, record="Abort", script=True, library="import tensorflow as tf"):
    """What DocTer leaves of one input of an API."""
    data, name = pickled(thing)
    place = docter_place(api)
    text = (
        f"import pickle\n{library}\n"
        f"data = pickle.load(open('/home/workspace/{place}/{name}.p', 'rb'))\n{api}(**data)\n"
    )
    files = {f"{place}/{name}.p": data, f"{place}/gen_order": f"{name}\n"}
    if script:
        files[f"{place}/{name}.py"] = text
    if record:
        line = f"python /home/workspace/{place}/{name}.py\n"
        files[f"{place}/{record}_script_record"] = line
    return files


def scalars():
    """Arguments on which the quantisation of TensorFlow 2.21 aborts."""
    ends = [np.array([value], dtype="float32") for value in (0.0, 1.0)]
    return {"inputs": np.array(1.0, dtype="float32"), "min": ends[0], "max": ends[1]}


def docter(root):
    return write(
        root,
        {
            **docter_files(QUANT, scalars()),
            **docter_files(
                "tf.math.abs", {"x": np.ones((2, 2), dtype="float64")}, record="timeout"
            ),
            **docter_files("tf.exp", {"x": 1.0}, record=""),
        },
    )


def scripts(root):
    return write(
        root,
        {
            "all/sigsegv/one.py": "import torch\n" + CRASH,
            "two.py": '"""torch.diagonal_scatter fails an internal assert"""\n' + DIAGONAL,
            "notes.txt": "nothing",
        },
    )


def nnsmith(root, system="torchjit (cpu)", **files):
    """NNSmith's folder of one bug; the model is not made by it here."""
    place = "bug-Symptom.INCONSISTENCY-Stage.VERIFICATION-0"
    meta = {"system": system, "symptom": "inconsistency", "stage": "verification"}
    models = {"gir.pkl": b"graph", "model.pth": b"weights", "oracle.pkl": b"inputs", **files}
    return write(
        root,
        {
            **{f"{place}/{name}": data for name, data in models.items()},
            f"{place}/meta.json": json.dumps(meta),
            f"{place}/err.log": "Mismatched elements: 1 / 2 (50%)\n",
        },
    )


LAYOUTS = {
    made.__name__: made
    for made in (freefuzz, deeprel, titanfuzz, docter, acetest, nnsmith, scripts)
}
