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

// openRow returns the row of the open setting in the heat map, if it is shown.
const openRow = () => document.querySelector("#heat-table > tbody > tr.open-row");

// placeSetting puts the open setting below its row of the heat map, or below the heat map where
// the filters hide the row.
const settingBox = byId("setting");
function placeSetting() {
  document.querySelector("#heat-table > tbody > tr.detail")?.remove();
  const row = openRow();
  const box = row?.closest(".heat-box");
  document.querySelector("#settings .heat-box")?.classList.toggle("opened", !!box);
  settingBox.style.width = box ? box.clientWidth + "px" : "";
  if (row) row.after(el("tr", {class: "detail"}, el("td", {colspan: row.children.length}, settingBox)));
  else byId("settings").append(settingBox);
}

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

// binRows returns the bins of a cell as objects.
function binRows(column, cell, length) {
  const flat = column[cell];
  const list = [];
  for (let i = 0; flat && i < flat.length; i += length) {
    const [bin, n, conf, right, lo, hi] = flat.slice(i, i + length);
    list.push({bin, n, conf, acc: right / n, ...wilson(right / n, n), lo: length === 4 ? bin / 15 : lo, hi: length === 4 ? (bin + 1) / 15 : hi, ...band(n, conf)});
  }
  return list;
}

// wilson returns the 95 % interval of the accuracy of n rows, as metrics.Wilson has it.
function wilson(acc, n) {
  const z = 1.959963984540054;
  const middle = (acc + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((acc * (1 - acc)) / n + (z * z) / (4 * n * n));
  return {accLo: acc <= 0 ? 0 : Math.max(0, middle - half), accHi: acc >= 1 ? 1 : Math.min(1, middle + half)};
}

const logFactorials = [0];
function logFactorial(n) {
  for (let i = logFactorials.length; i <= n; i++) logFactorials.push(logFactorials[i - 1] + Math.log(i));
  return logFactorials[n];
}

// band returns the range of accuracies, from 2.5 % to 97.5 %, of n rows that are
// right with the probability p: the consistency band of a bin (Broecker and Smith
// 2007), with the mean confidence for all rows of the bin. Above 2,000 rows the
// normal distribution is used.
function band(n, p) {
  if (p <= 0 || p >= 1) return {from: p, to: p};
  if (n > 2000) {
    const w = 1.959964 * Math.sqrt((p * (1 - p)) / n);
    return {from: Math.max(0, p - w), to: Math.min(1, p + w)};
  }
  let sum = 0;
  let from = null;
  for (let k = 0; k <= n; k++) {
    sum += Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
    if (from === null && sum >= 0.025) from = k / n;
    if (sum >= 0.975) return {from, to: k / n};
  }
  return {from: from ?? 0, to: 1};
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

// binTip is the text of a bin.
const binTip = (m, r) =>
  `${label(m)}: ${plural(r.n, "row")}\nconfidence ${plain(100 * r.conf, 1)} %\naccuracy ${plain(100 * r.acc, 1)} % (${plain(100 * r.accLo, 1)} to ${plain(100 * r.accHi, 1)})`;

// diagram draws accuracy against confidence with the interval of each bin, above the
// number of rows, on an axis that holds the number fullest. bins are {method, rows}; the
// consistency band is that of the method around, where it is given.
function diagram(s, bins, around, width, fullest = mostRowsOf(bins)) {
  const methods = bins.map(b => label(b.method)).join(", ");
  const few = b => b.rows.filter(r => r.n < fewRows).map(r => [r.conf, r.acc]);
  const x = {domain: [0, 1], label: "confidence"};
  const tip = r => (judged(s.src) ? binTip : (m, q) => binTip(m, q).replace(/ \([^)]*\)$/, ""))(r.method, r);
  const all = bins.flatMap(b => b.rows.map(r => ({...r, method: b.method})));
  const shape = chart({
    name: `Reliability diagram of ${s.label}: ${methods}`,
    width,
    height: Math.min(400, 0.62 * width + 60),
    x,
    y: {domain: [0, 1], label: "accuracy", grid: true},
    marks: [
      Plot.areaY(bins.find(b => b.method === around)?.rows || [], {x: "conf", y1: "from", y2: "to", className: "band"}),
      Plot.line([[0, 0], [1, 1]], {className: "diagonal"}),
      ...(judged(s.src) ? bins : []).map(b => Plot.ruleX(b.rows, {x: "conf", y1: "accLo", y2: "accHi", stroke: color(b.method), strokeWidth: 1.4, strokeOpacity: r => (r.n < fewRows ? 0.3 : 0.7), className: "interval"})),
      ...curves(bins.map(b => ({method: b.method, points: b.rows.filter(r => r.n >= fewRows).map(r => [r.conf, r.acc])}))),
      ...bins.map(b => markers(few(b), b.method, 2.6, {opacity: 0.35})),
      tips(all.map(r => ({x: r.conf, y: r.acc, title: tip(r)}))),
    ],
  });
  const part = (r, i) => r.lo + ((r.hi - r.lo) * i) / bins.length;
  const counts = chart({
    name: `Number of rows in each bin of ${s.label}: ${methods}`,
    width,
    height: 120,
    x,
    y: {domain: [0, 1.05 * fullest], label: "rows", ticks: 3, grid: true},
    marks: bins.map((b, i) => Plot.rect(b.rows, {x1: r => part(r, i), x2: r => part(r, i + 1), y1: 0, y2: "n", inset: 0.5, fill: color(b.method), title: r => binTip(b.method, r).split("\n")[0], tip: true})),
  });
  return [shape, counts];
}

const intervalNote = s => (judged(s.src) ? "Lines: 95 % intervals of the accuracy of each bin (Wilson). " : "");

// reliability is the figure of the reliability diagram of several methods.
function reliability(s, methods) {
  const bins = methods.map(m => ({method: m, rows: binRows(data.width, cellOf(s.i, m), 4)}));
  return el(
    "figure",
    {},
    el("figcaption", {}, "Accuracy against confidence, 15 bins of equal width"),
    keyLine(bins.map(b => ({method: b.method, points: b.rows}))),
    ...diagram(s, bins, banded(methods), columnWidth(2, frames)),
    el(
      "p",
      {class: "small"},
      `${intervalNote(s)}Grey: the consistency band of ${label(banded(methods))}, where 95 % of calibrated models with these confidences lie. Below the diagonal a model is overconfident. Pale points that no line joins: bins of fewer than ${fewRows} rows.`,
    ),
    folded("Table of these bins", ...bins.map(b => binTable(s, b))),
  );
}

function binTable(s, b) {
  const number = (x, digits = 2) => plain(100 * x, digits);
  return tableOf(
    `Bins of ${label(b.method)} on ${s.label}`,
    [label(b.method) + ": bin", "Rows", "Confidence %", "Accuracy %", ...(judged(s.src) ? ["95 % interval"] : []), "Gap", "Band %"],
    b.rows.map(r => [
      `${r.lo.toFixed(3)}–${r.hi.toFixed(3)}`,
      String(r.n),
      number(r.conf),
      number(r.acc),
      ...(judged(s.src) ? [`${number(r.accLo, 1)}–${number(r.accHi, 1)}`] : []),
      number(r.acc - r.conf),
      `${number(r.from, 1)}–${number(r.to, 1)}`,
    ]),
  );
}

// quantileGap draws accuracy minus confidence against the quantile of confidence.
function quantileGap(s, methods) {
  const bins = methods.map(m => {
    const rows = binRows(data.mass, cellOf(s.i, m), 6);
    const n = rows.reduce((a, r) => a + r.n, 0);
    let before = 0;
    rows.forEach(r => {
      r.q = (before + r.n / 2) / n;
      before += r.n;
    });
    return {method: m, rows};
  });
  const first = bins.find(b => b.method === banded(methods)).rows;
  const gap = r => 100 * (r.acc - r.conf);
  const width = columnWidth(2, frames);
  const series = bins.map(b => ({method: b.method, points: b.rows.map(r => [r.q, gap(r)])}));
  const root = chart({
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
  });
  return el(
    "figure",
    {},
    el("figcaption", {}, "Gap by quantile of confidence, 15 bins of equal mass"),
    keyLine(series),
    root,
    el("p", {class: "small"}, `Grey: the consistency band of ${label(banded(methods))}. Below zero a model is overconfident.`),
    folded("Table of these bins", ...bins.map(b => binTable(s, b))),
  );
}

// pairsOf returns the pairs of a setting in one metric.
function pairsOf(s, metric) {
  const at = data.metrics.findIndex(m => m.id === metric);
  return data.pairs.filter(p => cells[p[0]].setting === s.i && p[2] === at);
}

// settingForest draws the paired differences of a setting in one metric.
function settingForest(s, metric, width) {
  const scale = metricById.get(metric)?.percent ? 100 : 1;
  const rows = pairsOf(s, metric).map(p => ({
    method: cells[p[0]].method,
    against: p[1],
    name: label(cells[p[0]].method),
    mid: scale * p[3],
    lo: p[4] === null ? null : scale * p[4],
    hi: p[5] === null ? null : scale * p[5],
    verdict: verdictLook[p[6]].name,
  }));
  const title = `${metricById.get(metric).label} minus that of ${label(rows[0].against)}, ${unit(metric)}`;
  const {chart, note} = forest(`Paired differences on ${s.label}: ${title}`, rows, unit(metric), metric, width);
  const digits = metricById.get(metric).digits;
  return el(
    "figure",
    {},
    el("figcaption", {}, title + (metricById.get(metric).lines ? `. Lines: 95 % intervals (${metricById.get(metric).lines})` : "")),
    scroller(title, chart),
    note ? el("p", {class: "small"}, note) : null,
    metricById.get(metric).basis
      ? el("p", {class: "small"}, `Verdict: ${metricById.get(metric).squared ? "by the " + metricById.get(metric).basis : "by the 95 % interval of the difference"}.`)
      : null,
    folded(
      "Table of this chart",
      tableOf(
        title,
        ["Method", "Difference", "from", "to", "Verdict"],
        rows.map(r => [r.name, ...[r.mid, r.lo, r.hi].map(x => (x === null ? "–" : plain(x, digits))), r.verdict]),
      ),
    ),
  );
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

function summaryTable(s) {
  const shown = ["accuracy", "ece", "aece", "nll", "brier"].filter(id => data.values[id]);
  const single = !s.seeds.length; // the mean of several bands is no band
  const heads = [
    "Method",
    ...shown.map(id => metricById.get(id).label + (metricById.get(id).percent ? " %" : "")),
    ...(single ? ["ECE band %"] : []),
    ...(single && judged(s.src) ? ["ECE in the band"] : []),
    "Status",
  ];
  const rows = data.methods
    .map((_, m) => m)
    .filter(m => cellOf(s.i, m) !== undefined)
    .map(m => {
      const lo = value(s.i, m, "ece_null_lo");
      const hi = value(s.i, m, "ece_null_hi");
      const ece = value(s.i, m, "ece");
      const has = lo !== null && hi !== null && ece !== null;
      const status = data.cells.status[cellOf(s.i, m)];
      return [
        el("span", {}, swatch(m), label(m)),
        ...shown.map(id =>
          el("span", {}, ranged(print(value(s.i, m, id), id), rangeOf(s, x => value(x.i, m, id)), x => print(x, id))),
        ),
        ...(single ? [has ? `${plain(100 * lo, 1)}–${plain(100 * hi, 1)}` : "–"] : []),
        ...(single && judged(s.src) ? [has ? (ece <= hi ? "yes" : "no") : "–"] : []),
        status,
      ];
    });
  return tableOf(`Metrics on ${s.label}`, heads, rows);
}

// quote returns a text as YAML and JSON have it.
const quote = s => JSON.stringify(s);

// cellCommand returns the commands that reproduce the methods on one setting.
function cellCommand(s, methods) {
  const spec = data.specs?.find(x => x.name === s.e);
  if (!spec) return `qats run SPEC --out OUT     # SPEC: the spec of experiment ${s.e}`;
  const names = new Set([...methods.map(m => data.methods[m].id), spec.baseline].filter(x => x));
  const lines = ["cat > cell.yaml <<'EOF'", "name: " + quote(s.e), "data: " + quote(spec.data)];
  if (spec.layout) lines.push("layout: " + quote(spec.layout));
  if (spec.baseline) lines.push("baseline: " + quote(spec.baseline));
  lines.push("metrics: " + quote(spec.metrics), "methods:");
  for (const m of spec.methods.filter(m => names.has(m.name))) {
    lines.push("  - name: " + quote(m.name), "    method: " + quote(m.method), "    label: " + quote(m.label));
    if (m.options) lines.push("    options: " + m.options);
  }
  const one = {dataset: s.d, backbone: s.b, loss: s.l};
  if (s.rescale) one.rescale = s.rescale;
  if (s.split) one.splits = s.split;
  if (s.seed !== undefined) one.seeds = [s.seed];
  if (s.test_shares) one.test_shares = "calibration";
  if (s.c) {
    one.corruption = s.c;
    one.severity = s.s;
  }
  if (s.on) one.calibrate_on = s.on;
  lines.push(
    "settings:",
    "  - {" +
      Object.entries(one)
        .map(([k, v]) => k + ": " + quote(v))
        .join(", ") +
      "}",
    "EOF",
    "qats run cell.yaml --out cell",
  );
  return lines.join("\n");
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
    folded(
      "Keys of the numbers",
      tableOf(
        `Keys on ${s.label}`,
        ["Method", "Key of the first metric"],
        keys.map(m => [label(m), el("code", {class: "digest"}, data.cells.key[cellOf(s.i, m)])]),
        2,
      ),
    ),
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
    folded(
      "Notes",
      el(
        "ul",
        {class: "small"},
        notes.map(n => el("li", {}, n.text + (n.methods.length < 4 ? " (" + n.methods.map(label).join(", ") + ")" : ""))),
      ),
    ),
    el("h4", {}, "Provenance"),
    ...settingProvenance(s, methods),
  ];
}

function drawSetting() {
  const s = data.settings.find(x => x.key === state.set && x.src === state.source) || data.settings.find(x => x.key === state.set);
  document.querySelectorAll("#heat-table tr[data-s]").forEach(r => r.classList.toggle("open-row", !!s && Number(r.dataset.s) === s.i));
  placeSetting();
  if (!s) return settingBox.replaceChildren();
  const methods = overlay(s);
  const has = data.methods.map((_, m) => m).filter(m => data.width[cellOf(s.i, m)]);
  const list = s.of === undefined ? shownSettings() : data.settings[s.of].seeds;
  const at = list.indexOf(s);
  const focused = document.activeElement?.id;
  const step = (text, to) => (to ? el("button", {type: "button", onclick: () => openSetting(to)}, text) : null);
  const paired = judged(s.src) ? ["ece", "aece"].filter(id => pairsOf(s, id).length) : [];
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
      summaryTable(s),
      has.length
        ? checks("show-", "Methods in the charts", has, methods, ms => set({show: ms.map(m => data.methods[m].id).join(",")}))
        : null,
      methods.length
        ? el("div", {class: "charts"}, reliability(s, methods), quantileGap(s, methods))
        : el("p", {}, s.seeds.length ? "Each seed has its own diagrams: choose one above." : "No bins are recorded for this setting (bins.csv)."),
      forests.length ? el("h4", {}, "Paired differences") : null,
      forests.length ? el("div", {class: "charts"}, ...forests) : null,
      ...(s.seeds.length ? [] : fitDetails(s, methods)),
    ),
  );
  if (focused?.startsWith("show-")) byId(focused)?.focus();
}

onChange("set show base source", drawSetting);
