// The leaderboard: methods x metrics over the settings that the filters keep.

// besideMetrics are shown beside the metric that ranks.
const besideMetrics = ["ece", "aece", "nll", "brier", "accuracy"].filter(id => data.values[id]);

// The outcomes of a pair, as results.Outcome numbers them.
const [WIN, TIE, LOSS] = [1, 2, 3];

// decisions counts, by method, the settings with each verdict against the baseline. sure
// are the wins and losses that Holm's correction for all verdicts leaves. least is the
// smallest difference that the rows of a setting can show: half the width of the
// verdict's interval, or its root where the basis is a square, median over the settings.
function decisions(settings, metric, base) {
  const kept = new Set(settings.map(s => s.i));
  const seen = new Set();
  const counts = new Map();
  const at = data.metrics.findIndex(m => m.id === metric);
  const all = [];
  for (const [cell, against, index, , , , outcome, width, p] of data.pairs) {
    const {setting, method} = cells[cell];
    if (against !== base || index !== at || !kept.has(setting) || !outcome) continue;
    const once = data.settings[setting].name + ":" + method;
    if (seen.has(once)) continue;
    seen.add(once);
    const c = counts.get(method) || counts.set(method, {win: 0, tie: 0, loss: 0, sureWin: 0, sureLoss: 0, widths: []}).get(method);
    c.widths.push(width);
    c[{[WIN]: "win", [TIE]: "tie", [LOSS]: "loss"}[outcome]]++;
    all.push({c, outcome, p});
  }
  all.sort((x, y) => x.p - y.p);
  for (const [i, {c, outcome, p}] of all.entries()) {
    if (p * (all.length - i) > 0.05) break;
    if (outcome === WIN) c.sureWin++;
    if (outcome === LOSS) c.sureLoss++;
  }
  for (const c of counts.values()) {
    const w = c.widths.sort((x, y) => x - y);
    c.least = (w[(w.length - 1) >> 1] + w[w.length >> 1]) / 4;
    if (metricById.get(metric)?.squared) c.least = Math.sqrt(c.least);
  }
  return {counts, all: all.length};
}

function leaderboardRows(result, all, metric) {
  const base = baseline();
  const {counts, all: decided} = decisions(shownSettings(), metric, base);
  const columns = [metric, ...besideMetrics.filter(id => id !== metric)];
  const beside = new Map(columns.map(id => [id, id === metric ? null : merged(shownSettings(), id).settings]));
  const row = (m, rank, groups, note) => {
    const own = rank === null ? all : result.settings;
    const names = new Set(own.map(s => s.name));
    const means = columns.map(id => {
      const list = id === metric ? own : beside.get(id).filter(s => names.has(s.name));
      return blockMean(list, s => s.values.get(m));
    });
    return {method: m, rank, groups, note, means, counts: counts.get(m), settings: means[0].settings, blocks: means[0].blocks};
  };
  const rows = result.ranked.map(r => row(r.method, r.rank, r.groups, ""));
  if (result.none) rows.push(...result.candidates.map(m => row(m, null, [], "")));
  rows.push(...result.target.map(m => row(m, null, [], "not ranked: sees unlabelled rows of the test sets")));
  rows.push(
    ...result.aside.map(a =>
      row(
        a.method,
        null,
        [],
        `not ranked: lacks ${a.lacks} of ${plural(result.total, "setting")}` +
          (a.blocks ? `, ${a.blocks} of ${plural(result.allBlocks, "block")}` : ""),
      ),
    ),
  );
  return {rows, columns, base, decided};
}

function sortRows(rows, columns) {
  const get = {
    method: r => label(r.method).toLowerCase(),
    rank: r => r.rank,
    group: r => r.groups.join("") || null,
    settings: r => r.settings,
    win: r => r.counts?.win,
    tie: r => r.counts?.tie,
    loss: r => r.counts?.loss,
    least: r => r.counts?.least,
  };
  columns.forEach((id, j) => (get["m-" + id] = r => r.means[j].mean));
  const key = get[state.sort] || get.rank;
  const way = Number(state.dir);
  return rows
    .map((r, i) => [r, i])
    .sort(([a, i], [b, j]) => {
      const x = key(a) ?? null;
      const y = key(b) ?? null;
      if (x === null || y === null) return (x === null) - (y === null) || i - j;
      return (x < y ? -1 : x > y ? 1 : 0) * way || i - j;
    })
    .map(([r]) => r);
}

function drawLeaderboard() {
  const metric = state.metric;
  const found = merged(shownSettings(), metric);
  const all = found.settings;
  const result = rankMethods(all, metric);
  const {rows, columns, base, decided} = leaderboardRows(result, all, metric);
  const focused = document.activeElement?.id;
  const verdicts = judged(state.source);
  const more = verdicts && state.columns === "all"; // the columns that are long or need explaining
  const head = (id, text, title) =>
    el(
      "th",
      {
        scope: "col",
        class: id === "method" ? null : "number",
        "aria-sort": state.sort === id ? (state.dir === "1" ? "ascending" : "descending") : null,
      },
      el(
        "button",
        {type: "button", id: "sort-" + id, title, onclick: () => set({sort: id, dir: state.sort === id && state.dir === "1" ? "-1" : "1"})},
        text,
      ),
    );
  const heads = [
    head("method", "Method"),
    head("rank", "Mean rank"),
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
  const shown = sortRows(rows, columns).filter(r => methodShown(r.method));
  const body = shown.map(r =>
    el(
      "tr",
      {class: r.rank === null && !result.none ? "aside" : null, "data-method": data.methods[r.method].id},
      el("th", {scope: "row"}, el("span", {}, swatch(r.method), label(r.method)), r.note ? el("div", {class: "small"}, r.note) : null),
      el("td", {class: "number"}, r.rank === null ? "–" : r.rank.toFixed(2)),
      more ? el("td", {class: "number alike"}, r.groups.join(" ") || "–") : null,
      ...r.means.map((x, j) =>
        el(
          "td",
          {class: "number"},
          print(x.mean, columns[j]),
          x.mean !== null && x.settings < r.settings ? el("span", {class: "small"}, ` (${x.settings})`) : null,
        ),
      ),
      el("td", {class: "number"}, String(r.settings)),
      ...(verdicts
        ? [
            ["win", "sureWin"],
            ["tie", ""],
            ["loss", "sureLoss"],
          ].map(([k, sure]) => el("td", {class: "number"}, r.counts ? r.counts[k] + (r.counts[k] && sure ? ` (${r.counts[sure]})` : "") : "–"))
        : []),
      more ? el("td", {class: "number"}, print(r.counts?.least, metric)) : null,
    ),
  );
  const notes = [
    `Mean rank by ${metricById.get(metric)?.label} over ${extent(result.settings)}, which all ranked methods have; 1 is best. Values are means over blocks; a number in brackets says over how many settings, where they are fewer.`,
    result.critical && more
      ? `Alike: methods with a common letter are not told apart by Nemenyi's test at .05 (critical difference ${result.critical.toFixed(2)}).`
      : "",
    !verdicts
      ? unjudged
      : decided
        ? `Better, tie, worse: settings by the verdict against ${label(base)} on the same test rows. It rests on the difference in ${metricById.get(metric).basis}: its 95 % interval lies on the better side of zero, contains zero, or lies on the worse side. In brackets: those that Holm's correction for all ${plural(decided, "verdict")} leaves.`
        : `There are no verdicts against ${label(base)} in ${metricById.get(metric)?.label}.`,
    more && decided
      ? `Smallest: the smallest difference that the test rows of a setting can show, in ${unit(metric)}${metricById.get(metric).squared ? " of the root mean square gap" : ""}.`
      : "",
    columns.some(id => better(id) === "higher")
      ? "Higher is better for " +
        columns
          .filter(id => better(id) === "higher")
          .map(id => metricById.get(id).label)
          .join(" and ") +
        "; lower for all others."
      : "Lower is better.",
    result.none ? "No ranking: " + result.none + "." : "",
    result.aside.length + result.target.length
      ? "A method that is not ranked has its values over its own settings: do not compare them with those of the others."
      : "",
    ...result.missing.map(x => `${plural(x.lacks, "setting")} left out because ${label(x.method)} has no value there.`),
  ].filter(x => x);
  byId("leaderboard-body").replaceChildren(
    found.conflict
      ? el("p", {class: "warning"}, `${found.conflict} has different values in several experiments. Choose one experiment.`)
      : "",
    el(
      "div",
      {class: "row"},
      select(
        "block",
        "Count once",
        [
          ["t", "each set of test samples"],
          ["d", "each data set"],
          ["n", "each network"],
          ["s", "each setting"],
        ],
        state.block,
        v => set({block: v}),
      ),
      verdicts
        ? el(
            "label",
            {},
            el("input", {type: "checkbox", id: "columns", checked: more, onchange: e => set({columns: e.target.checked ? "all" : ""})}),
            " Which methods are alike, and the smallest difference that can be shown",
          )
        : null,
    ),
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
    ...notes.map(n => el("p", {class: "small"}, n)),
  );
  if (focused && byId(focused) && (focused === "block" || focused === "columns" || focused.startsWith("sort-"))) byId(focused).focus();
}

onChange(filterKeys + " metric block sort dir base columns", drawLeaderboard);
