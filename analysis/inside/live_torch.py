"""What the probe does to live values of PyTorch: changes of shape, and what tells a change."""

import torch

MODULES = {"torch": torch}
"""What the texts of fills may name."""


def pin():
    """One thread: a forked process has no pool of them."""
    torch.set_num_threads(1)


def synchronize():
    """Wait until the GPU, if one is in use, has done what it was told."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def is_symbolic(value):
    """Whether a value stands for a tensor whose numbers nobody knows."""
    return is_tensor(value) and value.is_meta


def memory(value, others):
    """How a tensor lies in memory, whether it shares that with one of the others, and whether it
    is a dual tensor."""
    if value.layout is not torch.strided or value.is_meta:
        return None
    place = value.untyped_storage().data_ptr()
    shared = any(
        is_tensor(one)
        and one.layout is torch.strided
        and not one.is_meta
        and one.untyped_storage().data_ptr() == place
        for one in others
    )
    dual = torch.autograd.forward_ad.unpack_dual(value).tangent is not None
    return [list(value.stride()), value.is_conj(), value.is_neg(), shared, dual]


def copies(tensors):
    """{id: another tensor like it}, for a call that writes to what it is given.

    Without those that a copy would not be the same as: what shares memory with another one, or has
    more of it than elements, what gradients go through, and all that are no plain dense tensors.
    """
    known = {id(value): value for value in tensors}.values()
    plain = [value for value in known if value.layout is torch.strided and not value.is_meta]
    memory = [value.untyped_storage().data_ptr() for value in plain]
    made = {}
    for value, place in zip(plain, memory):
        own = memory.count(place) == 1 and not value._is_view() and not value.storage_offset()
        size = value.numel() * value.element_size()
        if own and value.untyped_storage().nbytes() == size and _bare(value):
            copy = value.clone()
            if copy.stride() == value.stride() and copy.is_inference() == value.is_inference():
                made[id(value)] = copy
    return made


def _bare(value):
    """Whether a tensor is no more than its elements."""
    more = value.requires_grad or value.grad is not None or value.is_conj() or value.is_neg()
    return type(value) is torch.Tensor and not value.is_quantized and not more and not vars(value)


def array(value):
    """The elements as a NumPy array, sharing memory where possible; None where there are none."""
    if not is_tensor(value) or value.is_meta:
        return None
    value = value.detach().resolve_conj().resolve_neg()
    if value.is_quantized:
        value = value.dequantize()
    if value.layout is not torch.strided:
        value = value.to_dense()
    if value.dtype is torch.bfloat16:
        value = value.float()
    return value.cpu().numpy()


def perturbed(value):
    """Another value like it, finite, and depending on it as far as gradients are concerned."""
    if not is_tensor(value):
        return value
    if value.is_quantized:
        return _requantized(value)
    if value.layout is torch.sparse_coo:
        values = perturbed(value._values())
        return torch.sparse_coo_tensor(value._indices(), values, value.shape)
    if value.is_mkldnn:
        return perturbed(value.to_dense()).to_mkldnn()
    if value.layout is not torch.strided:
        return _compressed(value)
    if value.dtype is torch.bool:
        return ~value
    if value.is_floating_point() or value.is_complex():
        return torch.where(torch.isfinite(value), value, torch.zeros_like(value)) * 2 + 7
    return value + 1


def _requantized(value):
    """Other numbers, of another scale, quantised in the same way."""
    numbers = value.int_repr().bitwise_xor(1)
    if value.qscheme() is torch.per_tensor_affine:
        scale = abs(value.q_scale()) * 2 + 1
        make, zero = torch._make_per_tensor_quantized_tensor, value.q_zero_point()
        return make(numbers, scale, zero)
    if value.qscheme() is torch.per_channel_affine:
        scales = perturbed(value.q_per_channel_scales())
        make, zeros = torch._make_per_channel_quantized_tensor, value.q_per_channel_zero_points()
        return make(numbers, scales, zeros, value.q_per_channel_axis())
    return value


def _compressed(value):
    """Other numbers in the same places of a compressed sparse matrix."""
    if value.layout in (torch.sparse_csr, getattr(torch, "sparse_bsr", None)):
        places = value.crow_indices(), value.col_indices()
    elif value.layout in (getattr(torch, "sparse_csc", 0), getattr(torch, "sparse_bsc", 0)):
        places = value.ccol_indices(), value.row_indices()
    else:
        return value
    make = torch.sparse_compressed_tensor
    return make(*places, perturbed(value.values()), value.shape, layout=value.layout)


def overwrite(value, other):
    """Write other content into a tensor; what cannot be written to stays.

    Gradients go back through what it was made of, where the tensor is not one that they end in.
    """
    if is_tensor(value) and is_tensor(other) and value.shape == other.shape:
        if value.grad_fn is not None and other.grad_fn is not None and torch.is_grad_enabled():
            try:
                value.copy_(other)
                return
            except RuntimeError:  # a view that autograd lets nobody write to
                pass
        with torch.no_grad():
            try:
                value.data.copy_(other)
            except RuntimeError:  # its elements share memory (`expand`)
                value.data = other.data


def doubled(value, whole=False):
    """A dense tensor in double precision, if of real or complex numbers, or `whole` ones."""
    if not is_tensor(value) or value.layout is not torch.strided:
        return value
    if value.is_complex():
        return value.to(torch.complex128)
    whole = whole and value.dtype is not torch.bool and not value.is_quantized
    return value.to(torch.float64) if value.is_floating_point() or whole else value


def cleaned(value, number):
    """The value with `number` in place of each NaN and infinity, as far as it is a dense tensor."""
    if not _of_fractions(value):
        return value
    other = torch.where(torch.isfinite(value), value, torch.full_like(value, number))
    return _filled(value, other)


def _of_fractions(value):
    """Whether a value is a dense tensor of numbers that need not be finite."""
    dense = is_tensor(value) and value.layout is torch.strided
    return dense and (value.is_floating_point() or value.is_complex())


def _filled(value, other):
    """A copy of a tensor with other numbers, through which gradients go as if it had its own.

    Those that `where` puts in place of some get no gradient.
    """
    copy = value.clone()
    with torch.no_grad():
        copy.copy_(other)
    return copy


def of_numbers(_):
    """Nothing: functions make no tensors of arrays, lists and numbers."""
    return None


def bounded(value, size, falling):
    """The value with large numbers in place of infinities, as far as it is a dense tensor.

    They are what `size` makes of the largest number of its dtype, with their sign, times numbers
    from 1 to 2 that rise from element to element, or fall.
    """
    if not _of_fractions(value):
        return value
    if value.is_complex():
        parts = torch.view_as_real(value.detach().resolve_conj())
        return _filled(value, torch.view_as_complex(bounded(parts, size, falling)))
    ends = (2, 1) if falling else (1, 2)
    steps = torch.linspace(*ends, value.numel(), dtype=value.dtype).reshape(value.shape)
    large = steps.to(value.device) * size(torch.finfo(value.dtype).max)
    return _filled(value, torch.where(torch.isinf(value), torch.sign(value) * large, value))


def listened(value, told, alias=True):
    """The value, or an alias, of whose gradients `told` learns whether they are finite.

    An alias has those of one use alone. Whoever cannot listen without one makes it anyway.
    """
    if not is_tensor(value) or not value.requires_grad or value.layout is not torch.strided:
        return value
    heard = value.view_as(value) if alias else value

    def tell(gradient):
        if gradient is not None:
            dense = gradient if gradient.layout is torch.strided else gradient.to_dense()
            told(bool(torch.isfinite(dense).all()))

    heard.register_hook(tell)
    return heard


def scaled(value, factors):
    """The value times an array of its shape, as far as it is a dense tensor."""
    if not is_tensor(value) or value.is_quantized:
        return value
    return value * torch.from_numpy(factors).to(value.device, value.dtype)


def mark(tensor):
    """What is known of a tensor; some have no version (inference mode) or no shape yet (Lazy)."""
    known = []
    for name in ("_version", "requires_grad", "dtype", "shape"):
        try:
            value = getattr(tensor, name)
            known.append(tuple(value) if name == "shape" else value)
        except Exception:
            known.append(None)
    return known


def parameters(layer):
    """The layer's own parameters by name; none of what is no layer."""
    return getattr(layer, "_parameters", {})


def attributes(layer):
    """What the layer's functional form may be given of it: its state and its mode, by name."""
    if not isinstance(layer, torch.nn.Module):
        return {}
    return {**layer._buffers, **layer._parameters, "training": layer.training}


def become(layer, model):
    """Give a new layer the mode and the dtype that the case has given its own since it made it.

    In the text, `.eval()` and `.double()` stay where they are.
    """
    if not isinstance(layer, torch.nn.Module) or not isinstance(model, torch.nn.Module):
        return
    layer.train(model.training)
    dtypes = {p.dtype for p in model.parameters() if _real(p)}
    if len(dtypes) == 1 and {p.dtype for p in layer.parameters() if _real(p)} - dtypes:
        layer.to(dtypes.pop())


def load(layer, args, kwargs, state):
    """Give a layer its mode, and tensors for its parameters and buffers, whatever it is called
    with."""
    if not isinstance(layer, torch.nn.Module):
        return
    state = dict(state)
    layer.train(state.pop("training", layer.training))
    if state:
        layer.load_state_dict(state)


def _real(parameter):
    return parameter.dtype.is_floating_point or parameter.dtype.is_complex


def lift(value, amount, behind=0):
    """Add dimensions of size 1; opaque layouts go through a dense tensor."""
    if value.layout is torch._mkldnn:
        return lift(value.to_dense(), amount, behind).to_mkldnn()
    for _ in range(amount):
        value = value.unsqueeze(-1 - behind)
    return value


def repeat(value, amount, behind=0):
    """Add dimensions as long as the one in front of the last `behind`, along which all is equal."""
    for _ in range(amount):
        value = torch.stack([value] * max(value.shape[-1 - behind], 1), -1 - behind)
    return value


def lower(value, amount, behind=0):
    """Drop dimensions, keeping their first entries; opaque layouts as above."""
    if value.layout is torch._mkldnn:
        return lower(value.to_dense(), amount, behind).to_mkldnn()
    for _ in range(amount):
        value = value.select(-1 - behind, 0)
    return value


def lead(value, amount):
    """Add dimensions of size 1 in front."""
    for _ in range(amount):
        value = value.unsqueeze(0)
    return value


def behead(value, amount):
    """Drop dimensions in front, keeping their first entries."""
    for _ in range(amount):
        value = value[0]
    return value


def narrow(value, amount):
    """Make the last dimension `amount` long: cut it, or repeat its first entry."""
    have = value.shape[-1]
    if have >= amount:
        return value[..., :amount]
    return torch.cat([value] + [value[..., :1]] * (amount - have), -1)


def made(value, dtype=None):
    """A tensor of a number or a list, of a dtype's name."""
    return torch.tensor(value, dtype=dtype and getattr(torch, dtype))


def quantize(value, dtype):
    """A tensor of real numbers quantised, at a scale that suits them."""
    return torch.quantize_per_tensor_dynamic(value.float(), getattr(torch, dtype), False)


STEPS = {
    "lift": lift,
    "repeat": repeat,
    "lower": lower,
    "lead": lead,
    "behead": behead,
    "narrow": narrow,
    "indices": lambda value: value.coalesce().indices(),
    "values": lambda value: value.coalesce().values(),
    "shape": lambda value: list(value.shape),
    "clone": lambda value: value.clone(),
    "tensor": made,
    "stack": torch.stack,
    "zeros": torch.zeros_like,
    "cast": lambda value, dtype: value.to(getattr(torch, dtype)),
    "quantize": quantize,
    "mean": torch.mean,
    "sum": torch.sum,
    "max": torch.max,
    "min": torch.min,
}
