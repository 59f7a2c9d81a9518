// Charts, drawn by Observable Plot. Every chart has a name for screen readers, tips under the
// pointer, and, in its figure, a table.

// figure is a chart with its title, legend, notes and the table of its numbers, which is that of
// the arguments of tableOf; several tables may be given.
function figure({title, legend, charts, notes = [], tables = []}) {
  return el("figure", {}, el("figcaption", {}, title), legend, charts, notes.map(small), tables.length ? folded("Table of this chart", () => tables.map(t => tableOf(...t()))) : null);
}

// columnWidth returns the width of one of some charts that stand beside each other where there is
// room, as the class charts has it. inset is what frames around them take.
function columnWidth(charts = 1, inset = 0, least = 416) {
  const all = Math.min(1344, document.documentElement.clientWidth) - 32 - inset;
  const fit = Math.max(1, Math.min(charts, Math.floor((all + 16) / (least + 16))));
  return Math.max(240, Math.floor((all - 16 * (fit - 1)) / fit));
}

// narrow reports whether the screen is that of a telephone, as page.css has it.
const narrow = () => innerWidth <= 640;

const tickText = t => String(Number(Number(t).toPrecision(6))).replace("-", "−");

// chart returns a plot. The names that Plot gives to its parts are kept as data, since the chart
// is one image to a screen reader.
function chart({name, x, y, ...options}) {
  const root = Plot.plot({marginLeft: 50, marginRight: 16, marginBottom: 36, style: {fontSize: "12px"}, x: {tickFormat: tickText, labelAnchor: "center", labelArrow: "none", ...x}, y: {tickFormat: tickText, labelArrow: "none", ...y}, ...options});
  for (const part of root.querySelectorAll("[aria-label]")) {
    part.dataset.part = part.getAttribute("aria-label");
    part.removeAttribute("aria-label");
  }
  root.classList.add("chart");
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", name);
  return root;
}

// middle is the distance from the start of a band to its middle, 0 on a scale without bands.
const middle = scale => (scale?.bandwidth ? scale.bandwidth() / 2 : 0);

// markers are the points [x, y] of a method with its marker, which is that of the figures.
const markers = (points, m, r, options) =>
  Plot.dot(points, {
    x: p => p[0],
    y: p => p[1],
    ...options,
    render: (index, {x, y}, at) => svg("g", {opacity: options?.opacity}, [...index].map(i => marker(m, at.x[i] + middle(x), at.y[i] + middle(y), r))),
  });

// tips show the text of the point {x, y, title} that is nearest to the pointer.
const tips = points => Plot.tip(points, Plot.pointer({x: "x", y: "y", title: "title", maxRadius: 30}));

// interval is a line from lo to hi on a row, or in a column with the rule ruleX.
const interval = (points, options, rule = Plot.ruleY) => rule(points, {className: "interval", ...options});

// curves are the lines of series {method, points}. Series that coincide are drawn on top of each
// other with falling widths, the upper ones dashed, so that all are seen.
function curves(series) {
  return coinciding(series).flatMap(group => [
    ...group.map((s, i) =>
      Plot.line(s.points, {
        x: p => p[0],
        y: p => p[1],
        stroke: color(s.method),
        strokeWidth: 2 + 3 * (group.length - 1 - i),
        strokeDasharray: i > 0 ? "7 7" : group.length === 1 ? data.methods[s.method].dash || undefined : undefined,
      }),
    ),
    ...group.map((s, i) => markers(s.points, s.method, 3.6 + 1.8 * (group.length - 1 - i))),
  ]);
}

// coinciding groups series with the same points.
const coinciding = series => grouped(series, s => JSON.stringify(s.points));

// grouped returns the lists of what has the same key, in the order of their first members.
const grouped = (list, key) => d3.groups(list, key).map(([, of]) => of);

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

// zero is the line at zero of an axis.
const zero = (rule = Plot.ruleY) => rule([0], {className: "zero"});

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

const clippedNote = "A triangle marks a value beyond the axis, with its number.";

// beyond are triangles with numbers at the ends of an axis, for points {way, text, ...} that lie
// beyond it. at places them, and look is that of the triangles.
const beyond = (points, at, look) =>
  [-1, 1].flatMap(way => {
    const list = points.filter(p => p.way === way);
    const text = {text: "text", textAnchor: way < 0 ? "start" : "end", dx: -10 * way, stroke: "var(--bg)", strokeWidth: 3, fill: "currentColor"};
    return list.length ? [Plot.dot(list, {symbol: "triangle", className: "beyond", ...at(way), ...look(way)}), Plot.text(list, {...text, ...at(way)})] : [];
  });

// forest draws rows of {name, method, mid, lo, hi, verdict} around zero; lo and hi are null without
// an interval.
function forest(name, rows, xTitle, metric, width) {
  const digits = metricById.get(metric).digits;
  const ends = r => [r.mid, r.lo, r.hi].filter(x => x !== null);
  const [largest, clipped] = bulk(rows.flatMap(ends), leastReach(metric));
  const limit = 1.05 * largest || 1;
  const held = x => Math.max(-limit, Math.min(limit, x));
  const far = rows.flatMap((r, i) =>
    [-1, 1].flatMap(way => {
      const x = Math.max(...ends(r).map(v => v * way));
      return x > limit ? [{i, way, method: r.method, text: plain(way * x, digits)}] : [];
    }),
  );
  const left = Math.min(140, 0.36 * width);
  const root = chart({
    name,
    width,
    height: 22 * rows.length + 60,
    marginLeft: left,
    x: {domain: [-limit, limit], label: xTitle, grid: true},
    y: {type: "band", domain: d3.range(rows.length), axis: null},
    color: {type: "identity"},
    marks: [
      Plot.axisY({tickFormat: i => rows[i].name, lineWidth: left / 12 - 0.8, textOverflow: "ellipsis", tickSize: 0, label: null}),
      zero(Plot.ruleX),
      interval(d3.range(rows.length).filter(i => rows[i].lo !== null), {y: i => i, x1: i => held(rows[i].lo), x2: i => held(rows[i].hi), stroke: i => color(rows[i].method), strokeWidth: 2}),
      ...rows.map((r, i) => (Math.abs(r.mid) <= limit ? markers([[r.mid, i]], r.method, 4.5) : null)),
      ...beyond(far, way => ({x: way * limit, y: "i"}), way => ({rotate: 90 * way, r: 4, fill: b => color(b.method)})),
      tips(rows.map((r, i) => ({x: held(r.mid), y: i, title: `${r.name}: ${plain(r.mid, digits)}` + (r.lo === null ? "" : `\nfrom ${plain(r.lo, digits)} to ${plain(r.hi, digits)}`) + `\n${r.verdict}`}))),
    ],
  });
  return {root, notes: [clipped ? clippedNote : ""]};
}
