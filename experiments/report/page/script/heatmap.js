// The heat map: settings x methods, the difference of each method to the baseline.
const mostRows = 400;
let allRows = false;
const unfolded = new Set(); // the keys of the settings whose seeds are shown

// shade returns the class of a difference: 0 is equal, negative better.
function shade(difference, metric, step) {
  const cost = better(metric) === "higher" ? -difference : difference;
  if (Math.abs(cost) <= data.alike) return "h0";
  const level = Math.max(1, Math.min(4, Math.ceil(Math.abs(cost) / step)));
  return "h" + (cost < 0 ? "-" : "") + level;
}

// stepOf returns the width of a shade: a round quarter of the distance that three
// quarters of the differences keep.
function stepOf(differences) {
  const sorted = differences
    .map(Math.abs)
    .filter(x => x > 0)
    .sort((a, b) => a - b);
  const far = sorted[Math.floor(0.75 * (sorted.length - 1))] || 1;
  const raw = far / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= raw * 0.999);
}

// rowsText says how many settings the rows are, where several experiments have a setting.
function rowsText(settings) {
  const different = new Set(settings.map(s => s.name)).size;
  return different === settings.length
    ? ""
    : `A setting of several experiments has a row for each: ${plural(settings.length, "row")} of ${plural(different, "setting")}. `;
}

function drawHeatmap() {
  const settings = shownSettings();
  const metric = state.metric;
  const base = baseline();
  const methods = methodsOf(settings, metric).filter(m => m !== base && methodShown(m));
  const difference = (s, m) => {
    const a = value(s.i, m, metric);
    const b = value(s.i, base, metric);
    return a === null || b === null ? null : a - b;
  };
  const differences = settings.flatMap(s => methods.map(m => difference(s, m)).filter(x => x !== null));
  const step = stepOf(differences);
  const verdicts = judged(state.source);
  const shown = allRows ? settings : settings.slice(0, mostRows);
  const text = d => (Math.abs(d) <= data.alike ? "=" : signed(d, metric));
  const rows = shown
    .flatMap(s => [s, ...(unfolded.has(s.key) ? s.seeds : [])])
    .map(s => {
      const tds = methods.map(m => {
        const d = difference(s, m);
        if (d === null) return el("td", {class: "none", "data-m": m}, "–");
        const range = rangeOf(s, x => difference(x, m));
        return el("td", {class: verdicts ? shade(d, metric, step) : "h0", "data-m": m}, ranged(text(d), range, x => signed(x, metric)));
      });
      const fold = el(
        "button",
        {
          type: "button",
          class: "fold",
          id: "seeds-" + s.i,
          "aria-expanded": String(unfolded.has(s.key)),
          onclick: e => {
            e.stopPropagation();
            if (!unfolded.delete(s.key)) unfolded.add(s.key);
            drawHeatmap();
            placeSetting();
            byId("seeds-" + s.i).focus();
          },
        },
        plural(s.seeds.length, "seed"),
      );
      return el(
        "tr",
        {"data-s": s.i, class: [state.set === s.key ? "open-row" : "", s.of === undefined ? "" : "seed"].join(" ").trim() || null},
        el(
          "th",
          {scope: "row"},
          el("a", {href: "#setting?set=" + encodeURIComponent(s.key)}, s.of === undefined ? s.label : "seed " + s.seed),
          s.seeds.length ? [" ", fold] : "",
        ),
        el("td", {class: "base", "data-m": base}, ranged(print(value(s.i, base, metric), metric), rangeOf(s, x => value(x.i, base, metric)), x => print(x, metric))),
        tds,
      );
    });
  const table = el(
    "table",
    {
      class: "heat",
      id: "heat-table",
      onclick: e => {
        const row = e.target.closest("tr[data-s]");
        const cell = e.target.closest("td");
        if (row && cell) openSetting(data.settings[row.dataset.s], Number(cell.dataset.m));
      },
    },
    el("caption", {class: "hidden"}, `Difference to ${label(base)} in ${metric} by setting`),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", {scope: "col"}, "Setting"),
        el("th", {scope: "col", class: "number"}, label(base)),
        methods.map(m => el("th", {scope: "col", class: "number"}, label(m))),
      ),
    ),
    el("tbody", {}, rows),
  );
  table.querySelectorAll("tbody a").forEach(a =>
    a.addEventListener("click", e => {
      e.preventDefault();
      const s = data.settings[a.closest("tr").dataset.s];
      if (state.set === s.key) set({set: "", show: ""});
      else openSetting(s);
    }),
  );
  const scale = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map(k =>
    el(
      "span",
      {class: "h" + k},
      k === 0
        ? "="
        : (k < 0 ? "−" : "+") +
            print(Math.abs(k === -4 || k === 4 ? 3 : k) * step, metric).replace(/\.?0+$/, "") +
            (Math.abs(k) === 4 ? " and more" : ""),
    ),
  );
  byId("settings-body").replaceChildren(
    el(
      "div",
      {class: "row"},
      select(
        "base",
        "Difference to",
        methodsOf(settings, metric).map(m => [data.methods[m].id, label(m)]),
        data.methods[base]?.id,
        v => set({base: v}),
      ),
    ),
    el(
      "p",
      {class: "small"},
      `${metricById.get(metric)?.label}: the column ${label(base)} has its value, the others their difference to it, in ${unit(metric)}${verdicts ? `. Blue is better than ${label(base)}, orange is worse` : ""}, and = is equal to the last digit. ${rowsText(settings)}${verdicts ? "" : unjudged + " "}${shown.some(s => s.seeds.length) ? "A network with several trainings has the mean over its seeds, and below it the least and the largest. " : ""}Choose a setting to open it below its row.`,
    ),
    verdicts ? el("p", {class: "legend"}, "better ", el("span", {class: "scale"}, scale), " worse") : "",
    el("div", {class: "scroll heat-box", tabindex: "0", role: "group", "aria-label": "Heat map of settings and methods"}, table),
    settings.length > shown.length
      ? el(
          "button",
          {
            type: "button",
            onclick: () => {
              allRows = true;
              drawHeatmap();
              placeSetting();
            },
          },
          `Show all ${settings.length} rows`,
        )
      : "",
  );
}

onChange(filterKeys + " metric base", () => {
  drawHeatmap();
  placeSetting();
});
