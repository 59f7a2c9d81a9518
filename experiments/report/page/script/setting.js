// One setting: what its test rows say of each method.

// openSetting shows a setting, and brings a method into the charts.
function openSetting(s, method) {
  let show = state.show;
  if (method !== undefined) {
    const ids = overlay(s).map(m => data.methods[m].id);
    if (!ids.includes(data.methods[method].id)) show = [...ids, data.methods[method].id].join(",");
  }
  section = "setting";
  set({set: s.key, show});
  byId("setting-title")?.focus({preventScroll: true});
  const row = openRow() || byId("setting");
  row.scrollIntoView({block: row.getBoundingClientRect().top < 0 ? "start" : "nearest"});
}

// openRow returns the name of the open setting beside the heat map, if it is shown.
const openRow = () => document.querySelector(".names > .open-row");

// overlay returns the methods in the charts of a setting: the chosen ones, or the
// baseline, QaTS and the uncalibrated network.
function overlay(s) {
  const has = data.methods.map((_, m) => m).filter(m => data.width[cellOf(s.i, m)]);
  const chosen = state.show
    ? state.show.split(",").map(id => methodIndex.get(id))
    : [baseline(), methodIndex.get("qats"), methodIndex.get("uncal")];
  const kept = has.filter(m => chosen.includes(m));
  return kept.length ? kept : has.slice(0, 2);
}

// binRows returns the bins of a cell, of equal width or mass, or those of equal width of the probability
// of the positive class ("positive"), as objects. Of bins of equal mass q is
// the quantile at the middle.
function binRows(kind, cell) {
  let flat = data[kind][cell];
  if (typeof flat === "number") flat = data[kind][flat]; // an equal cell
  const [at, length] = kind === "mass" ? [0, 9] : [1, 8];
  const rows = d3.range(0, flat?.length || 0, length).map(i => {
    const [n, conf, acc, below, above, from, to, lo, hi] = flat.slice(i + at, i + length);
    const near = {n, conf: conf / 1e5, acc: acc / 1e5, accLo: acc / 1e5 - below / 1e4, accHi: acc / 1e5 + above / 1e4, from: conf / 1e5 - from / 1e4, to: conf / 1e5 + to / 1e4};
    return kind === "mass" ? {...near, lo: lo / 1e4, hi: hi / 1e4} : {...near, lo: flat[i] / 15, hi: (flat[i] + 1) / 15};
  });
  const upTo = d3.cumsum(rows, r => r.n);
  rows.forEach((r, i) => (r.q = (upTo[i] - r.n / 2) / upTo.at(-1)));
  return rows;
}

// banded returns the method whose consistency band is shown: QaTS or the baseline if
// it is among the methods, else the first.
const banded = methods => [methodIndex.get("qats"), baseline()].find(m => methods.includes(m)) ?? methods[0];

// fewRows is the number of rows below which a bin is pale: the standard error of its
// accuracy can exceed 9 points.
const fewRows = 30;

// mostRowsOf returns the number of rows in the fullest of some bins.
const mostRowsOf = bins => Math.max(...bins.flatMap(b => b.rows.map(r => r.n)));

// frames is the width that the frame around an open setting takes.
const frames = 56;

// ofPrediction and ofPositive are the words for what bins are of.
const ofPrediction = {x: "confidence", y: "accuracy"};
const ofPositive = {x: "probability of the positive class", y: "its share"};

// binTip is the text of a bin.
const binTip = (s, m, r, words = ofPrediction) =>
  `${label(m)}: ${plural(r.n, "row")}\n${words.x} ${plain(100 * r.conf, 1)} %\n${words.y} ${plain(100 * r.acc, 1)} %` + (judged(s.src) ? ` (${plain(100 * r.accLo, 1)} to ${plain(100 * r.accHi, 1)})` : "");

// diagram draws accuracy against confidence with the interval of each bin, above the
// number of rows, on an axis that holds the number fullest. bins are {method, rows}; the
// consistency band is that of the method around, where it is given.
function diagram(s, bins, around, width, fullest = mostRowsOf(bins), words = ofPrediction) {
  const methods = bins.map(b => label(b.method)).join(", ");
  const few = b => b.rows.filter(r => r.n < fewRows).map(r => [r.conf, r.acc]);
  const x = {domain: [0, 1], label: words.x};
  const shape = chart({
    name: `Reliability diagram of ${s.label}: ${methods}`,
    width,
    height: Math.min(400, 0.62 * width + 60),
    x,
    y: {domain: [0, 1], label: words.y, grid: true},
    marks: [
      Plot.areaY(bins.find(b => b.method === around)?.rows || [], {x: "conf", y1: "from", y2: "to", className: "band"}),
      Plot.line([[0, 0], [1, 1]], {className: "diagonal"}),
      ...(judged(s.src) ? bins : []).map(b => interval(b.rows, {x: "conf", y1: "accLo", y2: "accHi", stroke: color(b.method), strokeWidth: 1.4, strokeOpacity: r => (r.n < fewRows ? 0.3 : 0.7)}, Plot.ruleX)),
      ...curves(bins.map(b => ({method: b.method, points: b.rows.filter(r => r.n >= fewRows).map(r => [r.conf, r.acc])}))),
      ...bins.map(b => markers(few(b), b.method, 2.6, {opacity: 0.35})),
      tips(bins.flatMap(b => b.rows.map(r => ({x: r.conf, y: r.acc, title: binTip(s, b.method, r, words)})))),
    ],
  });
  const part = (r, i) => r.lo + ((r.hi - r.lo) * i) / bins.length;
  const counts = chart({
    name: `Number of rows in each bin of ${s.label}: ${methods}`,
    width,
    height: 120,
    x,
    y: {domain: [0, 1.05 * fullest], label: "rows", ticks: 3, grid: true},
    marks: bins.map((b, i) => Plot.rect(b.rows, {x1: r => part(r, i), x2: r => part(r, i + 1), y1: 0, y2: "n", inset: 0.5, fill: color(b.method), title: r => binTip(s, b.method, r).split("\n")[0], tip: true})),
  });
  return [shape, counts];
}

const intervalNote = s => (judged(s.src) ? "Lines: 95 % intervals of the accuracy of each bin (Wilson). " : "");

// binsOf returns the bins of some methods on a setting.
const binsOf = (kind, s, methods) => methods.map(m => ({method: m, rows: binRows(kind, cellOf(s.i, m))}));

// reliability is the figure of the reliability diagram of several methods.
function reliability(s, methods) {
  const bins = binsOf("width", s, methods);
  return figure({
    title: "Accuracy against confidence, 15 bins of equal width",
    legend: keyLine(bins.map(b => ({method: b.method, points: b.rows}))),
    charts: diagram(s, bins, banded(methods), columnWidth(2, frames)),
    notes: [
      `${intervalNote(s)}Grey: the consistency band of ${label(banded(methods))}, where 95 % of calibrated models with these confidences lie. Below the diagonal a model is overconfident. Pale points that no line joins: bins of fewer than ${fewRows} rows.`,
    ],
    tables: bins.map(b => () => binTable(s, b)),
  });
}

// positiveDiagram is the figure of the probability of the positive class, of two classes; null where
// no method has its bins.
function positiveDiagram(s, methods) {
  const bins = binsOf("positive", s, methods.filter(m => data.positive?.[cellOf(s.i, m)]));
  if (!bins.length) return null;
  return figure({
    title: "Positive class: share against probability, 15 bins of equal width",
    legend: keyLine(bins.map(b => ({method: b.method, points: b.rows}))),
    charts: diagram(s, bins, banded(bins.map(b => b.method)), columnWidth(2, frames), mostRowsOf(bins), ofPositive),
    notes: ["Below the diagonal the probability of the class is too high, though the confidence of the prediction may be right."],
    tables: bins.map(b => () => binTable(s, b, ["Probability %", "Share %"])),
  });
}

// binTable has the arguments of the table of some bins.
function binTable(s, b, words = ["Confidence %", "Accuracy %"]) {
  const number = (x, digits = 2) => plain(100 * x, digits);
  const intervals = judged(s.src);
  return [
    `Bins of ${label(b.method)} on ${s.label}`,
    [label(b.method) + ": bin", "Rows", ...words, ...(intervals ? ["95 % interval"] : []), "Gap", "Band %"],
    b.rows.map(r => [
      `${r.lo.toFixed(3)}–${r.hi.toFixed(3)}`,
      String(r.n),
      number(r.conf),
      number(r.acc),
      ...(intervals ? [`${number(r.accLo, 1)}–${number(r.accHi, 1)}`] : []),
      number(r.acc - r.conf),
      `${number(r.from, 1)}–${number(r.to, 1)}`,
    ]),
  ];
}

// quantileGap draws accuracy minus confidence against the quantile of confidence.
function quantileGap(s, methods) {
  const bins = binsOf("mass", s, methods);
  const first = bins.find(b => b.method === banded(methods)).rows;
  const gap = r => 100 * (r.acc - r.conf);
  const width = columnWidth(2, frames);
  const series = bins.map(b => ({method: b.method, points: b.rows.map(r => [r.q, gap(r)])}));
  return figure({
    title: "Gap by quantile of confidence, 15 bins of equal mass",
    legend: keyLine(series),
    charts: chart({
      name: `Gap by quantile of confidence of ${s.label}: ${methods.map(label).join(", ")}`,
      width,
      height: Math.min(400, 0.62 * width + 60),
      x: {domain: [0, 1], label: "quantile of confidence"},
      y: {label: "accuracy minus confidence, points", grid: true, nice: true},
      marks: [
        Plot.areaY(first, {x: "q", y1: r => 100 * (r.from - r.conf), y2: r => 100 * (r.to - r.conf), className: "band"}),
        zero(),
        ...curves(series),
        tips(bins.flatMap(b => b.rows.map(r => ({x: r.q, y: gap(r), title: `${label(b.method)}: ${plural(r.n, "row")}\nquantile ${plain(r.q, 2)}\ngap ${plain(gap(r), 2)} points`})))),
      ],
    }),
    notes: [`Grey: the consistency band of ${label(banded(methods))}. Below zero a model is overconfident.`],
    tables: bins.map(b => () => binTable(s, b)),
  });
}

// drawLead draws the picture at the top: the leading method on one setting, before and after.
function drawLead() {
  const body = byId("lead");
  if (!body || !data.lead) return;
  const {setting, before, after} = data.lead;
  const s = data.settings[setting];
  const all = binsOf("width", s, [before, after]);
  const one = (word, bins) =>
    figure({
      title: el("h3", {}, swatch(bins.method), `${word}: ${label(bins.method)}, ECE ${print(value(setting, bins.method, "ece"), "ece")} %`),
      charts: diagram(s, [bins], -1, columnWidth(2), mostRowsOf(all)), // the two share their axes
      tables: [() => binTable(s, bins)],
    });
  body.replaceChildren(
    el("div", {class: "charts"}, one("Before", all[0]), one("After", all[1])),
    el("p", {class: "small"}, `${intervalNote(s)}On the diagonal a network is calibrated; below it, it is overconfident. `, el("a", {href: "#setting?set=" + encodeURIComponent(s.key) + (s.src === defaults.source ? "" : "&source=" + s.src)}, "All methods on this setting")),
  );
}

// settingForest draws the paired differences of a setting in one metric, those that the run compared.
function settingForest(s, metric, width) {
  const {label: name, percent, digits, lines, basis, squared} = metricById.get(metric);
  const scale = x => (x === null ? null : percent ? 100 * x : x);
  const rows = pairsOn(s, metric).map(([cell, , , d, lo, hi, outcome]) => ({method: cells[cell].method, name: label(cells[cell].method), mid: scale(d), lo: scale(lo), hi: scale(hi), verdict: verdictLook[outcome].name}));
  const title = `${name} minus that of ${label(pairsOn(s, metric)[0][1])}, ${unit(metric)}`;
  const {root, notes} = forest(`Paired differences on ${s.label}: ${title}`, rows, unit(metric), metric, width);
  return figure({
    title: title + (lines ? `. Lines: 95 % intervals (${lines})` : ""),
    charts: root,
    notes: [...notes, basis ? `Verdict: ${squared ? "by the " + basis : "by the 95 % interval of the difference"}.` : ""],
    tables: [() => [title, ["Method", "Difference", "from", "to", "Verdict"], rows.map(r => [r.name, ...[r.mid, r.lo, r.hi].map(x => (x === null ? "–" : plain(x, digits))), r.verdict])]],
  });
}

// pairsOn returns the pairs of a setting in one metric, against one method.
function pairsOn(s, metric) {
  const at = data.metrics.findIndex(m => m.id === metric);
  const list = data.pairs.filter(p => cells[p[0]].setting === s.i && p[2] === at);
  return list.filter(p => p[1] === list[0][1]);
}

// fitRows returns the rows of fits.csv of a cell.
const fitsOf = d3.group(
  data.fits.map(f => ({cell: f[0], name: data.texts[f[1]], value: f[2], bound: data.texts[f[3]], warning: data.texts[f[4]]})),
  f => f.cell,
);

function parameterTable(s) {
  const rows = [];
  data.methods.forEach((_, m) => {
    for (const f of fitsOf.get(cellOf(s.i, m)) || [])
      if (!f.warning) rows.push([label(m), f.name || "–", f.name ? String(f.value) : "–", f.bound || ""]);
  });
  return rows.length
    ? tableOf(`Fitted parameters on ${s.label}`, ["Method", "Parameter", "Value", "Active bound"], rows)
    : el("p", {}, "No fitted parameters are recorded (fits.csv).");
}

// notesOf returns the notes or the warnings of the cells of a setting, each with the
// methods that have it.
function notesOf(s, of) {
  const all = data.methods.flatMap((_, m) => (of[cellOf(s.i, m)] || []).map(t => [t, m]));
  return d3.groups(all, ([t]) => t).map(([t, list]) => ({text: data.texts[t], methods: list.map(([, m]) => m)}));
}

// ofTwo are the metrics of the positive class, of two classes.
const ofTwo = ["ece_positive", "oe", "slope", "intercept"];

// summaryTable is the table of the metrics of a setting, and which methods have none.
function summaryTable(s) {
  const shown = ["accuracy", "ece", "aece", "nll", "brier", "ece_positive", "oe", "slope", "intercept"].filter(
    id => data.values[id] && (!ofTwo.includes(id) || data.methods.some((_, m) => value(s.i, m, id) !== null)),
  );
  const single = !s.seeds.length; // the mean of several bands is no band
  const heads = [
    "Method",
    ...shown.map(id => metricById.get(id).label + (metricById.get(id).percent ? " %" : "")),
    ...(single ? ["ECE band %"] : []),
    ...(single && judged(s.src) ? ["ECE in the band"] : []),
  ];
  const hasValue = m => shown.some(id => value(s.i, m, id) !== null);
  const rows = data.methods
    .map((_, m) => m)
    .filter(hasValue)
    .map(m => {
      const lo = value(s.i, m, "ece_null_lo");
      const hi = value(s.i, m, "ece_null_hi");
      const ece = value(s.i, m, "ece");
      const has = lo !== null && hi !== null && ece !== null;
      return [
        el("span", {}, swatch(m), label(m)),
        ...shown.map(id =>
          el("span", {}, ranged(print(value(s.i, m, id), id), rangeOf(s, x => value(x.i, m, id)), x => print(x, id))),
        ),
        ...(single ? [has ? `${plain(100 * lo, 1)}–${plain(100 * hi, 1)}` : "–"] : []),
        ...(single && judged(s.src) ? [has ? (ece <= hi ? "yes" : "no") : "–"] : []),
      ];
    });
  const without = data.methods.map((_, m) => m).filter(m => cellOf(s.i, m) !== undefined && !hasValue(m));
  return [
    tableOf(`Metrics on ${s.label}`, heads, rows),
    without.length ? small("Without a value: " + without.map(m => `${label(m)} (${data.cells.status[cellOf(s.i, m)]})`).join(", ") + ".") : null,
  ];
}

// cellCommand returns the commands that reproduce the methods on one setting.
function cellCommand(s, methods) {
  const spec = data.specs?.find(x => x.name === s.e);
  if (!spec) return `qats run SPEC --out OUT     # SPEC: the spec of experiment ${s.e}`;
  const names = [...methods.map(m => data.methods[m].id), spec.baseline];
  const of = spec.methods.filter(m => names.includes(m.name)).map(m => m.text);
  return `${spec.head}${of.join("")}settings:\n  - ${s.cell}\nEOF\nqats run cell.yaml --out cell`;
}

function settingProvenance(s, methods) {
  const keys = data.methods.map((_, m) => m).filter(m => cellOf(s.i, m) !== undefined && data.cells.key[cellOf(s.i, m)]);
  const fact = (name, text) => (text ? el("div", {}, el("dt", {}, name), el("dd", {}, el("code", {class: "digest"}, text))) : null);
  return [
    el(
      "dl",
      {class: "facts"},
      fact("Test arrays", data.texts[s.test]),
      fact("Calibration arrays", data.texts[s.cal]),
      fact("Calibrated on", s.on),
    ),
    folded("Keys of the numbers", () => [tableOf(`Keys on ${s.label}`, ["Method", "Key of the first metric"], keys.map(m => [label(m), el("code", {class: "digest"}, data.cells.key[cellOf(s.i, m)])]), 2)]),
    el("h4", {}, "Commands that reproduce " + methods.map(label).join(", ") + " here"),
    el(
      "p",
      {class: "small"},
      "Run them in the root of the project; add --data DIR for arrays elsewhere." +
        (data.run?.first
          ? ` This page is of a quick run on the first ${data.run.first} rows of each set. The commands use all rows, so their numbers differ.`
          : ""),
    ),
    el(
      "pre",
      {class: "scroll", id: "command", tabindex: "0", role: "group", "aria-label": "Commands that reproduce this cell"},
      cellCommand(s, methods),
    ),
  ];
}

// fitDetails is what is known of the fits on a setting and of its arrays.
function fitDetails(s, methods) {
  const notes = notesOf(s, data.cells.notes);
  const warnings = notesOf(s, data.cells.warnings);
  return [
    el("h4", {}, "Fitted parameters"),
    parameterTable(s),
    el("h4", {}, "Warnings and notes"),
    warnings.length
      ? el(
          "ul",
          {},
          warnings.map(n => el("li", {}, n.methods.map(label).join(", ") + ": " + n.text)),
        )
      : el("p", {}, "No warnings."),
    folded("Notes", () => [el("ul", {class: "small"}, notes.map(n => el("li", {}, n.text + (n.methods.length < 4 ? " (" + n.methods.map(label).join(", ") + ")" : ""))))]),
    el("h4", {}, "Provenance"),
    ...settingProvenance(s, methods),
  ];
}

function drawSetting() {
  const s = data.settings.find(x => x.key === state.set && x.src === state.source) || data.settings.find(x => x.key === state.set);
  if (!s) return settingBox.replaceChildren();
  const methods = overlay(s);
  const has = data.methods.map((_, m) => m).filter(m => data.width[cellOf(s.i, m)]);
  const list = s.of === undefined ? shownSettings() : data.settings[s.of].seeds;
  const at = list.indexOf(s);
  const focused = document.activeElement?.id;
  const step = (text, to) => (to ? el("button", {type: "button", onclick: () => openSetting(to)}, text) : null);
  const paired = judged(s.src) ? ["ece", "aece"].filter(id => pairsOn(s, id).length) : [];
  const forests = paired.map(id => settingForest(s, id, columnWidth(paired.length, frames)));
  settingBox.replaceChildren(
    el(
      "article",
      {"aria-labelledby": "setting-title"},
      el("h3", {id: "setting-title", tabindex: "-1"}, s.label, " ", s.src ? el("span", {class: "tag " + s.src}, s.src) : null),
      el(
        "div",
        {class: "row"},
        step("Previous", list[at - 1]),
        step("Next", at >= 0 ? list[at + 1] : null),
        s.of === undefined ? null : step("Mean over seeds", data.settings[s.of]),
        ...s.seeds.map(x => step("Seed " + x.seed, x)),
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              const link = openRow()?.querySelector("a");
              set({set: "", show: ""});
              link?.focus();
            },
          },
          "Close",
        ),
      ),
      el(
        "p",
        {class: "small"},
        s.print + ". ",
        s.src === "simulated" ? "Simulated: no number here is of a real network. " + unjudged + " " : "",
        s.seeds.length
          ? `Means over ${plural(s.seeds.length, "training")} that differ in the seed; below each the least and the largest. The setting counts once. `
          : "",
        s.n ? plural(s.n, "test row") + ". " : "",
        data.texts[s.from] ? "From: " + data.texts[s.from] + "." : "",
      ),
      ...summaryTable(s),
      has.length
        ? checks("show-", "Methods in the charts", has, methods, ms => set({show: ms.map(m => data.methods[m].id).join(",")}))
        : null,
      methods.length
        ? el("div", {class: "charts"}, reliability(s, methods), quantileGap(s, methods), positiveDiagram(s, methods))
        : el("p", {}, s.seeds.length ? "Each seed has its own diagrams: choose one above." : "No bins are recorded for this setting (bins.csv)."),
      forests.length ? el("h4", {}, "Paired differences") : null,
      forests.length ? el("div", {class: "charts"}, ...forests) : null,
      ...(s.seeds.length ? [] : fitDetails(s, methods)),
    ),
  );
  if (focused?.startsWith("show-")) byId(focused)?.focus();
}

onChange("set show base source", drawSetting);
onChange("metric", drawLead);
