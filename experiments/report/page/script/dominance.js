// countVerdicts counts the verdicts on method a against b, from the pairs of either. The
// settings are those of the leaderboard.
function countVerdicts(settings, metric, a, b) {
  const kept = new Set(settings.map(s => s.i));
  const at = data.metrics.findIndex(m => m.id === metric);
  const outcomes = new Map();
  for (const [cell, against, index, , , , outcome] of data.pairs) {
    const {setting, method} = cells[cell];
    if (index !== at || !kept.has(setting) || !outcome) continue;
    const name = data.settings[setting].name;
    if (method === a && against === b) outcomes.set(name, outcome);
    if (method === b && against === a && !outcomes.has(name)) outcomes.set(name, WIN + LOSS - outcome);
  }
  const count = o => [...outcomes.values()].filter(x => x === o).length;
  return {all: outcomes.size, win: count(WIN), tie: count(TIE), loss: count(LOSS)};
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
  const scale = metricById.get(metric)?.percent ? 100 : 1;
  const digits = metricById.get(metric)?.digits ?? 4;
  const list = all
    .filter(s => s.values.has(a) && s.values.has(b))
    .map(s => ({name: s.name, d: scale * (s.values.get(a) - s.values.get(b))}))
    .sort((p, q) => p.d - q.d);
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
    const decided = countVerdicts(shownSettings(), metric, a, b);
    const judgedBy = decided.all
      ? `By the verdicts on the same test rows, which the leaderboard counts too, ${label(a)} is better in ${decided.win}, worse in ${decided.loss}, with no difference shown in ${decided.tie} of ${plural(decided.all, "setting")}.`
      : `There are no verdicts on ${label(a)} against ${label(b)}.`;
    const title = `${metricById.get(metric).label}: ${label(a)} minus ${label(b)}, ${unit(metric)}`;
    const [limit, clipped] = bulk(
      list.map(p => p.d),
      leastReach(metric),
    );
    const lo = Math.max(-limit, Math.min(0, list[0].d));
    const hi = Math.min(limit, Math.max(0, list.at(-1).d));
    const pad = (hi - lo || 1) * 0.06;
    const x = [0, list.length + 1];
    x.ticks = ticksOf(...x, 8).filter(t => Number.isInteger(t) && t > 0 && t <= list.length);
    const f = frame({
      name: title,
      width: 720,
      height: 300,
      x,
      y: [lo - pad, hi + pad],
      xTitle: "settings in ascending order",
      yTitle: "difference",
    });
    f.root.append(svg("line", {class: "zero", x1: f.left, x2: f.right, y1: f.sy(0), y2: f.sy(0)}));
    const winner = p => (Math.abs(p.d) <= alike || !verdicts ? null : p.d > 0 === (better(metric) === "higher") ? a : b);
    list.forEach((p, i) => {
      const x = f.sx(i + 1);
      const m = winner(p);
      let mark;
      if (Math.abs(p.d) > limit)
        mark = arrow(x, p.d > 0 ? f.top : f.bottom, 0, p.d > 0 ? -1 : 1, m === null ? "var(--dim)" : color(m));
      else if (m === null) mark = svg("circle", {cx: x, cy: f.sy(p.d), r: 2.5, style: "fill:var(--dim)"});
      else mark = marker(m, x, f.sy(p.d), list.length > 60 ? 3 : 4);
      f.root.append(svg("g", {}, mark, svg("title", {}, `${p.name}: ${plain(p.d, digits)}`)));
    });
    for (const way of [-1, 1]) {
      const places = list.map((p, i) => [p.d, i + 1]).filter(([d]) => d * way > limit);
      if (!places.length) continue;
      const numbers = [...new Set(places.map(([d]) => plain(d, digits)))];
      f.root.append(
        svg(
          "text",
          {
            class: "tick halo",
            x: way < 0 ? f.sx(places.at(-1)[1]) + 9 : f.sx(places[0][1]) - 9,
            y: way < 0 ? f.bottom - 4 : f.top + 11,
            "text-anchor": way < 0 ? "start" : "end",
          },
          numbers.length > 3 ? numbers[0] + " to " + numbers.at(-1) : numbers.join(", "),
        ),
      );
    }
    parts.push(
      el(
        "p",
        {},
        verdicts
          ? `${judgedBy} By the values alone, however small the difference, ${label(a)} is better in ${up}, worse in ${down} and equal in ${list.length - up - down} of ${plural(list.length, "setting")}. A point has the marker of the better method, and is a grey dot where they are equal.`
          : unjudged,
      ),
      el(
        "figure",
        {},
        el("figcaption", {}, title),
        verdicts ? keyLine([a, b].map(m => ({method: m, points: [m]}))) : null,
        f.root,
        clipped ? el("p", {class: "small"}, clippedNote) : null,
      ),
      folded(
        "Table of this chart",
        tableOf(
          title,
          ["Setting", "Difference"],
          list.map(p => [p.name, plain(p.d, digits)]),
        ),
      ),
    );
  } else parts.push(el("p", {}, has.length > 1 && a === b ? "Choose two different methods." : "No setting that the filters keep has two methods with a value."));
  byId("dominance-body").replaceChildren(...parts);
  if (focused?.startsWith("ab-")) byId(focused)?.focus();
}

onChange(filterKeys + " a b ab metric", drawDominance);
