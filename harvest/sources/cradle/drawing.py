"""A localisation map as a drawing: the network's graph with R_L, as one SVG that stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from harvest.sources.cradle.comparing import Comparison
from harvest.sources.networks import Network

WIDTH, ROW, BOX, LEFT, TOP = 640, 46, 30, 90, 98
PLAIN, HIGHLIGHTED, BLAMED = "#eef2f6", "#ffe3a8", "#f4a09a"


def draw(network: Network, found: Comparison, blamed: str) -> str:
    """The layers from top to bottom: highlighted above the third quartile, the blamed one red."""
    height = TOP + ROW * (len(network.layers) + 1)
    title = f"{network.name}: {found.pair[0]} against {found.pair[1]}"
    told = (
        f"D_CLASS {found.d_class:g}, D_MAD {found.d_mad:.3g}, instance {found.worst};"
        f" blamed: {blamed}, R is number {found.place(blamed)} of {len(found.rates)}"
    )
    first = next(iter(found.highlighted), "none")
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
            ' font-family="sans-serif" font-size="13">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            f'<text x="20" y="28" font-size="16">{escape(title)}</text>',
            f'<text x="20" y="50">{escape(told)}</text>',
            f'<text x="20" y="68">{escape(f"instances: {found.pattern}")}</text>',
            f'<text x="20" y="86">first above the third quartile: {escape(first)}</text>',
            *_edges(network),
            *_boxes(network, found, blamed),
            "</svg>",
            "",
        )
    )


def _places(network: Network) -> dict[str, int]:
    """The upper edge of each box; inputs are in the first row."""
    names = ["", *(layer.name for layer in network.layers)]
    places = {name: TOP + ROW * row for row, name in enumerate(names)}
    return {**places, **dict.fromkeys(network.inputs, TOP)}


def _edges(network: Network) -> Iterator[str]:
    """Straight where the next layer takes it, around the boxes in between where not."""
    places = _places(network)
    for layer in network.layers:
        end = places[layer.name]
        for name in layer.inputs:
            start = places[name] + BOX
            middle = WIDTH / 2
            path = f"M{middle} {start} L{middle} {end}"
            if end - start > ROW:
                path = f"M{LEFT} {start - BOX / 2} C20 {start} 20 {end} {LEFT} {end + BOX / 2}"
            yield f'<path d="{path}" fill="none" stroke="#678" stroke-width="1.5"/>'


def _boxes(network: Network, found: Comparison, blamed: str) -> Iterator[str]:
    yield _box(TOP, PLAIN, "input " + ", ".join(network.inputs), "")
    for layer in network.layers:
        colour = HIGHLIGHTED if layer.name in found.highlighted else PLAIN
        if layer.name == blamed:
            colour = BLAMED
        rate, error = found.rates.get(layer.name), found.errors.get(layer.name)
        told = "" if rate is None else f"R {rate:.3g}"
        told += "" if error is None else f"   relative error {error:.1e}"
        yield _box(_places(network)[layer.name], colour, layer.name, told)


def _box(top: int, colour: str, name: str, told: str) -> str:
    base = top + BOX - 10
    return (
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{BOX}" rx="5"'
        f' fill="{colour}" stroke="#678"/>'
        f'<text x="{LEFT + 10}" y="{base}">{escape(name)}</text>'
        f'<text x="{WIDTH - LEFT - 10}" y="{base}" text-anchor="end">{escape(told)}</text>'
    )
