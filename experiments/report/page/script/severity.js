// Severity of corruptions: one network, its test sets under corruption.

// networks returns the networks of some settings that have corrupted test sets of several
// severities.
function networks(settings) {
  const corrupted = settings.filter(s => s.shift === "corrupted");
  const all = d3.groups(corrupted, s => s.e + "/" + s.d + "/" + s.b + "/" + s.l);
  return new Map(all.filter(([, list]) => new Set(list.map(s => s.s)).size > 1));
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
        points.push([v, mean(xs)]);
        spread.push([v, d3.quantile(xs, 0.25), d3.quantile(xs, 0.75)]);
      }
      return {method: m, points, spread};
    })
    .filter(s => s.points.length);
  // One band, as in the figure: bands over each other cannot be told apart.
  const around = series.find(s => s.method === methodIndex.get("qats")) || series.at(-1);
  const digits = metricById.get(metric)?.digits ?? 4;
  const hover = list =>
    tips(list.flatMap(s => s.points.map(([v, y]) => ({x: v, y, title: `${label(s.method)}\nseverity ${v}: ${plain(y, digits)}`}))));
  const x = {domain: [severities[0] - 0.2, severities.at(-1) + 0.2], ticks: severities};
  const y = {grid: true, zero: better(metric) !== "higher", nice: true};
  const main = chart({
    name: `${axis} by severity, mean over ${corruptions.length} corruptions, ${key}`,
    width: columnWidth(),
    height: 360,
    x: {...x, label: "severity"},
    y: {...y, label: axis},
    marks: [
      Plot.areaY(around?.spread || [], {x: p => p[0], y1: p => p[1], y2: p => p[2], fill: around && color(around.method), fillOpacity: 0.12, className: "area"}),
      ...curves(series),
      hover(series),
    ],
  });
  const multiples = corruptions.map(c => {
    const list = methods
      .map(m => ({method: m, points: severities.map(v => [v, at(c, v, m)]).filter(p => p[1] !== null)}))
      .filter(s => s.points.length);
    const root = chart({
      name: `${axis} by severity, ${c}`,
      width: columnWidth(99, 0, 224),
      height: 160,
      marginLeft: 40,
      marginTop: 10,
      marginBottom: 24,
      x: {...x, label: null},
      y: {...y, label: null, ticks: 4},
      marks: [...curves(list), hover(list)],
    });
    return el("figure", {}, el("figcaption", {}, c.replaceAll("_", " ")), root);
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
      main,
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
