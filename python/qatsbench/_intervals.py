"""Figures of one number a method: differences with intervals, and means."""

_FAR = 4  # times the median reach of the differences, beyond which one is written at the edge


def differences(pairs, best, label, ax=None, title=None):
    """Draw the differences of pairs, by name and the best first, with their intervals, and return the axes. The
    one named best has a colour. A difference far from the others stands at the edge, as a number."""
    ax = _axes(ax, len(pairs), title)
    lo, hi = _limits(list(pairs.values()))
    for at, (name, p) in enumerate(reversed(pairs.items())):
        shown = {"color": "C0" if name == best else "C7"}
        if not lo <= p["difference"] <= hi:
            right = p["difference"] > hi
            ax.plot(hi if right else lo, at, ">" if right else "<", clip_on=False, **shown)
            ax.annotate(
                f"{p['difference']:+.3g}",
                (hi if right else lo, at),
                (-8 if right else 8, 0),
                textcoords="offset points",
                ha="right" if right else "left",
                va="center",
                fontsize="small",
            )
            continue
        ax.plot(p["difference"], at, "o", **shown)
        if p.get("lo") is not None:
            ax.hlines(at, max(p["lo"], lo), min(p["hi"], hi), **shown)
    ax.axvline(0, color="0.5", linewidth=0.8, linestyle="--")
    ax.set_xlim(lo, hi)
    ax.set_yticks(range(len(pairs)), list(pairs)[::-1])
    ax.set_xlabel(label)
    return ax


def bars(names, values, label, ax=None, title=None):
    """Draw values as bars, the first at the top, and return the axes."""
    ax = _axes(ax, len(names), title)
    ax.barh(range(len(names)), values[::-1], color=["C7"] * (len(names) - 1) + ["C0"])
    ax.set_yticks(range(len(names)), names[::-1])
    ax.set_xlabel(label)
    return ax


def _axes(ax, rows, title):
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6.4, 1.2 + 0.3 * rows), layout="constrained")
    if title is not None:
        ax.set_title(title)
    return ax


def _limits(pairs):
    """Return the ends of an axis of differences: all of them, but those that are many times as far from 0 as most."""
    reach = lambda p: max(abs(p["difference"]), *(abs(p[end]) for end in ("lo", "hi") if p.get(end) is not None), 0)  # noqa: E731
    most = _FAR * sorted(map(reach, pairs))[(len(pairs) - 1) // 2]
    near = [p for p in pairs if abs(p["difference"]) <= most] or pairs
    ends = [max(-most, min(most, v)) if most else v for p in near for v in (p["difference"], p.get("lo"), p.get("hi")) if v is not None]
    lo, hi = min(0, *ends), max(0, *ends)
    far = [p["difference"] for p in pairs if p not in near]
    lo, hi = min([lo, *(-most for v in far if v < 0)]), max([hi, *(most for v in far if v > 0)])
    edge = 0.05 * (hi - lo) or 1
    return lo - edge, hi + edge
