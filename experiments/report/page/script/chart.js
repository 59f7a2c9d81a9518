// Charts. Every chart has a name for screen readers, and callers add a table.

// ticksOf returns about n round numbers in [lo, hi].
function ticksOf(lo, hi, n) {
  const raw = (hi - lo) / n || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => (hi - lo) / s <= n) || power * 10;
  const list = [];
  for (let t = Math.ceil(lo / step - 1e-9) * step; t <= hi + step * 1e-9; t += step) list.push(Math.abs(t) < step * 1e-9 ? 0 : Number(t.toPrecision(12)));
  return list;
}

const tickText = t => String(Number(t.toPrecision(6))).replace("-", "−");

// frame returns the axes of a chart: the svg, and the scales x and y.
function frame({name, width = 460, height = 300, x, y, xTitle, yTitle, left = 48, small = false}) {
  width = room(width);
  const top = 10;
  const right = 12;
  const bottom = small ? 22 : 40;
  const sx = v => left + ((v - x[0]) / (x[1] - x[0])) * (width - left - right);
  const sy = v => height - bottom - ((v - y[0]) / (y[1] - y[0])) * (height - top - bottom);
  const root = svg("svg", {class: "chart", role: "img", "aria-label": name, viewBox: `0 0 ${width} ${height}`, width, height});
  for (const t of ticksOf(y[0], y[1], small ? 3 : 6)) {
    root.append(
      svg("line", {class: "grid", x1: left, x2: width - right, y1: sy(t), y2: sy(t)}),
      svg("text", {class: "tick", x: left - 5, y: sy(t) + 4, "text-anchor": "end"}, tickText(t)),
    );
  }
  for (const t of x.ticks || ticksOf(x[0], x[1], small ? 5 : 8)) {
    root.append(svg("text", {class: "tick", x: sx(t), y: height - bottom + 14, "text-anchor": "middle"}, tickText(t)));
  }
  if (xTitle) root.append(svg("text", {x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, xTitle));
  if (yTitle)
    root.append(svg("text", {transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle"}, yTitle));
  root.append(svg("rect", {class: "frame", x: left, y: top, width: width - left - right, height: height - top - bottom}));
  return {root, sx, sy, left, right: width - right, top, bottom: height - bottom};
}

const path = points => points.map((p, i) => (i ? "L" : "M") + p[0].toFixed(1) + " " + p[1].toFixed(1)).join("");

// area returns a filled band through [x, lo, hi].
function area(f, band, attributes) {
  const there = band.map(b => [f.sx(b[0]), f.sy(b[1])]);
  const back = band.map(b => [f.sx(b[0]), f.sy(b[2])]).reverse();
  return svg("path", {d: path([...there, ...back]) + "z", ...attributes});
}

// curves draws series of {method, points}. Series that coincide are drawn on top of
// each other with falling widths, the upper ones dashed, so that all are seen.
function curves(f, series) {
  for (const group of coinciding(series)) {
    group.forEach((s, i) => {
      const width = 2 + 3 * (group.length - 1 - i);
      f.root.append(
        svg("path", {
          class: "curve",
          d: path(s.points.map(([a, b]) => [f.sx(a), f.sy(b)])),
          style: "stroke:" + color(s.method),
          "stroke-width": width,
          "stroke-dasharray": i > 0 ? "7 7" : group.length === 1 ? data.methods[s.method].dash || null : null,
        }),
      );
    });
    group.forEach((s, i) =>
      s.points.forEach(([a, b]) => f.root.append(marker(s.method, f.sx(a), f.sy(b), 3.4 + 1.8 * (group.length - 1 - i)))),
    );
  }
}

// coinciding groups series with the same points.
function coinciding(series) {
  const groups = new Map();
  for (const s of series) {
    const k = JSON.stringify(s.points);
    groups.set(k, [...(groups.get(k) || []), s]);
  }
  return [...groups.values()];
}

// keyLine is the legend of series; methods that coincide have one entry.
function keyLine(series) {
  return el(
    "ul",
    {class: "key-line"},
    coinciding(series).map(group =>
      el(
        "li",
        {},
        group.map(s => swatch(s.method)),
        group.map(s => label(s.method)).join(" = ") + (group.length > 1 ? " (they coincide)" : ""),
      ),
    ),
  );
}

// limitOf returns the largest distance from zero that an axis shows, and whether it
// cuts outliers off: distances beyond four times the third quartile of those that are
// not zero.
function limitOf(distances) {
  const sorted = distances
    .map(Math.abs)
    .filter(x => x > 0)
    .sort((a, b) => a - b);
  const most = sorted.at(-1) || 0;
  const quartile = sorted[Math.floor((3 * (sorted.length - 1)) / 4)] || 0;
  if (quartile > 0 && most > 4 * quartile) return [2 * quartile, true];
  return [most ? most * 1.05 : 1, false];
}

// forest draws rows of {name, method, mid, lo, hi} around zero; lo and hi are null without
// an interval.
function forest(name, rows, xTitle) {
  const [limit, clipped] = limitOf(rows.flatMap(r => [r.mid, r.lo, r.hi]).filter(x => x !== null));
  const height = 22 * rows.length + 52;
  const left = room(520) < 400 ? 96 : 130;
  const width = 520;
  const f = frame({name, width, height, x: [-limit, limit], y: [rows.length, 0], xTitle, left, small: false});
  f.root.querySelectorAll("line.grid").forEach(n => n.remove());
  f.root.querySelectorAll("text.tick[text-anchor=end]").forEach(n => n.remove());
  f.root.append(svg("line", {class: "zero", x1: f.sx(0), x2: f.sx(0), y1: f.top, y2: f.bottom}));
  const held = v => Math.max(-limit, Math.min(limit, v));
  rows.forEach((r, i) => {
    const y = f.sy(i + 0.5);
    const stroke = "stroke:" + color(r.method);
    f.root.append(
      svg("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, r.name),
    );
    if (r.lo !== null)
      f.root.append(svg("line", {x1: f.sx(held(r.lo)), x2: f.sx(held(r.hi)), y1: y, y2: y, style: stroke, "stroke-width": 2}));
    for (const [end, way] of [
      [r.lo ?? 0, 1],
      [r.hi ?? 0, -1],
    ]) {
      if (end * -way > limit)
        f.root.append(svg("path", {d: `M${f.sx(held(end))} ${y}l${8 * way} -5v10z`, style: "fill:" + color(r.method)}));
    }
    if (Math.abs(r.mid) <= limit) f.root.append(marker(r.method, f.sx(r.mid), y, 4));
  });
  return {chart: f.root, note: clipped ? "An arrow marks an interval that goes on beyond the axis; the table has its numbers." : ""};
}
