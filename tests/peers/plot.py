"""A line plot with a logarithmic y axis, as SVG: sizes over a small whole number, CPU seconds written at the points."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 20, 40, 50
COLOURS = ("#1f4e79", "#b03a2e", "#3c7a3c", "#7d5ba6")


def short(value):
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value // size} {letter}"
    return str(value)


def plot(path, title, x_label, series):
    """series: {name: [(x, size, seconds or None)]}; a point without seconds was over the limit and is left out."""
    points = [(x, y) for line in series.values() for x, y, seconds in line if seconds is not None]
    x_low, x_high = min(x for x, _ in points), max(x for x, _ in points)
    low = math.floor(math.log10(min(y for _, y in points)))
    high = math.ceil(math.log10(max(y for _, y in points)) + 0.05)

    def at_x(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * (0.05 + 0.85 * (x - x_low) / max(1, x_high - x_low))

    def at_y(y):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(y) - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>']
    for power in range(low, high + 1):
        y = at_y(10**power)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(10**power)}</text>')
    for x in range(x_low, x_high + 1):
        out.append(f'<text x="{at_x(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_label)}</text>')
    highest = {}
    for line in series.values():
        for x, y, seconds in line:
            if seconds is not None:
                highest[at_x(x)] = min(highest.get(at_x(x), HEIGHT), at_y(y))
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = [(at_x(x), at_y(y), seconds) for x, y, seconds in line if seconds is not None]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in drawn)
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for x, y, seconds in drawn:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
            # Above the highest point at this x, below the others: so it crosses few lines.
            above = y == highest[x]
            place = f'x="{x - 4:.1f}" y="{y - 8:.1f}" text-anchor="middle"' if above else f'x="{x + 5:.1f}" y="{y + 14:.1f}"'
            out.append(f'<text {place} fill="{colour}" font-size="10">{seconds:.2f} s</text>')
        out.append(f'<text x="{LEFT + 10}" y="{TOP + 14 + 16 * number}" fill="{colour}">{escape(name)}</text>')
    out.append("</svg>\n")
    with open(path, "w") as file:
        file.write("\n".join(out))
