"""A snippet's tree -> what it takes to run it that a sandboxed CPU run may not give.

A static look only: what is guarded (`if torch.cuda.is_available()`, `try: import`) is no need.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analysis.rules import Phrase, Registry
from harvest.report.model import Need
from harvest.report.syntax import dotted, nodes

Found = tuple[Need, str]

_PROVIDED = frozenset({"torch", "tensorflow", "keras", "numpy", "scipy", "functorch", "__main__"})
_NETWORK_MODULES = frozenset(
    {"requests", "urllib.request", "urllib3", "http.client", "httpx", "aiohttp", "wget", "gdown"}
    | {"ftplib", "socket", "huggingface_hub"}
)
_NETWORK_CALLS = frozenset(
    {
        "from_pretrained",
        "load_state_dict_from_url",
        "download_url_to_file",
        "urlretrieve",
        "urlopen",
    }
    | {"get_file", "load_dataset", "snapshot_download", "hf_hub_download"}
)
_NETWORK_NAMES = ("torch.hub.", "tfds.", "hub.load", "keras.datasets.", "tensorflow_datasets.")
_READERS = frozenset(
    {"torch.load", "torch.jit.load", "np.load", "numpy.load", "np.loadtxt", "np.genfromtxt"}
    | {
        "np.fromfile",
        "pickle.load",
        "pd.read_csv",
        "pandas.read_csv",
        "pd.read_pickle",
        "h5py.File",
    }
    | {"cv2.imread", "Image.open", "PIL.Image.open", "imageio.imread", "joblib.load", "plt.imread"}
    | {"tf.io.read_file", "tf.keras.models.load_model", "keras.models.load_model", "load_model"}
    | {"tf.saved_model.load", "torchaudio.load", "torchvision.io.read_image", "read_image"}
    | {
        "tf.io.gfile.GFile",
        "tf.keras.utils.load_img",
        "safetensors.torch.load_file",
        "torch.export.load",
    }
)
_LAUNCH_NAMES = frozenset({"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR"})
_STRATEGIES = ("MultiWorkerMirroredStrategy", "TPUStrategy", "ParameterServerStrategy")
_CUDA_HARMLESS = frozenset(
    {"is_available", "manual_seed", "manual_seed_all", "empty_cache", "device_count", "amp"}
    | {"is_initialized", "is_bf16_supported", "init"}
)
_DEVICE = Phrase(
    "need/name-of-a-device",
    r"(?P<kind>cuda|mps|xpu|hpu|npu|mtia)(?::\d{0,3})?",
    finds=("cuda:1", "mps"),
    spares=("cpu",),
)
_GPU = Phrase(
    "need/name-of-a-device-in-tensorflow",
    r"(?:/?(?:job:\w+/)?(?:device:)?|/)(?P<kind>GPU|TPU)(?::\d{1,3})?",
    re.IGNORECASE,
    finds=("/GPU:0", "/device:TPU:1"),
    spares=("/CPU:0",),
)
_DOWNLOADS = Phrase(
    "need/command-that-downloads",
    r"\b(?:wget|curl|git clone|pip)\b",
    finds=("wget http://a/b", "pip install einops"),
    spares=("ls",),
)
_GUARDS = frozenset(
    {
        "is_available",
        "device_count",
        "list_physical_devices",
        "is_gpu_available",
        "is_built_with_cuda",
    }
)


def find_needs(tree: ast.Module) -> tuple[Found, ...]:
    """Return what `tree` needs, each once, in the order in which it is met."""
    nodes = list(_unguarded(tree))
    constants = _string_variables(nodes)
    paths = _Paths(constants=constants, written=_written_paths(nodes, constants))
    found: dict[Found, None] = {}
    for node in nodes:
        for need in _needs_of(node, paths):
            found[need] = None
    return tuple(found)


def _unguarded(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk `tree` without what runs only where a device or package is present."""
    guards = _guard_names(tree)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If | ast.IfExp) and _asks_for_device(node.test, guards):
            branch = node.orelse
            waiting += reversed(branch) if isinstance(branch, list) else [branch]
        elif isinstance(node, ast.Try) and _expects_import_error(node):
            waiting += reversed([*node.orelse, *node.finalbody])
        else:
            waiting += reversed([child for child in _children(node) if child is not None])


def _children(node: ast.AST) -> list[ast.AST | None]:
    """Return the children of a node, without strings that only name or show something."""
    match node:
        case ast.Compare() | ast.Call(func=ast.Name(id="print")):
            return [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.Constant)]
        case ast.Dict(values=values):
            return [*values]
        case _:
            return [*ast.iter_child_nodes(node)]


def _guard_names(tree: ast.AST) -> frozenset[str]:
    """Return the variables that tell whether a device is there (`use_cuda = ...is_available()`)."""
    return frozenset(
        dotted(target)
        for node in nodes(tree)
        if isinstance(node, ast.Assign) and _asks_for_device(node.value, frozenset())
        for target in node.targets
    )


def _asks_for_device(test: ast.expr, guards: frozenset[str]) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return False
    return any(
        (isinstance(n, ast.Attribute) and n.attr in _GUARDS)
        or (isinstance(n, ast.Name) and n.id in guards)
        for n in ast.walk(test)
    )


def _expects_import_error(node: ast.Try) -> bool:
    imports = any(isinstance(n, ast.Import | ast.ImportFrom) for n in node.body)
    caught = {dotted(n) for h in node.handlers if h.type for n in ast.walk(h.type)}
    bare = any(handler.type is None for handler in node.handlers)
    return imports and (bare or bool(caught & {"ImportError", "ModuleNotFoundError", "Exception"}))


def _string_variables(nodes: list[ast.AST]) -> dict[str, str]:
    """Return the variables that are given one literal string and nothing else."""
    values: dict[str, set[str | None]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name = dotted(node.targets[0])
            literal = node.value.value if isinstance(node.value, ast.Constant) else None
            values.setdefault(name, set()).add(literal if isinstance(literal, str) else None)
    return {
        name: value
        for name, found in values.items()
        if len(found) == 1 and (value := next(iter(found))) is not None
    }


def _path(call: ast.Call, constants: Mapping[str, str]) -> str | None:
    """Return the literal first argument of a call, also of a nested `open`."""
    candidates = [
        *call.args[:1],
        *(k.value for k in call.keywords if k.arg in ("file", "f", "path")),
    ]
    for argument in candidates:
        if isinstance(argument, ast.Call) and dotted(argument.func) in (
            "open",
            "Path",
            "pathlib.Path",
        ):
            return _path(argument, constants)
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return argument.value
        if isinstance(argument, ast.Name):
            return constants.get(argument.id)
    return None


def _written_paths(nodes: list[ast.AST], constants: dict[str, str]) -> frozenset[str]:
    """Return the literal paths that the code hands to anything but a reader."""
    written: set[str] = set()
    for node in nodes:
        if not isinstance(node, ast.Call) or _reads(node):
            continue
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                written.add(argument.value)
            elif isinstance(argument, ast.Name) and argument.id in constants:
                written.add(constants[argument.id])
    return frozenset(written)


def _reads(call: ast.Call) -> bool:
    name = dotted(call.func)
    if name != "open":
        return name in _READERS
    modes = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return not any(isinstance(m, ast.Constant) and set(str(m.value)) & set("wax+") for m in modes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paths:
    """Strings that variables stand for, and paths that the code writes."""

    constants: Mapping[str, str]
    written: frozenset[str]


_OF_IMPORT: Registry[[str], Found] = Registry("need")
_OF_ATTRIBUTE: Registry[[str, str], Found] = Registry("need")
_OF_STRING: Registry[[str], Found] = Registry("need")
_OF_CALL: Registry[[ast.Call, str, _Paths], tuple[Found, ...]] = Registry("need")
"""What imports of a module, attributes, strings and calls need; all that is found counts."""


def _needs_of(node: ast.AST, paths: _Paths) -> Iterator[Found]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from _OF_IMPORT.each(alias.name)
        case ast.ImportFrom(module=str(module), level=0):
            yield from _OF_IMPORT.each(module)
        case ast.ImportFrom(level=level) if level:
            yield Need.PACKAGE, "a relative import"
        case ast.Call():
            for found in _OF_CALL.each(node, dotted(node.func), paths):
                yield from found
        case ast.Attribute(attr=attribute):
            yield from _OF_ATTRIBUTE.each(dotted(node), attribute)
        case ast.Constant(value=str(value)) if len(value) < 60:
            yield from _OF_STRING.each(value)
        case ast.Subscript(value=target, slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            if key in _LAUNCH_NAMES and dotted(target).endswith("environ"):
                yield Need.DISTRIBUTED, key


def import_needs(module: str) -> tuple[Found, ...]:
    """Return what the import of a module needs: a package, the network, or nothing."""
    return tuple(_OF_IMPORT.each(module))


def device_needs(text: str) -> tuple[Found, ...]:
    """Return what a string that names a device needs ("cuda:1", "/GPU:0"), if it names one."""
    return tuple(_OF_STRING.each(text))


@_OF_IMPORT.rule("module-of-the-network")
def _network_module(module: str) -> Found | None:
    """The import of a module that connects."""
    root = module.partition(".")[0]
    if module in _NETWORK_MODULES or root in _NETWORK_MODULES:
        return Need.NETWORK, root
    return None


@_OF_IMPORT.rule("package")
def _package(module: str) -> Found | None:
    """The import of a package that a build need not have."""
    root = module.partition(".")[0]
    if root not in sys.stdlib_module_names and root not in _PROVIDED:
        return Need.PACKAGE, root
    return None


@_OF_STRING.rule("device")
def _device(text: str) -> Found | None:
    """A string that names a device as PyTorch does: `cuda:1`."""
    found = _DEVICE.fullmatch(text)
    if found is None:
        return None
    match found["kind"]:
        case "cuda":
            return Need.CUDA, text
        case "mps":
            return Need.MPS, text
        case kind:
            return Need.DEVICE, kind


@_OF_STRING.rule("device-in-tensorflow")
def _device_in_tensorflow(text: str) -> Found | None:
    """A string that names a device as TensorFlow does: `/GPU:0`."""
    found = _GPU.fullmatch(text)
    if found is None or text.lower() == "gpu":
        return None
    return (Need.CUDA, text) if found["kind"].upper() == "GPU" else (Need.DEVICE, "tpu")


@_OF_ATTRIBUTE.rule("module-of-a-device")
def _device_module(name: str, attribute: str) -> Found | None:
    """What only a device can do: `torch.cuda.synchronize`."""
    parts = name.split(".")
    for root, need in (("cuda", Need.CUDA), ("mps", Need.MPS)):
        if parts[:2] == ["torch", root] and len(parts) > 2 and parts[2] not in _CUDA_HARMLESS:
            return need, ".".join(parts[:3])
    return None


@_OF_ATTRIBUTE.rule("strategy-of-several-processes")
def _strategy(name: str, attribute: str) -> Found | None:
    """A strategy of TensorFlow's for several machines."""
    return (Need.DISTRIBUTED, attribute) if attribute in _STRATEGIES else None


@_OF_CALL.rule("move-to-a-device")
def _move(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A method that moves something to a device: `x.cuda()`."""
    last = _last(name)
    moves = isinstance(call.func, ast.Attribute) and last in ("cuda", "mps", "xpu")
    return device_needs(last) if moves and not name.startswith("torch.") else None


@_OF_CALL.rule("several-processes")
def _processes(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A function that connects several processes."""
    last = _last(name)
    several = last in ("init_process_group", "DistributedDataParallel", "init_device_mesh")
    return ((Need.DISTRIBUTED, last),) if several else None


@_OF_CALL.rule("call-of-the-network")
def _network_call(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A function that connects."""
    return ((Need.NETWORK, name.lstrip(".")),) if _connects(name) else None


@_OF_CALL.rule("argument-that-downloads")
def _download(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """`download=True` or `pretrained=True`."""
    if _connects(name):
        return None
    found = [
        (Need.NETWORK, f"{name}({keyword.arg}=True)")
        for keyword in call.keywords
        if keyword.arg in ("download", "pretrained")
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
    ]
    return tuple(found) or None


@_OF_CALL.rule("weights-of-an-application")
def _weights(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A model of `keras.applications` that is not told to do without its weights."""
    last = _last(name)
    application = ".applications." in f".{name}" and last[:1].isupper()
    if not application or _connects(name) or _has_no_weights(call):
        return None
    return ((Need.NETWORK, f"the weights of {last}"),)


@_OF_CALL.rule("command-of-the-network")
def _command(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A command of the shell that downloads."""
    if name not in ("os.system", "subprocess.run", "subprocess.check_call", "subprocess.call"):
        return None
    words = " ".join(
        n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )
    return ((Need.NETWORK, name),) if _DOWNLOADS.search(words) else None


@_OF_CALL.rule("file")
def _file(call: ast.Call, name: str, paths: _Paths) -> tuple[Found, ...] | None:
    """A file that is read, and that nothing has written before."""
    path = _path(call, paths.constants) if _reads(call) else None
    if path is None or path in paths.written or path.startswith(("/dev/", "/proc/")):
        return None
    return ((Need.FILES, path),)


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _connects(name: str) -> bool:
    return _last(name) in _NETWORK_CALLS or any(part in name + "." for part in _NETWORK_NAMES)


def _has_no_weights(call: ast.Call) -> bool:
    return any(
        k.arg == "weights" and isinstance(k.value, ast.Constant) and k.value.value is None
        for k in call.keywords
    )
