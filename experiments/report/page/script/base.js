// Helpers, and the data of the page with indices into it.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

// el returns an element. Attributes that begin with on are listeners; children are
// nodes or text, so that no identifier is ever read as HTML.
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(c => c !== null && c !== undefined && c !== ""));
  return node;
}

const metricById = new Map(data.metrics.map(m => [m.id, m]));
const methodIndex = new Map(data.methods.map((m, i) => [m.id, i]));
const cells = data.cells.setting.map((setting, i) => ({i, setting, method: data.cells.method[i], status: data.cells.status[i]}));
const cellAt = new Map(cells.map(c => [c.setting + ":" + c.method, c.i]));
const severalExperiments = new Set(data.settings.map(s => s.e)).size > 1;
data.settings.forEach((s, i) => {
  s.i = i;
  s.key = s.e + "/" + s.name;
  s.label = severalExperiments ? s.e + ": " + s.name : s.name;
  s.search = (s.e + " " + s.name + " " + s.l).toLowerCase();
  s.seeds = [];
});

// Several trainings of a network, its seeds, are one setting with their means. They are found
// by the words of any of them.
for (const s of data.settings) {
  if (s.of === undefined) continue;
  const whole = data.settings[s.of];
  whole.seeds.push(s);
  whole.search += " " + s.search;
}

const label = method => data.methods[method].label;
const color = method => "var(--m" + method + ")";

// cellOf returns the index of a cell, or undefined.
const cellOf = (setting, method) => cellAt.get(setting + ":" + method);

// value returns a number of a method on a setting, null where there is none.
function value(setting, method, metric) {
  const c = cellOf(setting, method);
  const column = data.values[metric];
  return c === undefined || !column || column[c] === undefined ? null : column[c];
}

// pairsOf returns the pairs of a method with another one in a metric, by the cell of the method:
// {against, d, lo, hi, outcome}. Those that have the other method in its place are turned around.
function pairsOf(metric, against) {
  const at = data.metrics.findIndex(m => m.id === metric);
  const found = new Map();
  const minus = x => (x === null ? null : -x);
  for (const [cell, other, index, d, lo, hi, outcome] of data.pairs) {
    if (index !== at) continue;
    if (other === against) found.set(cell, {d, lo, hi, outcome});
    else if (cells[cell].method === against) {
      const turned = cellOf(cells[cell].setting, other);
      if (!found.has(turned)) found.set(turned, {d: -d, lo: minus(hi), hi: minus(lo), outcome: outcome && WIN + LOSS - outcome});
    }
  }
  return found;
}

// The outcomes of a pair, as results.Outcome numbers them.
const [WIN, LOSS] = [1, 3];

// verdictLook has the mark of each verdict of a setting, and of none, as results.Outcome numbers
// them.
const verdictLook = [
  {name: "no verdict", symbol: "circle", fill: "var(--bg)", stroke: "var(--dim)"},
  {name: "better", symbol: "circle", fill: "var(--holds)", stroke: "var(--holds)"},
  {name: "no difference shown", symbol: "circle", fill: "var(--dim)", stroke: "var(--dim)"},
  {name: "worse", symbol: "square", fill: "var(--fails)", stroke: "var(--fails)"},
];

// rangeOf returns the least and the largest of what get returns of the seeds of a setting, null
// where it has none. get returns a number or null.
function rangeOf(s, get) {
  const range = d3.extent(s.seeds, get); // which skips null
  return range[0] === undefined ? null : range;
}

// ranged is a printed mean with the printed range over the seeds below it.
function ranged(mean, range, text) {
  return range ? [mean, el("span", {class: "range"}, text(range[0]) + " to " + text(range[1]))] : mean;
}

// print returns a value of a metric as tables print it: 100 x value for fractions.
function print(x, metric, extra = 0) {
  if (x === null || x === undefined) return "–";
  const m = metricById.get(metric);
  return plain(m && m.percent ? 100 * x : x, (m ? m.digits : 4) + extra);
}

// plain prints a number without the sign of a zero.
function plain(x, digits) {
  const s = x.toFixed(digits);
  return Number(s) === 0 ? s.replace("-", "") : s.replace("-", "−");
}

// signed is print with a plus sign for what prints above zero.
function signed(x, metric) {
  const s = print(x, metric);
  return x !== null && !s.startsWith("−") && Number(s) !== 0 ? "+" + s : s;
}

const unit = metric => (metricById.get(metric)?.percent ? "points (per cent)" : "the metric's unit");
const better = metric => metricById.get(metric)?.better || "";
const plural = (n, what) => n + " " + what + (n === 1 ? "" : "s");

// scroller holds what may be wider than the page. It can be scrolled by keys.
function scroller(name, ...children) {
  return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": name}, ...children);
}

// tableOf returns a table: headings, then rows whose first cell is a row header.
function tableOf(caption, headings, rows, left = 1) {
  const column = j => ({class: j < left ? null : "number"});
  const head = headings.map((h, j) => el("th", {scope: "col", ...column(j)}, h));
  const body = rows.map(r => el("tr", {}, r.map((x, j) => (j === 0 ? el("th", {scope: "row"}, x) : el("td", column(j), x)))));
  return scroller(caption, el("table", {}, el("caption", {class: "hidden"}, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

// folded is a summary; what it hides is made when it is first opened.
function folded(summary, make) {
  const box = el("details", {}, el("summary", {}, summary));
  box.addEventListener("toggle", () => box.children.length > 1 || box.append(...make()));
  return box;
}

const small = text => (text ? el("p", {class: "small"}, text) : null);

// select returns a labelled list of choices, each a value or [value, text].
function select(id, name, choices, chosen, change) {
  const options = choices.map(c => (Array.isArray(c) ? c : [c, c]));
  return el(
    "div",
    {class: "field"},
    el("label", {for: id}, name),
    el(
      "select",
      {id, onchange: e => change(e.target.value)},
      options.map(([v, text]) => el("option", {value: v, selected: String(v) === String(chosen)}, text)),
    ),
  );
}

// checks returns check boxes for methods.
function checks(id, name, methods, chosen, change) {
  return el(
    "fieldset",
    {},
    el("legend", {}, name),
    methods.map(m => {
      const box = el("input", {
        type: "checkbox",
        id: id + m,
        checked: chosen.includes(m),
        onchange: () => change(methods.filter(x => byId(id + x).checked)),
      });
      return el("label", {}, box, " ", swatch(m), label(m));
    }),
  );
}

const swatch = m =>
  svg(
    "svg",
    {class: "swatch", width: 26, height: 12, "aria-hidden": "true"},
    svg("line", {
      x1: 0,
      x2: 26,
      y1: 6,
      y2: 6,
      style: "stroke:" + color(m),
      "stroke-width": 2.5,
      "stroke-dasharray": data.methods[m].dash || null,
    }),
    marker(m, 13, 6, 4),
  );

// marker returns the marker of a method, which is that of the figures.
function marker(m, x, y, r) {
  const {mark, hollow} = data.methods[m];
  const part = (scale, fill) => svg("path", {d: mark, transform: `translate(${x} ${y}) scale(${scale})`, style: "fill:" + fill});
  return hollow ? svg("g", {}, part(r, color(m)), part(r / 2, "var(--bg)")) : part(r, color(m));
}
