// Severity of corruptions: one network, its test sets under corruption.

// networks returns the networks of some settings that have corrupted test sets of several
// severities.
function networks(settings) {
  const by = new Map();
  for (const s of settings) {
    if (s.shift !== "corrupted") continue;
    const key = s.e + "/" + s.d + "/" + s.b + "/" + s.l;
    by.set(key, [...(by.get(key) || []), s]);
  }
  return new Map([...by].filter(([, list]) => new Set(list.map(s => s.s)).size > 1));
}

// quantile interpolates between sorted values (definition 7 of Hyndman and Fan 1996).
function quantile(sorted, q) {
  const h = q * (sorted.length - 1);
  const i = Math.floor(h);
  return i + 1 === sorted.length ? sorted[i] : sorted[i] + (h - i) * (sorted[i + 1] - sorted[i]);
}

function drawSeverity() {
  const body = byId("severity-body");
  const all = networks(shownSettings());
  const metric = state.metric;
  const focused = document.activeElement?.id;
  if (!body) return;
  if (!all.size) {
    const some = networks(data.settings.filter(s => s.src === state.source)).size;
    const why = some
      ? `The filters keep no corrupted test sets of several severities; without them there are those of ${plural(some, "network")}.`
      : `No ${state.source} network has corrupted test sets of several severities.`;
    return body.replaceChildren(el("p", {}, why));
  }
  const key = all.has(state.network) ? state.network : [...all.keys()][0];
  const settings = all.get(key);
  const every = methodsOf(settings, metric);
  const named = every.filter(methodShown);
  const has = named.length ? named : every;
  const usual = ["uncal", "ts", "ir", "qats"];
  const chosen = state.lines
    ? has.filter(m => state.lines.split(",").includes(data.methods[m].id))
    : has.filter(m => usual.includes(data.methods[m].id));
  const methods = chosen.length ? chosen : has.slice(0, 4);
  const severities = [...new Set(settings.map(s => s.s))].sort((a, b) => a - b);
  const corruptions = [...new Set(settings.map(s => s.c))];
  const scale = metricById.get(metric)?.percent ? 100 : 1;
  const axis = (metricById.get(metric)?.label || metric) + (scale === 100 ? " %" : "");
  const at = (c, v, m) => {
    const s = settings.find(x => x.c === c && x.s === v);
    const x = s ? value(s.i, m, metric) : null;
    return x === null ? null : scale * x;
  };
  const series = methods
    .map(m => {
      const points = [];
      const spread = [];
      for (const v of severities) {
        const xs = corruptions.map(c => at(c, v, m));
        if (xs.includes(null)) continue; // a mean over fewer corruptions would differ for that reason
        const sorted = [...xs].sort((a, b) => a - b);
        points.push([v, mean(sorted)]);
        spread.push([v, quantile(sorted, 0.25), quantile(sorted, 0.75)]);
      }
      return {method: m, points, spread};
    })
    .filter(s => s.points.length);
  // One band, as in the figure: bands over each other cannot be told apart.
  const around = series.find(s => s.method === methodIndex.get("qats")) || series.at(-1);
  const ends = series.flatMap(s => s.points.map(p => p[1])).concat(around ? around.spread.flatMap(b => b.slice(1)) : []);
  const top = Math.max(0, ...ends);
  const low = Math.min(...ends);
  const y = better(metric) === "higher" ? [low - (top - low) * 0.08, top + (top - low) * 0.08] : [0, top * 1.05 || 1];
  const x = [severities[0] - 0.2, severities.at(-1) + 0.2];
  x.ticks = severities;
  const main = frame({
    name: `${axis} by severity, mean over ${corruptions.length} corruptions, ${key}`,
    width: 620,
    height: 340,
    x,
    y,
    xTitle: "severity",
    yTitle: axis,
  });
  if (around)
    main.root.append(area(main, around.spread, {class: "area", style: `fill:${color(around.method)};stroke:${color(around.method)}`}));
  curves(main, series);
  const multiples = corruptions.map(c => {
    const list = methods
      .map(m => ({method: m, points: severities.map(v => [v, at(c, v, m)]).filter(p => p[1] !== null)}))
      .filter(s => s.points.length);
    const most = Math.max(0, ...list.flatMap(s => s.points.map(p => p[1])));
    const least = Math.min(...list.flatMap(s => s.points.map(p => p[1])));
    const f = frame({
      name: `${axis} by severity, ${c}`,
      width: 240,
      height: 150,
      x,
      y: better(metric) === "higher" ? [least - (most - least) * 0.1, most + (most - least) * 0.1] : [0, most * 1.05 || 1],
      small: true,
    });
    curves(f, list);
    return el("figure", {}, el("figcaption", {}, c.replaceAll("_", " ")), f.root);
  });
  body.replaceChildren(
    el(
      "div",
      {class: "row"},
      select("network", "Network", [...all.keys()], key, v => set({network: v})),
    ),
    checks("lines-", "Methods", has, methods, ms => set({lines: ms.map(m => data.methods[m].id).join(",")})),
    el(
      "figure",
      {},
      el(
        "figcaption",
        {},
        `${axis}: mean over ${plural(corruptions.length, "corruption")}` +
          (around ? `, with a band from the first to the third quartile of ${label(around.method)}` : ""),
      ),
      keyLine(series),
      main.root,
      el(
        "p",
        {class: "small"},
        "Points stand exactly at their severity. Lines that coincide are drawn one within the other, and the legend names them together.",
      ),
    ),
    folded(
      "Table of this chart",
      tableOf(
        `${axis} by severity`,
        ["Method", ...severities.map(v => "severity " + v)],
        series.map(s => [
          label(s.method),
          ...severities.map(v => {
            const p = s.points.find(q => q[0] === v);
            return p ? plain(p[1], metricById.get(metric).digits) : "–";
          }),
        ]),
      ),
    ),
    el("h3", {}, "By corruption"),
    el("p", {class: "small"}, "Each chart has an axis of its own."),
    el("div", {class: "multiples"}, ...multiples),
    folded(
      "Table of these charts",
      tableOf(
        `${axis} by corruption and severity`,
        ["Corruption, severity", ...methods.map(label)],
        corruptions.flatMap(c =>
          severities.map(v => [
            `${c.replaceAll("_", " ")} ${v}`,
            ...methods.map(m => {
              const z = at(c, v, m);
              return z === null ? "–" : plain(z, metricById.get(metric).digits);
            }),
          ]),
        ),
      ),
    ),
  );
  if (focused?.startsWith("lines-") || focused === "network") byId(focused)?.focus();
}

onChange(filterKeys + " metric network lines", drawSeverity);
