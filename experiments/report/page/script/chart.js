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

// textWidth returns the width of a text of a chart.
const pen = document.createElement("canvas").getContext("2d");
function textWidth(text, size = 12) {
  pen.font = size + 'px system-ui, "DejaVu Sans", sans-serif';
  return pen.measureText(text).width;
}

// cut shortens a text until it fits into a width.
function cut(text, width) {
  if (textWidth(text) <= width) return text;
  let kept = text;
  while (kept && textWidth(kept + "…") > width) kept = kept.slice(0, -1);
  return kept + "…";
}

const yTicks = (y, small) => ticksOf(y[0], y[1], small ? 3 : 6);

// marginOf returns the width left of a y axis that its numbers and its title need.
const marginOf = (y, title, small) => Math.ceil(Math.max(...yTicks(y, small).map(t => textWidth(tickText(t), 11)))) + (title ? 28 : 9);

// frame returns the axes of a chart: the svg, and the scales x and y. With left, which is
// the width of the names of rows, y has no numbers.
function frame({name, width = 460, height = 300, x, y, xTitle, yTitle, margin = 0, left = 0, top = 10, small = false}) {
  width = room(width);
  const numbered = !left;
  left = left || Math.max(margin, marginOf(y, yTitle, small));
  const right = 12;
  const bottom = small ? 22 : 40;
  const sx = v => left + ((v - x[0]) / (x[1] - x[0])) * (width - left - right);
  const sy = v => height - bottom - ((v - y[0]) / (y[1] - y[0])) * (height - top - bottom);
  const root = svg("svg", {class: "chart", role: "img", "aria-label": name, viewBox: `0 0 ${width} ${height}`, width, height});
  for (const t of numbered ? yTicks(y, small) : []) {
    root.append(
      svg("line", {class: "grid", x1: left, x2: width - right, y1: sy(t), y2: sy(t)}),
      svg("text", {class: "tick", x: left - 5, y: sy(t) + 4, "text-anchor": "end"}, tickText(t)),
    );
  }
  for (const t of x.ticks || ticksOf(x[0], x[1], small || width < 340 ? 5 : 8)) {
    root.append(svg("text", {class: "tick", x: sx(t), y: height - bottom + 14, "text-anchor": "middle"}, tickText(t)));
  }
  if (xTitle) root.append(svg("text", {x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, xTitle));
  if (yTitle)
    root.append(
      svg("text", {class: "y-title", transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle"}, yTitle),
    );
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

// bulk returns the largest distance from zero that an axis has to show, and whether others
// are beyond it, as the figures decide it (plots/clip.go): an outlier is more than 2.2 times
// as far as the next value, and one in eight at most is one. Distances up to least are none.
function bulk(distances, least) {
  const list = distances.map(Math.abs).sort((a, b) => b - a);
  for (let i = 1; list.length >= 6 && i <= Math.max(1, Math.floor(list.length / 8)) && i < list.length; i++)
    if (list[i - 1] > 2.2 * Math.max(list[i], least)) return [list[i], true];
  return [list[0] || 0, false];
}

// leastReach is the distance up to which no difference in a metric is an outlier.
const leastReach = metric => (metricById.get(metric)?.percent ? 1 : 0.01);

const clippedNote = "An arrow marks a value beyond the axis, with its number.";

// arrow is the head of an arrow with its tip at (x, y).
const arrow = (x, y, dx, dy, fill) =>
  svg("path", {class: "beyond", d: `M${x} ${y}l${-8 * dx + 5 * dy} ${-8 * dy + 5 * dx}l${-10 * dy} ${-10 * dx}z`, style: "fill:" + fill});

// forest draws rows of {name, method, mid, lo, hi} around zero; lo and hi are null without
// an interval.
function forest(name, rows, xTitle, metric) {
  const digits = metricById.get(metric)?.digits ?? 4;
  const [largest, clipped] = bulk(
    rows.flatMap(r => [r.mid, r.lo, r.hi]).filter(x => x !== null),
    leastReach(metric),
  );
  const limit = 1.05 * largest || 1;
  const width = 520;
  const left = Math.min(Math.max(...rows.map(r => textWidth(r.name))) + 18, 0.4 * room(width));
  const f = frame({name, width, height: 22 * rows.length + 52, x: [-limit, limit], y: [rows.length, 0], xTitle, left});
  f.root.append(svg("line", {class: "zero", x1: f.sx(0), x2: f.sx(0), y1: f.top, y2: f.bottom}));
  const held = v => Math.max(-limit, Math.min(limit, v));
  rows.forEach((r, i) => {
    const y = f.sy(i + 0.5);
    const stroke = "stroke:" + color(r.method);
    f.root.append(
      svg("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, cut(r.name, left - 14), svg("title", {}, r.name)),
    );
    if (r.lo !== null)
      f.root.append(svg("line", {x1: f.sx(held(r.lo)), x2: f.sx(held(r.hi)), y1: y, y2: y, style: stroke, "stroke-width": 2}));
    for (const way of [-1, 1]) {
      const end = [r.mid, way < 0 ? r.lo : r.hi].filter(v => v !== null && v * way > limit);
      if (!end.length) continue;
      const tip = f.sx(way * limit);
      f.root.append(
        arrow(tip, y, way, 0, color(r.method)),
        svg(
          "text",
          {class: "tick halo", x: tip - 11 * way, y: y + 4, "text-anchor": way < 0 ? "start" : "end"},
          plain(way * Math.max(...end.map(Math.abs)), digits),
        ),
      );
    }
    if (Math.abs(r.mid) <= limit) f.root.append(marker(r.method, f.sx(r.mid), y, 4));
  });
  return {chart: f.root, note: clipped ? clippedNote : ""};
}
