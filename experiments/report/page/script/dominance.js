// Two methods over all settings: the sorted differences in one metric.

// verdictKey is the legend of the verdicts of some points.
function verdictKey(a, list) {
  const looks = verdictLook.filter(look => list.some(p => p.look === look));
  const shape = look => Plot.plot({width: 12, height: 12, margin: 0, axis: null, color: {type: "identity"}, marks: [Plot.dot([0], {frameAnchor: "middle", r: 4, symbol: look.symbol, fill: look.fill, stroke: look.stroke})]});
  const hidden = root => (root.setAttribute("aria-hidden", "true"), root.classList.add("swatch"), root);
  return el("ul", {class: "key-line"}, looks.map(look => el("li", {}, hidden(shape(look)), [1, 3].includes(verdictLook.indexOf(look)) ? `${label(a)} is ${look.name}` : look.name)));
}

// counted says how many settings have which verdict on a method against another one, as the
// leaderboard counts them. Only comparisons with the method of the pairs are counted.
function counted(metric, a, b) {
  const {part, other} = standing(metric);
  const row = (m, against) => {
    const found = data.standings[[state.source, metric, part, data.methods[against].id, state.block].join("|")];
    return (typeof found === "string" ? data.standings[found] : found)?.o.find(o => o[0] === m && o[1] !== null);
  };
  const own = row(a, b);
  const turned = own ? null : row(b, a);
  if (other || (!own && !turned)) return "";
  const [, win, tie, loss, , , , , , , , up, down] = own || turned;
  const [better, worse, more, fewer] = own ? [win, loss, up, down] : [loss, win, down, up];
  return `By the verdicts on the same test rows, which the leaderboard counts too, ${label(a)} is better in ${better}, worse in ${worse}, with no difference shown in ${tie} of ${plural(win + tie + loss, "setting")}. Counting every difference, however small, it is better in ${more} and worse in ${fewer}. `;
}

function drawDominance() {
  const metric = data.values[state.ab] ? state.ab : state.metric;
  const seen = new Set();
  const all = shownSettings().filter(s => !seen.has(s.name) && seen.add(s.name)); // each once, whatever its experiments
  const has = methodsOf(all, metric);
  const focused = document.activeElement?.id;
  const pick = (...ids) => ids.map(id => methodIndex.get(id)).find(m => has.includes(m)) ?? has[0];
  const a = pick(state.a, "qats");
  const b = pick(state.b, ...["ts", "uncal"].filter(id => methodIndex.get(id) !== a));
  const options = has.map(m => [data.methods[m].id, label(m)]);
  const metrics = data.metrics.filter(m => m.better && data.values[m.id]).map(m => [m.id, m.label]);
  const choices = el(
    "div",
    {class: "row"},
    select("ab-a", "Method", options, data.methods[a]?.id, v => set({a: v})),
    select("ab-b", "minus", options, data.methods[b]?.id, v => set({b: v})),
    select("ab-metric", "Metric", metrics, metric, v => set({ab: v})),
  );
  byId("dominance-body").replaceChildren(choices, ...(a === undefined || a === b ? [el("p", {}, has.length > 1 ? "Choose two different methods." : "No setting that the filters keep has two methods with a value.")] : dominance(all, metric, a, b)));
  if (focused?.startsWith("ab-")) byId(focused)?.focus();
}

// dominance draws the differences of two methods.
function dominance(all, metric, a, b) {
  const {digits, percent, squared, basis, label: name} = metricById.get(metric);
  const scale = x => (x === null || x === undefined ? null : percent ? 100 * x : x);
  const verdicts = judged(state.source);
  const pairs = verdicts ? pairsOf(metric, b) : new Map();
  const has = m => s => value(s.i, m, metric) !== null;
  const list = d3
    .sort(all.filter(has(a)).filter(has(b)).map(s => ({...pairs.get(cellOf(s.i, a)), name: s.name, d: scale(value(s.i, a, metric) - value(s.i, b, metric))})), p => p.d)
    .map(({name, d, lo, hi, outcome}, i) => ({name, d, lo: scale(lo), hi: scale(hi), i: i + 1, look: verdictLook[outcome || 0]}));
  if (!list.length) return [el("p", {}, "No setting that the filters keep has a value of both methods.")];
  const judgedOnes = list.some(p => p.look !== verdictLook[0]);
  const title = `${name}: ${label(a)} minus ${label(b)}, ${unit(metric)}`;
  const [limit, clipped] = bulk(list.map(p => p.d), leastReach(metric));
  const lo = Math.max(-limit, Math.min(0, list[0].d));
  const hi = Math.min(limit, Math.max(0, list.at(-1).d));
  const pad = (hi - lo || 1) * 0.06;
  const held = x => Math.max(lo - pad, Math.min(hi + pad, x));
  const within = list.filter(p => Math.abs(p.d) <= limit);
  const far = [-1, 1].flatMap(way => {
    const of = list.filter(p => p.d * way > limit);
    const numbers = [...new Set(of.map(p => plain(p.d, digits)))];
    const text = numbers.length > 3 ? numbers[0] + " to " + numbers.at(-1) : numbers.join(", ");
    return of.map((p, i) => ({...p, way, text: i === (way < 0 ? of.length - 1 : 0) ? text : ""}));
  });
  const from = p => (p.lo === null ? "" : `\nfrom ${plain(p.lo, digits)} to ${plain(p.hi, digits)}`);
  const root = chart({
    name: title,
    width: columnWidth(),
    height: 340,
    x: {domain: [0, list.length + 1], label: "settings in ascending order", tickFormat: t => (Number.isInteger(t) && t > 0 && t <= list.length ? String(t) : "")},
    y: {domain: [lo - pad, hi + pad], label: "difference", grid: true},
    color: {type: "identity"},
    marks: [
      zero(),
      interval(list.filter(p => p.lo !== null), {x: "i", y1: p => held(p.lo), y2: p => held(p.hi), stroke: p => p.look.stroke, strokeOpacity: 0.4}, Plot.ruleX),
      ...verdictLook.map(look => Plot.dot(within.filter(p => p.look === look), {x: "i", y: "d", r: list.length > 60 ? 3 : 4, symbol: look.symbol, fill: look.fill, stroke: look.stroke})),
      ...beyond(far, way => ({x: "i", y: way < 0 ? lo - pad : hi + pad}), way => ({rotate: way < 0 ? 180 : 0, r: 5, fill: p => p.look.stroke})),
      tips(list.map(p => ({x: p.i, y: held(p.d), title: `${p.name}\n${plain(p.d, digits)}${from(p)}` + (verdicts ? `\n${p.look.name}` : "")}))),
    ],
  });
  const lines = judgedOnes ? `Lines are 95 % intervals of the difference${squared ? `; the verdicts rest on the ${basis}, and need not agree with them` : ""}.` : `There are no verdicts on ${label(a)} against ${label(b)}.`;
  return [
    el("p", {}, verdicts ? counted(metric, a, b) + lines : unjudged),
    figure({
      title,
      legend: judgedOnes ? verdictKey(a, list) : null,
      charts: root,
      notes: [clipped ? clippedNote : ""],
      tables: [() => [title, ["Setting", "Difference", ...(judgedOnes ? ["Verdict"] : [])], list.map(p => [p.name, plain(p.d, digits), ...(judgedOnes ? [p.look.name] : [])])]],
    }),
  ];
}

onChange(filterKeys + " a b ab metric block", drawDominance);
