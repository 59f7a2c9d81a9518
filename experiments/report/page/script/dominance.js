// outcomesOf returns the verdicts on method a against b, from the pairs of either, by the name of
// the setting: {outcome, lo, hi}, with null where a pair has no interval. The settings are those of
// the leaderboard.
function outcomesOf(settings, metric, a, b) {
  const kept = new Set(settings.map(s => s.i));
  const at = data.metrics.findIndex(m => m.id === metric);
  const found = new Map();
  const minus = x => (x === null ? null : -x);
  for (const [cell, against, index, , lo, hi, outcome] of data.pairs) {
    const {setting, method} = cells[cell];
    if (index !== at || !kept.has(setting) || !outcome) continue;
    const name = data.settings[setting].name;
    if (method === a && against === b) found.set(name, {outcome, lo, hi});
    if (method === b && against === a && !found.has(name)) found.set(name, {outcome: WIN + LOSS - outcome, lo: minus(hi), hi: minus(lo)});
  }
  return found;
}

// verdictLook has the mark of each verdict of a setting, and of none.
const verdictLook = [
  {name: "no verdict", symbol: "circle", fill: "var(--bg)", stroke: "var(--dim)"},
  {name: "better", symbol: "circle", fill: "var(--holds)", stroke: "var(--holds)"},
  {name: "no difference shown", symbol: "circle", fill: "var(--dim)", stroke: "var(--dim)"},
  {name: "worse", symbol: "square", fill: "var(--fails)", stroke: "var(--fails)"},
];

// verdictKey is the legend of the verdicts of some points.
function verdictKey(a, list) {
  const looks = verdictLook.filter(look => list.some(p => p.look === look));
  const shape = look => (look.symbol === "square" ? svg("rect", {x: 2, y: 2, width: 8, height: 8, style: `fill:${look.fill}`}) : svg("circle", {cx: 6, cy: 6, r: 4, style: `fill:${look.fill};stroke:${look.stroke}`}));
  return el(
    "ul",
    {class: "key-line"},
    looks.map(look => el("li", {}, svg("svg", {class: "swatch", width: 12, height: 12, "aria-hidden": "true"}, shape(look)), look === verdictLook[0] || look === verdictLook[2] ? look.name : `${label(a)} is ${look.name}`)),
  );
}

// Two methods over all settings: the sorted differences in one metric.
function drawDominance() {
  const metric = data.values[state.ab] ? state.ab : state.metric;
  const all = merged(shownSettings(), metric).settings;
  const has = data.methods.map((_, m) => m).filter(m => all.some(s => s.values.has(m)));
  const focused = document.activeElement?.id;
  const pick = (id, fallback) =>
    has.includes(methodIndex.get(id)) ? methodIndex.get(id) : (fallback.map(f => methodIndex.get(f)).find(m => has.includes(m)) ?? has[0]);
  const a = pick(state.a, ["qats"]);
  const b = pick(
    state.b,
    ["ts", "uncal"].filter(id => methodIndex.get(id) !== a),
  );
  const outcomes = outcomesOf(shownSettings(), metric, a, b);
  const scale = metricById.get(metric)?.percent ? 100 : 1;
  const digits = metricById.get(metric)?.digits ?? 4;
  const list = all
    .filter(s => s.values.has(a) && s.values.has(b))
    .map(s => ({name: s.name, d: scale * (s.values.get(a) - s.values.get(b)), ...(judged(state.source) ? outcomes.get(s.name) : {})}))
    .sort((p, q) => p.d - q.d)
    .map((p, i) => ({...p, i: i + 1, look: verdictLook[p.outcome || 0]}));
  const alike = scale * data.alike;
  const above = list.filter(p => p.d > alike).length;
  const below = list.filter(p => p.d < -alike).length;
  const [up, down] = better(metric) === "higher" ? [above, below] : [below, above];
  const options = has.map(m => [data.methods[m].id, label(m)]);
  const parts = [
    el(
      "div",
      {class: "row"},
      select("ab-a", "Method", options, data.methods[a]?.id, v => set({a: v})),
      select("ab-b", "minus", options, data.methods[b]?.id, v => set({b: v})),
      select(
        "ab-metric",
        "Metric",
        data.metrics.filter(m => m.better && data.values[m.id]).map(m => [m.id, m.label]),
        metric,
        v => set({ab: v}),
      ),
    ),
  ];
  if (list.length && a !== b) {
    const verdicts = judged(state.source);
    const count = o => [...outcomes.values()].filter(x => x.outcome === o).length;
    const judgedBy = outcomes.size
      ? `By the verdicts on the same test rows, which the leaderboard counts too, ${label(a)} is better in ${count(WIN)}, worse in ${count(LOSS)}, with no difference shown in ${count(TIE)} of ${plural(outcomes.size, "setting")}.`
      : `There are no verdicts on ${label(a)} against ${label(b)}.`;
    const title = `${metricById.get(metric).label}: ${label(a)} minus ${label(b)}, ${unit(metric)}`;
    const [limit, clipped] = bulk(
      list.map(p => p.d),
      leastReach(metric),
    );
    const within = list.filter(p => Math.abs(p.d) <= limit);
    const beyond = way => list.filter(p => p.d * way > limit);
    const lo = Math.max(-limit, Math.min(0, list[0].d));
    const hi = Math.min(limit, Math.max(0, list.at(-1).d));
    const pad = (hi - lo || 1) * 0.06;
    const held = x => Math.max(lo - pad, Math.min(hi + pad, x));
    const numbers = way => [...new Set(beyond(way).map(p => plain(p.d, digits)))];
    const from = p => (p.lo === null || p.lo === undefined ? "" : `\nfrom ${plain(scale * p.lo, digits)} to ${plain(scale * p.hi, digits)}`);
    const root = chart({
      name: title,
      width: columnWidth(),
      height: 340,
      x: {domain: [0, list.length + 1], label: "settings in ascending order", tickFormat: t => (Number.isInteger(t) && t > 0 && t <= list.length ? String(t) : "")},
      y: {domain: [lo - pad, hi + pad], label: "difference", grid: true},
      marks: [
        zero(),
        Plot.ruleX(
          list.filter(p => p.lo !== null && p.lo !== undefined),
          {x: "i", y1: p => held(scale * p.lo), y2: p => held(scale * p.hi), stroke: p => p.look.stroke, strokeOpacity: 0.4, className: "interval"},
        ),
        ...verdictLook.map(look => Plot.dot(within.filter(p => p.look === look), {x: "i", y: "d", r: list.length > 60 ? 3 : 4, symbol: look.symbol, fill: look.fill, stroke: look.stroke})),
        ...[-1, 1]
          .filter(way => beyond(way).length)
          .flatMap(way => [
            Plot.dot(beyond(way), {x: "i", y: way < 0 ? lo - pad : hi + pad, symbol: "triangle", rotate: way < 0 ? 180 : 0, r: 5, fill: p => p.look.stroke, className: "beyond"}),
            Plot.text([numbers(way)], {
              x: way < 0 ? beyond(way).at(-1).i : beyond(way)[0].i,
              y: way < 0 ? lo - pad : hi + pad,
              text: list => (list.length > 3 ? list[0] + " to " + list.at(-1) : list.join(", ")),
              dx: -9 * way,
              textAnchor: way < 0 ? "start" : "end",
            }),
          ]),
        tips(list.map(p => ({x: p.i, y: held(p.d), title: `${p.name}\n${plain(p.d, digits)}${from(p)}` + (verdicts ? `\n${p.look.name}` : "")}))),
      ],
      color: {type: "identity"},
    });
    parts.push(
      el(
        "p",
        {},
        verdicts
          ? `${judgedBy} By the values alone, however small the difference, ${label(a)} is better in ${up}, worse in ${down} and equal in ${list.length - up - down} of ${plural(list.length, "setting")}. Lines are 95 % intervals of the difference${metricById.get(metric).squared ? `; the verdicts rest on the ${metricById.get(metric).basis}, and need not agree with them` : ""}.`
          : unjudged,
      ),
      el(
        "figure",
        {},
        el("figcaption", {}, title),
        outcomes.size && verdicts ? verdictKey(a, list) : null,
        root,
        clipped ? el("p", {class: "small"}, clippedNote) : null,
      ),
      folded(
        "Table of this chart",
        tableOf(
          title,
          ["Setting", "Difference", ...(outcomes.size && verdicts ? ["Verdict"] : [])],
          list.map(p => [p.name, plain(p.d, digits), ...(outcomes.size && verdicts ? [p.look.name] : [])]),
        ),
      ),
    );
  } else parts.push(el("p", {}, has.length > 1 && a === b ? "Choose two different methods." : "No setting that the filters keep has two methods with a value."));
  byId("dominance-body").replaceChildren(...parts);
  if (focused?.startsWith("ab-")) byId(focused)?.focus();
}

onChange(filterKeys + " a b ab metric", drawDominance);
