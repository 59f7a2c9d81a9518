// Severity of corruptions: one network, its test sets under corruption.
function drawSeverity() {
  const body = byId("severity-body");
  if (!body) return;
  const metric = state.metric;
  const focused = document.activeElement?.id;
  const nameOf = s => [s.e, s.d, s.b, s.l].join("/");
  const kept = d3.group(shownSettings().filter(s => s.shift === "corrupted"), nameOf);
  const known = data.corrupted.filter(n => n.src === state.source);
  const all = known.filter(n => new Set(kept.get(n.name)?.map(s => s.s)).size > 1);
  if (!all.length) {
    const why = known.length
      ? `The filters keep no corrupted test sets of several severities; without them there are those of ${plural(known.length, "network")}.`
      : `No ${state.source} network has corrupted test sets of several severities.`;
    return body.replaceChildren(el("p", {}, why));
  }
  const network = all.find(n => n.name === state.network) || all[0];
  const settings = kept.get(network.name);
  const every = methodsOf(settings, metric);
  const named = every.filter(methodShown);
  const has = named.length ? named : every;
  const ids = state.lines ? state.lines.split(",") : ["uncal", "ts", "ir", "qats"];
  const chosen = has.filter(m => ids.includes(data.methods[m].id));
  const methods = chosen.length ? chosen : has.slice(0, 4);
  const {severities} = network;
  const corruptions = network.corruptions.filter(c => settings.some(s => s.c === c));
  const whole = corruptions.length === network.corruptions.length; // the means are over all
  const {percent, digits, label: name} = metricById.get(metric);
  const scale = x => (x === null ? null : percent ? 100 * x : x);
  const axis = name + (percent ? " %" : "");
  const at = (c, v, m) => {
    const s = settings.find(x => x.c === c && x.s === v);
    return s ? scale(value(s.i, m, metric)) : null;
  };
  const means = d3.group(whole ? network.means[metric] || [] : [], row => row[0]);
  const series = methods.filter(m => means.has(m)).map(m => ({method: m, spread: means.get(m).map(row => row.slice(1)), points: means.get(m).map(([, v, x]) => [v, scale(x)])}));
  // One band, as in the figure: bands over each other cannot be told apart.
  const around = series.find(s => s.method === methodIndex.get("qats")) || series.at(-1);
  const drawn = (title, list, band, options) =>
    chart({
      name: title,
      ...options,
      x: {domain: [severities[0] - 0.2, severities.at(-1) + 0.2], ticks: severities, ...options.x},
      y: {grid: true, zero: better(metric) !== "higher", nice: true, ...options.y},
      marks: [
        Plot.areaY(band?.spread || [], {x: "0", y1: row => scale(row[2]), y2: row => scale(row[3]), fill: band && color(band.method), fillOpacity: 0.12, className: "area"}),
        ...curves(list),
        tips(list.flatMap(s => s.points.map(([v, y]) => ({x: v, y, title: `${label(s.method)}\nseverity ${v}: ${plain(y, digits)}`})))),
      ],
    });
  const multiples = corruptions.map(c => {
    const list = methods.map(m => ({method: m, points: severities.map(v => [v, at(c, v, m)]).filter(p => p[1] !== null)})).filter(s => s.points.length);
    const root = drawn(`${axis} by severity, ${c}`, list, null, {width: columnWidth(99, 0, 224), height: 160, marginLeft: 40, marginTop: 10, marginBottom: 24, x: {label: null}, y: {label: null, ticks: 4}});
    return el("figure", {}, el("figcaption", {}, c.replaceAll("_", " ")), root);
  });
  const number = x => (x === null || x === undefined ? "–" : plain(x, digits));
  body.replaceChildren(
    el("div", {class: "row"}, select("network", "Network", all.map(n => n.name), network.name, v => set({network: v}))),
    checks("lines-", "Methods", has, methods, ms => set({lines: ms.map(m => data.methods[m].id).join(",")})),
    whole
      ? figure({
          title: `${axis}: mean over ${plural(corruptions.length, "corruption")}` + (around ? `, with a band from the first to the third quartile of ${label(around.method)}` : ""),
          legend: keyLine(series),
          charts: drawn(`${axis} by severity, mean over ${corruptions.length} corruptions, ${network.name}`, series, around, {width: columnWidth(), height: 360, x: {label: "severity"}, y: {label: axis}}),
          notes: ["Points stand exactly at their severity. Lines that coincide are drawn one within the other, and the legend names them together."],
          tables: [() => [`${axis} by severity`, ["Method", ...severities.map(v => "severity " + v)], series.map(s => [label(s.method), ...severities.map(v => number(s.points.find(p => p[0] === v)?.[1]))])]],
        })
      : small(`The filters keep ${corruptions.length} of ${plural(network.corruptions.length, "corruption")}: only a mean over all is known.`),
    el("h3", {}, "By corruption"),
    small("Each chart has an axis of its own."),
    keyLine(methods.map(m => ({method: m, points: [m]}))),
    el("div", {class: "multiples"}, ...multiples),
    folded("Table of these charts", () => [
      tableOf(`${axis} by corruption and severity`, ["Corruption, severity", ...methods.map(label)], corruptions.flatMap(c => severities.map(v => [`${c.replaceAll("_", " ")} ${v}`, ...methods.map(m => number(at(c, v, m)))]))),
    ]),
  );
  if (focused?.startsWith("lines-") || focused === "network") byId(focused)?.focus();
}

onChange(filterKeys + " metric network lines", drawSeverity);
