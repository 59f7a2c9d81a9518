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
  const above = list.filter(p => p.d > 0).length;
  const below = list.filter(p => p.d < 0).length;
  const verdicts = judged(state.source);
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
    const title = `${metricById.get(metric).label}: ${label(a)} minus ${label(b)}, ${unit(metric)}`;
    const [limit, clipped] = limitOf(list.map(p => p.d));
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
    list.forEach((p, i) =>
      f.root.append(
        svg(
          "circle",
          {
            cx: f.sx(i + 1),
            cy: f.sy(Math.max(-limit, Math.min(limit, p.d))),
            r: 3,
            style: "fill:" + (p.d === 0 || !verdicts ? "var(--dim)" : color(p.d > 0 === (better(metric) === "higher") ? a : b)),
          },
          svg("title", {}, `${p.name}: ${plain(p.d, digits)}`),
        ),
      ),
    );
    parts.push(
      el(
        "p",
        {},
        verdicts
          ? `${label(a)} is better in ${up} of ${plural(list.length, "setting")}, worse in ${down} and equal in ${list.length - up - down}. A dot has the colour of the better method, and is grey where they are equal.`
          : unjudged,
      ),
      el(
        "figure",
        {},
        el("figcaption", {}, title),
        f.root,
        clipped ? el("p", {class: "small"}, "Differences beyond the axis stand at its end; the table has their numbers.") : null,
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
  } else parts.push(el("p", {}, a === b ? "Choose two different methods." : "No setting has both methods."));
  byId("dominance-body").replaceChildren(...parts);
  if (focused?.startsWith("ab-")) byId(focused)?.focus();
}

onChange(filterKeys + " a b ab metric", drawDominance);
