// The leaderboard: a method a row, with its difference to the method of the comparison. All its
// numbers are of package results/compare; see standings.go.

// besideMetrics are shown beside the metric that ranks.
const besideMetrics = ["nll", "brier", "ece", "aece", "accuracy"].filter(id => data.values[id]);

// standing returns the standing of the settings that the filters keep, if there is one of just
// these, or else that of all settings, with other set.
function standing(metric) {
  const chosen = ["experiment", "dataset", "backbone", "loss"].filter(k => state[k]).map(k => k + "=" + state[k]);
  if (state.shift !== "usual") chosen.push("shift=" + state.shift);
  if (words().ofSettings.length) chosen.push("search");
  const own = chosen.length < 2 && standingOf(metric, chosen[0] || "");
  return {found: own || standingOf(metric, ""), part: own ? chosen[0] || "" : "", other: !own && chosen.length > 0};
}

// standingOf returns the standing of a part of the settings by a metric.
function standingOf(metric, part) {
  for (const base of [data.methods[baseline()]?.id, data.against]) {
    const found = data.standings[[state.source, metric, part, base, state.block].join("|")];
    const one = typeof found === "string" ? data.standings[found] : found;
    if (one) return {...one, ...data.rankings[metric][one.k], base: methodIndex.get(base)};
  }
}

// extent says over what settings a standing is.
function extent(s) {
  const are = s.c === 1 ? "is a corruption" : "are corruptions";
  return `${plural(s.n, "setting")} in ${plural(s.b, "independent data set")}` + (s.w ? ` (${s.c} ${are} of ${s.w === 1 ? "one network" : plural(s.w, "network")})` : "");
}

// meansOf returns the means of a standing by method: {mean, settings, best}.
function meansOf(s) {
  const of = (m, mean, settings) => [m, {mean, settings, best: s.best.includes(m)}];
  return new Map(s ? [...s.r.map(r => of(r.m, r.v, s.n)), ...s.u.map(u => of(...u))] : []);
}

// leaderboardRows returns the rows of a standing, which is undefined where nothing was compared.
function leaderboardRows(found, means) {
  const ranked = new Map((found?.r || []).map((r, place) => [r.m, {...r, place}]));
  const lacking = new Map((found?.a || []).map(a => [a[0], a]));
  const versus = new Map((found?.o || []).map(o => [o[0], o]));
  return [...means[0].keys()].map(method => {
    const [, win, tie, loss, sureWin, sureLoss, least, mid, lo, hi, sure] = versus.get(method) || [];
    const {place = null, k: printed = "–", g: groups = ""} = ranked.get(method) || {};
    const lacks = lacking.get(method);
    const aside = data.methods[method].target
      ? "sees unlabelled rows of the test sets"
      : lacks
        ? `lacks ${lacks[1]} of ${plural(found.all, "setting")}` + (lacks[2] ? ` and ${lacks[2]} of ${plural(found.allBlocks, "independent data set")}` : "")
        : "";
    const counts = win === undefined || win === null ? null : {win, tie, loss, sureWin, sureLoss, least};
    return {method, place, printed, groups, means: means.map(of => of.get(method)), settings: means[0].get(method).settings, counts, shift: mid === undefined ? null : {mid, lo, hi, sure}, aside};
  });
}

// sortRows sorts rows by the chosen column; without ranks, by the values of the metric.
function sortRows(rows, columns) {
  const cost = better(columns[0]) === "higher" ? -1 : 1;
  const ranked = rows.some(r => r.place !== null);
  const get = {
    method: r => label(r.method).toLowerCase(),
    rank: r => (ranked ? r.place : cost * r.means[0].mean),
    shift: r => r.shift?.mid,
    group: r => r.groups || null,
    settings: r => r.settings,
    ...Object.fromEntries(["win", "tie", "loss", "least"].map(k => [k, r => r.counts?.[k]])),
    ...Object.fromEntries(columns.map((id, j) => ["m-" + id, r => r.means[j]?.mean])),
  };
  const key = get[state.sort] || get.rank;
  const way = state.dir === "1" ? d3.ascending : d3.descending;
  const last = r => Number((key(r) ?? null) === null); // what has no value is the last
  return d3.sort(rows, (a, b) => last(a) - last(b) || way(key(a), key(b)) || (a.place ?? 1e9) - (b.place ?? 1e9));
}

// shiftScale returns the ends of the scale of the differences of some rows: it holds the dots,
// zero, and lines up to three times as far. A line that is cut has an arrow.
function shiftScale(rows) {
  const shifts = rows.flatMap(r => r.shift || []);
  const far = 3 * Math.max(...shifts.map(s => Math.abs(s.mid)), 1e-12);
  const [lo, hi] = d3.extent([0, ...shifts.flatMap(s => [s.mid, s.lo ?? 0, s.hi ?? 0])].map(x => Math.max(-far, Math.min(far, x))));
  return lo < hi ? [lo, hi] : [-1, 1];
}

// shiftChart draws the difference of a method, with its line. It says it in words.
const shiftSize = () => ({width: narrow() ? 104 : 170, marginLeft: 16, marginRight: 16, marginTop: 0, marginBottom: 0});
const shiftBox = root => el("div", {class: "shift", style: `width:${root.getAttribute("width")}px`}, root);
function shiftChart(r, domain, metric, base) {
  const {mid, lo, hi, sure} = r.shift || {mid: 0, lo: null};
  const text = !r.shift
    ? "0: the others are compared with it"
    : `${signed(mid, metric)} to ${base}` + (lo === null ? "" : `, ${sure ? "95 % interval" : "data sets"} from ${signed(lo, metric)} to ${signed(hi, metric)}`);
  const held = x => Math.max(domain[0], Math.min(domain[1], x));
  const cut = lo === null ? [] : [lo, hi].filter(x => held(x) !== x).map(x => ({x: held(x), way: Math.sign(x)}));
  const root = chart({
    ...shiftSize(),
    name: text,
    height: 24,
    x: {domain, axis: null},
    y: {domain: [-1, 1], axis: null},
    marks: [
      zero(Plot.ruleX),
      lo === null ? null : interval([0], {y: 0, x1: held(lo), x2: held(hi), stroke: color(r.method), strokeWidth: sure ? 3 : 1.5, strokeDasharray: sure ? undefined : "3 2"}),
      ...cut.map(({x, way}) => Plot.dot([0], {x, y: 0, symbol: "triangle", rotate: 90 * way, r: 4, fill: color(r.method)})),
      markers([[mid, 0]], r.method, 4.5),
      Plot.tip([text], Plot.pointer({x: mid, y: 0, title: d => d, maxRadius: 200, anchor: "left"})),
    ],
  });
  return shiftBox(root);
}

// shiftAxis has the numbers of the scale, above its column.
function shiftAxis(domain, metric) {
  const apart = (domain[1] - domain[0]) / (narrow() ? 2 : 3.5);
  const ticks = [...domain.filter(x => Math.abs(x) > apart), 0];
  const root = chart({...shiftSize(), name: "", height: 16, x: {domain, axis: "top", ticks, tickSize: 0, tickPadding: -12, label: null, tickFormat: x => (x ? signed(x, metric) : "0")}, marks: []});
  root.setAttribute("aria-hidden", "true");
  return shiftBox(root);
}

// sortable is a heading that sorts its column.
function sortable(key, name, title, more) {
  const sorted = state.sort === key;
  const turn = () => set(sorted ? {dir: state.dir === "1" ? "-1" : "1"} : {sort: key, dir: "1"});
  const order = sorted ? (state.dir === "1" ? "ascending" : "descending") : null;
  return el("th", {scope: "col", class: key === "method" || key === "shift" ? null : "number", "aria-sort": order, title}, el("button", {type: "button", id: "sort-" + key, onclick: turn}, name), more);
}

function leaderboardNotes(found, other, metric, columns, more) {
  const m = metricById.get(metric);
  const base = label(found?.base ?? baseline());
  const ends = Math.max(0, ...(found?.o || []).map(o => o[10]));
  const lines = [
    "A dashed line goes from the least to the largest independent data set: there are too few for an interval",
    "A thick line is a 95 % interval over independent data sets (Hodges and Lehmann)",
    "A thick line is the 95 % interval of the difference on the test rows",
  ];
  const higher = columns.filter(id => better(id) === "higher").map(id => metricById.get(id).label);
  const verdicts = judged(state.source);
  return [
    found?.r.length
      ? `Mean rank by ${m.label} over ${extent(found)}, which all ranked methods have; 1 is best. Values are means over independent data sets; a number in brackets says over how many settings, where these are others. The best are bold.`
      : `No ranking: ${found?.none || "nothing was compared"}.`,
    verdicts && found?.o.length ? `Difference to ${base} in ${m.label}, ${unit(metric)}: ${better(metric) === "higher" ? "right" : "left"} of zero is better. ${lines[ends]}.` : "",
    verdicts && found?.cd && more ? `Alike: methods with a common letter are not distinguished by Nemenyi's test at .05 (critical difference ${found.cd.toFixed(2)}).` : "",
    !verdicts
      ? unjudged
      : found?.v
        ? `Better, tie, worse: settings by the verdict against ${base} on the same test rows. It rests on the difference in ${m.basis}: its 95 % interval lies on the better side of zero, contains zero, or lies on the worse side. In brackets: those that Holm's correction for all ${plural(found.v, "verdict")} leaves.`
        : `There are no verdicts against ${base} in ${m?.label}.`,
    more && found?.v ? `Smallest: the smallest difference that the test rows of a setting can show, in ${unit(metric)}${m.squared ? " of the root mean square gap" : ""}.` : "",
    higher.length ? `Higher is better for ${higher.join(" and ")}; lower for all others.` : "Lower is better.",
    ...(found?.x || []).map(([method, n]) => `${plural(n, "setting")} left out because ${label(method)} has no value there.`),
  ];
}

function drawLeaderboard() {
  const metric = state.metric;
  const {found, part, other} = standing(metric);
  const columns = [metric, ...besideMetrics.filter(id => id !== metric)];
  const rows = leaderboardRows(found, columns.map(id => meansOf(id === metric ? found : standingOf(id, part))));
  const focused = document.activeElement?.id;
  const verdicts = judged(state.source);
  const more = verdicts && state.columns === "all"; // the columns that are long or need explaining
  const listed = sortRows(rows.filter(r => !r.aside && methodShown(r.method)), columns);
  const aside = rows.filter(r => r.aside && methodShown(r.method));
  const differences = verdicts && listed.some(r => r.shift);
  const ranked = listed.some(r => r.place !== null);
  const base = label(found?.base ?? baseline());
  const domain = shiftScale(listed);
  const first = found?.r[0]?.k;
  const bold = (is, x) => (is ? el("strong", {}, x) : x);
  const number = (...x) => el("td", {class: "number"}, ...x);
  const count = (r, k, sure) => number(r.counts ? r.counts[k] + (r.counts[k] && sure ? ` (${r.counts[sure]})` : "") : "–");
  // A column is its heading and its cells. One without a value says nothing, as of one network the ranks and verdicts.
  const columnsOf = list => list.filter(x => x).map(([head, cell]) => ({head, cells: listed.map(cell)})).filter(({cells}) => cells.some(c => c.querySelector("svg") || !["", "–"].includes(c.textContent)));
  const table = columnsOf([
    [sortable("method", "Method"), r => el("th", {scope: "row"}, el("span", {}, swatch(r.method), bold(r.printed === first, label(r.method))))],
    differences && [sortable("shift", "Difference to " + base, "", shiftAxis(domain, metric)), r => el("td", {}, shiftChart(r, domain, metric, base))],
    ranked && [sortable("rank", "Mean rank"), r => number(bold(r.printed === first, r.printed))],
    more && [sortable("group", "Alike", "methods with a common letter are not distinguished"), r => el("td", {class: "number alike"}, [...r.groups].join(" ") || "–")],
    ...columns.map((id, j) => [
      sortable("m-" + id, metricById.get(id).label + (metricById.get(id).percent ? " %" : "")),
      ({means: {[j]: x}, settings}) => number(bold(x?.best, print(x?.mean, id)), x && x.settings !== settings ? el("span", {class: "small"}, ` (${x.settings})`) : null),
    ]),
    listed.some(r => r.settings > 1) && [sortable("settings", "Settings"), r => number(r.settings)],
    verdicts && [sortable("win", "Better"), r => count(r, "win", "sureWin")],
    verdicts && [sortable("tie", "Tie"), r => count(r, "tie")],
    verdicts && [sortable("loss", "Worse"), r => count(r, "loss", "sureLoss")],
    more && [sortable("least", "Smallest", "smallest difference that the rows of a setting can show"), r => number(print(r.counts?.least, metric))],
  ]);
  const body = el("tbody", {}, listed.map((r, i) => el("tr", {"data-method": data.methods[r.method].id}, table.map(({cells}) => cells[i]))));
  const caption = el("caption", {class: "hidden"}, `Leaderboard, ${state.source}, ${metric}`);
  const line = r => el("li", {"data-method": data.methods[r.method].id}, swatch(r.method), `${label(r.method)}: ${metricById.get(metric).label} ${print(r.means[0].mean, metric)} over ${plural(r.settings, "setting")}; ${r.aside}`);
  const box = el("input", {type: "checkbox", id: "columns", checked: more, onchange: e => set({columns: e.target.checked ? "all" : ""})});
  byId("leaderboard-body").replaceChildren(
    ...[
      other
        ? el("p", {class: "warning", id: "ranks-of-all"}, `Ranks are of all ${plural(found?.n || 0, "setting")}, as are means and counts of verdicts. Choose only one data set, backbone or kind of test sets for its own. The settings below have the values and verdicts of what the filters keep.`)
        : "",
      listed.length ? scroller("Leaderboard", el("table", {id: "leaderboard-table"}, caption, el("thead", {}, el("tr", {}, table.map(({head}) => head))), body)) : el("p", {}, found ? "No ranked method has the words of the search." : `Nothing was compared by this metric${severalExperiments && !state.experiment ? ": choose one experiment" : ""}.`),
      aside.length
        ? el("details", {}, el("summary", {}, `${plural(aside.length, "method")} not ranked`), el("ul", {id: "not-ranked", class: "small"}, aside.map(line)), small("Their values are over their own settings: do not compare them with those of the others."))
        : "",
      verdicts && listed.length ? el("label", {class: "small"}, box, " Show also which methods are alike, and the smallest difference that can be shown") : "",
      el("details", {}, el("summary", {}, "How to read this table"), leaderboardNotes(found, other, metric, columns, more).map(small)),
    ].filter(x => x),
  );
  if (focused && byId(focused) && (focused === "columns" || focused.startsWith("sort-"))) byId(focused).focus();
}

onChange(filterKeys + " metric block sort dir base columns", drawLeaderboard);
