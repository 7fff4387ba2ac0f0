"""Made-up issues, always the same ones for a seed."""

import random
from datetime import UTC, datetime, timedelta

START = datetime(2020, 1, 1, tzinfo=UTC)
CALLS = (
    "conv2d",
    "pool",
    "matmul",
    "cumsum",
    "scatter",
    "norm",
    "fold",
    "median",
    "sort",
    "einsum",
)
_TEXT = (
    "tensor shape fails when the input has zero dimension and gradient wrong result crash on cpu "
    "with negative stride large value complex dtype bfloat16 backward call returns nan instead of "
    "error message expected behaviour version build compile mode eager memory grows slow"
)
WORDS = _TEXT.split()
LABELS = ("module: crash", "triaged", "bug", "module: cuda", "question", "feature", "module: nn")


def stamp(seconds):
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def code(rng, call=None):
    call = call or rng.choice(CALLS)
    shape = [rng.randint(0, 9) for _ in range(rng.randint(1, 4))]
    lines = ["import torch", f"x = torch.rand({shape})"]
    lines += [f"y{at} = x * {rng.random():.6f} + {rng.randint(0, 999)}" for at in range(3)]
    lines += [f"print(torch.{call}(y{rng.randint(0, 2)}, {rng.randint(-9, 9)}))"]
    return "\n".join(lines)


def issue(number, rng, updated=None):
    words = " ".join(rng.choices(WORDS, k=rng.randint(10, 60)))
    body = words + (f"\n```python\n{code(rng)}\n```\n" if rng.random() < 0.5 else "")
    closed = rng.random() < 0.4
    thread = [" ".join(rng.choices(WORDS, k=12)) for _ in range(rng.choice((0, 1, 3, 7)))]
    return {
        "number": number,
        "title": " ".join(rng.choices(WORDS, k=7)),
        "body": body,
        "state": "closed" if closed else "open",
        "state_reason": rng.choice(("COMPLETED", "NOT_PLANNED")) if closed else None,
        "created_at": stamp(number * 60),
        "updated_at": stamp(number * 60) if updated is None else updated,
        "labels": rng.sample(LABELS, rng.randint(0, 3)),
        "thread": thread,
        "events": [event(rng)] if closed and rng.random() < 0.5 else [],
    }


def event(rng):
    at = stamp(rng.randint(0, 10**6))
    pull = {"__typename": "PullRequest", "number": 1, "url": "https://github.com/some/where/pull/1"}
    return rng.choice(
        [
            {"__typename": "ClosedEvent", "createdAt": at, "closer": pull},
            {
                "__typename": "ClosedEvent",
                "createdAt": at,
                "closer": {"__typename": "Commit", "oid": "c" * 40},
            },
            {"__typename": "ClosedEvent", "createdAt": at, "closer": None},
            {
                "__typename": "CrossReferencedEvent",
                "createdAt": at,
                "willCloseTarget": True,
                "source": pull,
            },
            {"__typename": "ReferencedEvent", "createdAt": at, "commit": {"oid": "d" * 40}},
            {
                "__typename": "ConnectedEvent",
                "createdAt": at,
                "subject": {**pull, "__typename": "Issue"},
            },
        ]
    )


def issues(count, seed=1, per_second=1):
    """`count` issues of which `per_second` share each second of update."""
    rng = random.Random(seed)
    return [issue(at, rng, stamp(at // per_second * 60)) for at in range(1, count + 1)]
