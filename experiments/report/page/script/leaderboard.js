// The leaderboard: a method a row, with its difference to the method of the comparison.

// besideMetrics are shown beside the metric that ranks.
const besideMetrics = ["ece", "aece", "nll", "brier", "accuracy"].filter(id => data.values[id]);

// The outcomes of a pair, as results.Outcome numbers them.
const [WIN, TIE, LOSS] = [1, 2, 3];

// decisions counts the verdicts on each method against the baseline, over the settings shown.
function decisions(settings, metric, base) {
  const kept = new Set(settings.map(s => s.i));
  const seen = new Set();
  const counts = new Map();
  const at = data.metrics.findIndex(m => m.id === metric);
  for (const [cell, against, index, , , , outcome] of data.pairs) {
    const {setting, method} = cells[cell];
    const once = data.settings[setting].name + ":" + method;
    if (against !== base || index !== at || !kept.has(setting) || !outcome || seen.has(once)) continue;
    seen.add(once);
    const c = counts.get(method) || counts.set(method, {win: 0, tie: 0, loss: 0}).get(method);
    c[{[WIN]: "win", [TIE]: "tie", [LOSS]: "loss"}[outcome]]++;
  }
  return counts;
}

// leaderboardRows returns the rows of a standing, which is undefined where nothing was compared.
// With other, the settings shown are not those of the standing: values and verdicts are of the
// settings shown, and ranks of those of the standing.
function leaderboardRows(found, other, all, metric) {
  const columns = [metric, ...besideMetrics.filter(id => id !== metric)];
  const beside = new Map(columns.map(id => [id, id === metric ? all : merged(shownSettings(), id).settings]));
  const valued = data.methods.map((_, m) => m).filter(m => all.some(s => s.values.has(m)));
  const ranked = new Map((found?.r || []).map((r, place) => [r.m, {...r, place}]));
  const lacking = new Map((found?.a || []).map(a => [a[0], a]));
  const versus = new Map((found?.o || []).map(o => [o[0], o]));
  const common = all.filter(s => [...ranked.keys()].every(m => s.values.has(m)));
  const counted = other ? decisions(shownSettings(), metric, baseline()) : new Map();
  const rows = valued.map(m => {
    const own = ranked.has(m) ? common : all;
    const names = new Set(own.map(s => s.name));
    const means = columns.map(id => blockMean(beside.get(id).filter(s => names.has(s.name)), s => s.values.get(m)));
    const [, win, tie, loss, sureWin, sureLoss, least, shift, lo, hi, sure] = versus.get(m) || [];
    const a = lacking.get(m);
    return {
      method: m,
      rank: ranked.get(m)?.place ?? null,
      printed: ranked.get(m)?.k ?? "–",
      groups: ranked.get(m)?.g || "",
      means,
      settings: means[0].settings,
      counts: other ? counted.get(m) : win === undefined || win === null ? undefined : {win, tie, loss, sureWin, sureLoss, least},
      shift: other || shift === undefined ? null : {mid: shift, lo, hi, sure},
      aside: data.methods[m].target
        ? "sees unlabelled rows of the test sets"
        : a
          ? `lacks ${a[1]} of ${plural(found.all, "setting")}` + (a[2] ? ` and ${a[2]} of ${plural(found.allBlocks, "block")}` : "")
          : "",
    };
  });
  return {rows, columns};
}

// sortRows sorts rows by the chosen column; without ranks, by the values of the metric.
function sortRows(rows, columns) {
  const cost = better(columns[0]) === "higher" ? -1 : 1;
  const get = {
    method: r => label(r.method).toLowerCase(),
    rank: r => (rows.some(x => x.rank !== null) ? r.rank : r.means[0].mean === null ? null : cost * r.means[0].mean),
    shift: r => r.shift?.mid,
    group: r => r.groups || null,
    settings: r => r.settings,
    win: r => r.counts?.win,
    tie: r => r.counts?.tie,
    loss: r => r.counts?.loss,
    least: r => r.counts?.least,
  };
  columns.forEach((id, j) => (get["m-" + id] = r => r.means[j].mean));
  const key = get[state.sort] || get.rank;
  const way = Number(state.dir);
  const ranks = new Map(rows.map(r => [r, r.rank ?? 1e9]));
  return [...rows].sort((a, b) => {
    const x = key(a) ?? null;
    const y = key(b) ?? null;
    const ties = ranks.get(a) - ranks.get(b);
    if (x === null || y === null) return (x === null) - (y === null) || ties;
    return (x < y ? -1 : x > y ? 1 : 0) * way || ties;
  });
}

// shiftScale returns the scale of the differences of some rows: it holds the dots, zero, and
// lines up to three times as far. A line that is cut has an arrow.
const shiftWidth = 170;
function shiftScale(rows) {
  const dots = rows.filter(r => r.shift).map(r => r.shift.mid);
  const ends = rows.filter(r => r.shift).flatMap(r => [r.shift.lo, r.shift.hi].filter(x => x !== null));
  const far = 3 * Math.max(...dots.map(Math.abs), 1e-12);
  const lo = Math.min(0, ...dots, ...ends.map(x => Math.max(x, -far)));
  const hi = Math.max(0, ...dots, ...ends.map(x => Math.min(x, far)));
  const at = x => 8 + ((Math.max(lo, Math.min(hi, x)) - lo) / (hi - lo || 1)) * (shiftWidth - 16);
  return {lo, hi, at};
}

// shiftCell draws the difference of a method, with its line, and says it in words.
function shiftCell(r, scale, metric) {
  const zero = scale.at(0);
  const {mid, lo, hi, sure} = r.shift || {};
  const line = r.shift && lo !== null;
  const text = !r.shift
    ? "no difference: others are compared with it"
    : `${signed(mid, metric)}` + (line ? `, ${sure ? "95 % interval" : "blocks"} from ${signed(lo, metric)} to ${signed(hi, metric)}` : "");
  const beyond = (x, way) =>
    line && x * way > (way < 0 ? -scale.lo : scale.hi) * 1.0001 ? svg("path", {d: `M${scale.at(x) + 6 * way} 11l${-8 * way} -5v10z`, style: "fill:" + color(r.method)}) : null;
  return svg(
    "svg",
    {class: "shift", role: "img", "aria-label": text, width: shiftWidth, height: 22, viewBox: `0 0 ${shiftWidth} 22`},
    svg("title", {}, text),
    svg("line", {class: "zero", x1: zero, x2: zero, y1: 0, y2: 22}),
    line
      ? svg("line", {x1: scale.at(lo), x2: scale.at(hi), y1: 11, y2: 11, style: "stroke:" + color(r.method), "stroke-width": sure ? 3 : 1.5, "stroke-dasharray": sure ? null : "3 2"})
      : null,
    beyond(lo, -1),
    beyond(hi, 1),
    marker(r.method, r.shift ? scale.at(mid) : zero, 11, 4.5),
  );
}

function drawLeaderboard() {
  const metric = state.metric;
  const shownNow = merged(shownSettings(), metric);
  const {found, other} = standing(metric);
  const {rows, columns} = leaderboardRows(found, other, shownNow.settings, metric);
  const base = baseline();
  const focused = document.activeElement?.id;
  const verdicts = judged(state.source);
  const more = verdicts && state.columns === "all"; // the columns that are long or need explaining
  const differences = !other && rows.some(r => r.shift);
  const head = (id, text, title, below) =>
    el(
      "th",
      {
        scope: "col",
        class: id === "method" || id === "shift" ? null : "number",
        "aria-sort": state.sort === id ? (state.dir === "1" ? "ascending" : "descending") : null,
      },
      el(
        "button",
        {type: "button", id: "sort-" + id, title, onclick: () => set({sort: id, dir: state.sort === id && state.dir === "1" ? "-1" : "1"})},
        text,
      ),
      below,
    );
  const shown = sortRows(rows, columns).filter(r => methodShown(r.method));
  const listed = shown.filter(r => !r.aside || !rows.some(x => !x.aside));
  const aside = shown.filter(r => !listed.includes(r));
  const ranked = found?.r.length;
  const scale = shiftScale(listed);
  const numbers = svg(
    "svg",
    {class: "shift", "aria-hidden": "true", width: shiftWidth, height: 16, viewBox: `0 0 ${shiftWidth} 16`},
    [scale.lo, 0, scale.hi]
      .filter((x, i) => i === 1 || Math.abs(scale.at(x) - scale.at(0)) > 44)
      .map(x => svg("text", {class: "tick", x: scale.at(x), y: 12, "text-anchor": x === 0 ? "middle" : x < 0 ? "start" : "end"}, x === 0 ? "0" : signed(x, metric))),
  );
  const heads = [
    head("method", "Method"),
    differences ? head("shift", "Difference to " + label(base), "", numbers) : null,
    ranked ? head("rank", "Mean rank") : null,
    more ? head("group", "Alike", "methods with a common letter are not told apart") : null,
    ...columns.map(id => head("m-" + id, metricById.get(id).label + (metricById.get(id).percent ? " %" : ""))),
    head("settings", "Settings"),
    ...(verdicts
      ? [
          head("win", "Better"),
          head("tie", "Tie"),
          head("loss", "Worse"),
          more ? head("least", "Smallest", "smallest difference that the rows of a setting can show") : null,
        ]
      : []),
  ].filter(x => x);
  const bests = columns.map((id, j) => {
    const values = listed.filter(r => r.means[j].mean !== null).map(r => r.means[j].mean);
    const best = print(better(id) === "higher" ? Math.max(...values) : Math.min(...values), id);
    return values.every(x => print(x, id) === best) ? null : best; // nothing is best where all are equal
  });
  const first = found?.r[0]?.k;
  const bold = (is, x) => (is ? el("strong", {}, x) : x);
  const body = listed.map(r =>
    el(
      "tr",
      {"data-method": data.methods[r.method].id},
      el("th", {scope: "row"}, el("span", {}, swatch(r.method), bold(r.printed === first, label(r.method)))),
      differences ? el("td", {}, shiftCell(r, scale, metric)) : null,
      ranked ? el("td", {class: "number"}, bold(r.printed === first, r.printed)) : null,
      more ? el("td", {class: "number alike"}, [...r.groups].join(" ") || "–") : null,
      ...r.means.map((x, j) =>
        el(
          "td",
          {class: "number"},
          bold(x.mean !== null && print(x.mean, columns[j]) === bests[j], print(x.mean, columns[j])),
          x.mean !== null && x.settings < r.settings ? el("span", {class: "small"}, ` (${x.settings})`) : null,
        ),
      ),
      el("td", {class: "number"}, String(r.settings)),
      ...(verdicts
        ? [
            ["win", "sureWin"],
            ["tie", ""],
            ["loss", "sureLoss"],
          ].map(([k, sure]) => el("td", {class: "number"}, r.counts ? r.counts[k] + (r.counts[k] && r.counts[sure] !== undefined ? ` (${r.counts[sure]})` : "") : "–"))
        : []),
      more ? el("td", {class: "number"}, print(r.counts?.least, metric)) : null,
    ),
  );
  const ends = Math.max(...listed.map(r => r.shift?.sure ?? 0));
  const lines = [
    "A dashed line goes from the least to the largest block: there are too few blocks for an interval",
    "A thick line is a 95 % interval over blocks (Hodges and Lehmann)",
    "A thick line is the 95 % interval of the difference on the test rows",
  ];
  const m = metricById.get(metric);
  const notes = [
    other ? `Ranks are of all ${plural(found?.n || 0, "setting")}, not only of those that the filters keep: choose one data set, backbone or kind of test sets alone for its own ranks.` : "",
    ranked
      ? `Mean rank by ${m.label} over ${extent(found)}, which all ranked methods have; 1 is best. Values are means over blocks; a number in brackets says over how many settings, where they are fewer. The best are bold.`
      : `No ranking: ${found?.none || "nothing was compared"}.`,
    differences && verdicts
      ? `Difference to ${label(base)} in ${m.label}, ${unit(metric)}: ${better(metric) === "higher" ? "right" : "left"} of zero is better. ${lines[ends]}.`
      : "",
    found?.cd && more ? `Alike: methods with a common letter are not told apart by Nemenyi's test at .05 (critical difference ${found.cd.toFixed(2)}).` : "",
    !verdicts
      ? unjudged
      : other || found?.v
        ? `Better, tie, worse: settings by the verdict against ${label(base)} on the same test rows. It rests on the difference in ${m.basis}: its 95 % interval lies on the better side of zero, contains zero, or lies on the worse side.` +
          (other ? "" : ` In brackets: those that Holm's correction for all ${plural(found.v, "verdict")} leaves.`)
        : `There are no verdicts against ${label(base)} in ${m?.label}.`,
    more && found?.v && !other
      ? `Smallest: the smallest difference that the test rows of a setting can show, in ${unit(metric)}${m.squared ? " of the root mean square gap" : ""}.`
      : "",
    columns.some(id => better(id) === "higher")
      ? "Higher is better for " +
        columns
          .filter(id => better(id) === "higher")
          .map(id => metricById.get(id).label)
          .join(" and ") +
        "; lower for all others."
      : "Lower is better.",
    ...(found?.x || []).map(([method, n]) => `${plural(n, "setting")} left out because ${label(method)} has no value there.`),
  ].filter(x => x);
  byId("leaderboard-body").replaceChildren(
    shownNow.conflict
      ? el("p", {class: "warning"}, `${shownNow.conflict} has different values in several experiments. Choose one experiment.`)
      : "",
    other ? el("p", {class: "warning", id: "ranks-of-all"}, notes.shift()) : "",
    scroller(
      "Leaderboard",
      el(
        "table",
        {id: "leaderboard-table"},
        el("caption", {class: "hidden"}, `Leaderboard, ${state.source}, ${metric}`),
        el("thead", {}, el("tr", {}, heads)),
        el("tbody", {}, body),
      ),
    ),
    aside.length
      ? folded(
          `${plural(aside.length, "method")} not ranked`,
          el(
            "ul",
            {id: "not-ranked", class: "small"},
            aside.map(r => el("li", {"data-method": data.methods[r.method].id}, swatch(r.method), `${label(r.method)}: ${m.label} ${print(r.means[0].mean, metric)} over ${plural(r.settings, "setting")}; ${r.aside}`)),
          ),
          el("p", {class: "small"}, "Their values are over their own settings: do not compare them with those of the others."),
        )
      : "",
    verdicts
      ? el(
          "label",
          {class: "small"},
          el("input", {type: "checkbox", id: "columns", checked: more, onchange: e => set({columns: e.target.checked ? "all" : ""})}),
          " Show also which methods are alike, and the smallest difference that can be shown",
        )
      : "",
    folded("How to read this table", ...notes.map(n => el("p", {class: "small"}, n))),
  );
  if (focused && byId(focused) && (focused === "columns" || focused.startsWith("sort-"))) byId(focused).focus();
}

onChange(filterKeys + " metric block sort dir base columns", drawLeaderboard);
