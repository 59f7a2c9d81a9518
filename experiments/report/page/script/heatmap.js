// The heat map: settings x methods, the difference of each method to the baseline. The names of
// the settings stand beside it as links, so that they stay where it scrolls.
const rowHeight = () => (narrow() ? 34 : 20);
const unfolded = new Set(); // the keys of the settings whose seeds are shown
const opened = new Set(); // the data sets, as setOf has them, whose settings are shown
const setOf = s => s.e + "/" + s.d;

// pinned are the methods that a telephone shows beside the baseline without scrolling.
const pinned = ["qats", "ts", "uncal"].filter(id => methodIndex.has(id)).map(id => methodIndex.get(id));

// shade returns the colour of a difference: 0 is equal, negative better.
const shades = new Map([["-4", "--b4"], ["-3", "--b3"], ["-2", "--b2"], ["-1", "--b1"], ["0", "--same"], ["1", "--o1"], ["2", "--o2"], ["3", "--o3"], ["4", "--o4"]].map(([k, v]) => [Number(k), `var(${v})`]));
function shade(difference, metric, step) {
  const cost = better(metric) === "higher" ? -difference : difference;
  if (Math.abs(cost) <= data.alike) return shades.get(0);
  return shades.get(Math.sign(cost) * Math.max(1, Math.min(4, Math.ceil(Math.abs(cost) / step))));
}

// stepOf returns the width of a shade: a round quarter of the distance that three
// quarters of the differences keep.
function stepOf(differences) {
  const raw = (d3.quantile(differences.map(Math.abs).filter(x => x > 0), 0.75) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= raw * 0.999);
}

// rowsText says how many settings the rows are, where several experiments have a setting.
function rowsText(settings) {
  const different = new Set(settings.map(s => s.name)).size;
  return different === settings.length ? "" : `A setting of several experiments has a row for each: ${plural(settings.length, "row")} of ${plural(different, "setting")}. `;
}

// heatCells returns the cells of some rows: {m, s, row, d, ends, text, title, sure}. The column of
// the baseline has its values. sure says that the verdict is better or worse.
function heatCells(list, base, methods, metric) {
  const pairs = judged(state.source) ? pairsOf(metric, base) : new Map();
  const shown = (s, m) => {
    const x = value(s.i, m, metric);
    const b = m === base ? 0 : value(s.i, base, metric);
    return x === null || b === null ? null : x - b;
  };
  return list.flatMap((s, row) =>
    [base, ...methods].map(m => {
      const x = shown(s, m);
      const number = m === base ? print : signed;
      const range = rangeOf(s, seed => shown(seed, m));
      const ends = range ? number(range[0], metric) + " to " + number(range[1], metric) : "";
      const pair = m === base ? undefined : pairs.get(cellOf(s.i, m));
      const text = m !== base && x !== null && Math.abs(x) <= data.alike ? "=" : number(x, metric);
      const title = () =>
        [
          `${label(m)} on ${s.label}`,
          `${metricById.get(metric).label} ${print(value(s.i, m, metric), metric)}` + (m === base || x === null ? "" : `, ${text} to ${label(base)}`),
          ends && "seeds: " + ends,
          pair && pair.lo !== null ? `from ${signed(pair.lo, metric)} to ${signed(pair.hi, metric)}` : "",
          pair?.outcome ? verdictLook[pair.outcome].name : "",
        ]
          .filter(line => line)
          .join("\n");
      return {s, m, row, d: m === base ? null : x, ends, text, title, sure: [WIN, LOSS].includes(pair?.outcome)};
    }),
  );
}

// heatChart draws the cells of some columns, with the names of the methods where it is the first part.
function heatChart(name, all, rows, columns, metric, step, {turned, width, overhang}, first) {
  const cells = all.filter(c => columns.includes(c.m));
  const top = !first ? 0 : turned ? 96 : 22;
  const at = {x: "m", y: "row"};
  const root = chart({
    name,
    width: width * columns.length + overhang,
    height: rowHeight() * rows + top,
    marginLeft: 0,
    marginRight: overhang,
    marginTop: top,
    marginBottom: 0,
    x: {type: "band", domain: columns, axis: null, padding: 0},
    y: {type: "band", domain: d3.range(rows), axis: null, padding: 0},
    color: {type: "identity"},
    marks: [
      Plot.cell(cells, {...at, inset: 0.5, fill: c => (c.d === null ? "var(--bg)" : judged(state.source) ? shade(c.d, metric, step) : "var(--same)")}),
      ...[false, true].map(sure => Plot.text(cells.filter(c => c.sure === sure), {...at, text: "text", fill: "currentColor", fontWeight: sure ? 700 : undefined, fontSize: 11})),
      first ? Plot.text(columns, {x: m => m, text: m => label(m), frameAnchor: turned ? "top-left" : "top", textAnchor: turned ? "start" : "middle", rotate: turned ? -50 : 0, dy: turned ? -8 : -12, lineWidth: 11, textOverflow: "ellipsis", fontWeight: 600, fontSize: 11.5}) : null,
      Plot.tip(cells, Plot.pointer({...at, title: c => c.title(), maxRadius: width})),
    ],
  });
  Object.assign(root.style, {width: root.getAttribute("width") + "px", maxWidth: "none"}); // it scrolls
  root.addEventListener("click", () => root.value && openSetting(root.value.s, root.value.m));
  return {root, top};
}

// heatSize returns the width of columns in the room beside the names of settings: {turned, width, overhang}.
function heatSize(columns, cells, room) {
  const least = 6.6 * Math.max(...cells.map(c => c.text.length)) + 4;
  const longest = 6.8 * Math.max(...columns.map(m => label(m).length));
  const fits = Math.floor(room / columns.length);
  const turned = Math.max(longest, least) > Math.min(96, fits);
  const overhang = turned ? 64 : 0; // of the last name
  return {turned, overhang, width: turned ? Math.max(least, Math.min(96, Math.floor((room - overhang) / columns.length))) : Math.min(96, fits)};
}

// rowName is the link that opens a setting below its row.
function rowName(s, folded) {
  const turn = () => {
    if (!unfolded.delete(s.key)) unfolded.add(s.key);
    drawHeatmap();
    byId("seeds-" + s.i).focus();
  };
  const follow = e => {
    e.preventDefault();
    if (state.set === s.key) set({set: "", show: ""});
    else openSetting(s);
  };
  return el(
    "li",
    {"data-s": s.i, class: (state.set === s.key ? "open-row " : "") + (s.of === undefined ? "" : "seed")},
    el("a", {href: "#setting?set=" + encodeURIComponent(s.key), title: s.label, onclick: follow}, s.of !== undefined ? "seed " + s.seed : (folded && s.row) || s.print),
    s.seeds.length ? el("button", {type: "button", class: "fold", id: "seeds-" + s.i, "aria-expanded": String(unfolded.has(s.key)), onclick: turn}, plural(s.seeds.length, "seed")) : null,
  );
}

// heatParts arranges rows: those of an experiment stand together, with the methods that it has. The
// names of the methods come again after mostTogether rows, and what follows an open setting is a
// part of its own.
const mostTogether = 40; // which fit on a printed page
function heatParts(list, metric, base) {
  let begin = 0;
  const starts = list.map((s, i) => {
    if (i === 0 || s.e !== list[i - 1].e) begin = i;
    return i === begin ? "first" : (i - begin) % mostTogether === 0 ? "named" : state.set === list[i - 1].key ? "continued" : "";
  });
  const places = d3.range(list.length).filter(i => starts[i]);
  return places.map((from, i) => {
    const rows = list.slice(from, places[i + 1]);
    const ofExperiment = list.filter(s => s.e === rows[0].e);
    const methods = methodsOf(ofExperiment, metric).filter(m => m !== base && methodShown(m));
    if (narrow()) methods.sort((a, b) => pinned.includes(b) - pinned.includes(a));
    return {rows, first: starts[from] === "first", named: starts[from] !== "continued", columns: [base, ...methods], cells: heatCells(rows, base, methods, metric)};
  });
}

const settingBox = byId("setting");
function drawHeatmap() {
  const settings = shownSettings();
  const metric = state.metric;
  const base = baseline();
  const verdicts = judged(state.source);
  const list = settings.flatMap(s => [s, ...(unfolded.has(s.key) ? s.seeds : [])]);
  const parts = heatParts(list, metric, base);
  const step = stepOf(parts.flatMap(p => p.cells).flatMap(c => c.d ?? []));
  const names = narrow() ? 104 : 330;
  const title = `${metricById.get(metric)?.label}: difference to ${label(base)} by setting and method`;
  const draw = folded => ({rows, first, named, columns, cells}) => {
    const several = severalExperiments ? rows[0].e + ", " : "";
    const size = heatSize(columns, cells, columnWidth() - names);
    const name = `${several}${title}, from ${rows[0].name}`;
    const part = (of, size) => heatChart(name, cells, rows.length, of, metric, step, size, named);
    const stay = columns.filter(m => m === base || pinned.includes(m));
    const apart = narrow() && stay.length < columns.length && size.width * columns.length + size.overhang > columnWidth() - names;
    const {root, top} = part(apart ? columns.filter(m => !stay.includes(m)) : columns, size);
    return [
      first && several && !folded ? el("h3", {}, rows[0].e) : null,
      el(
        "div",
        {class: "heat"},
        el("ol", {class: "names", style: `padding-top:${top}px;width:${names}px`}, rows.map(s => rowName(s, folded))),
        apart ? el("div", {class: "stay"}, part(stay, {...size, overhang: 0}).root) : null,
        scroller(root.getAttribute("aria-label"), root),
      ),
      rows.some(s => s.key === state.set) ? settingBox : null,
    ];
  };
  // sets has the settings of a data set in a fold, which draws them when it is opened.
  const sets = () =>
    d3.groups(list, setOf).map(([key, of]) => {
      const fill = () => details.append(...heatParts(of, metric, base).flatMap(draw(true)).filter(x => x));
      const shown = of.filter(s => s.of === undefined);
      const open = opened.has(key) || of.some(s => s.key === state.set);
      const toggle = e => {
        if (e.target !== details || details.open === opened.has(key)) return;
        if (details.open) opened.add(key);
        else opened.delete(key);
        if (details.children.length === 1) fill();
      };
      const details = el("details", {class: "of-set", open, ontoggle: toggle}, el("summary", {}, el("strong", {}, of[0].set), `: ${plural(shown.length, "setting")}${severalExperiments ? " of " + of[0].e : ""}`));
      if (open) opened.add(key);
      if (open) fill();
      return details;
    });
  const scale = [...shades].map(([k, fill]) => el("span", {style: "background:" + fill}, k === 0 ? "=" : (k < 0 ? "−" : "+") + print(Math.min(3, Math.abs(k)) * step, metric).replace(/\.?0+$/, "") + (Math.abs(k) === 4 ? " and more" : "")));
  const drawn = (list.length > mostTogether ? sets() : parts.flatMap(draw(false))).filter(x => x);
  byId("settings-body").replaceChildren(
    ...[
      el("div", {class: "row"}, select("base", "Difference to", methodsOf(settings, metric).map(m => [data.methods[m].id, label(m)]), data.methods[base]?.id, v => set({base: v}))),
      small(
        `${metricById.get(metric)?.label}: the column ${label(base)} has its value, the others their difference to it, in ${unit(metric)}${verdicts ? `. Blue is better than ${label(base)}, orange is worse, bold where the verdict on the test rows says so` : ""}, and = is equal to the last digit. ${rowsText(settings)}${verdicts ? "" : unjudged + " "}${settings.some(s => s.seeds.length) ? "A network with several trainings has the mean over its seeds. " : ""}Choose a setting, or a cell, to open it below its row.`,
      ),
      verdicts ? el("p", {class: "legend"}, "better ", el("span", {class: "scale"}, scale), " worse") : null,
      ...(drawn.length ? drawn : [el("p", {}, "No setting that the filters keep has a value.")]),
      drawn.some(x => x.contains(settingBox)) ? null : settingBox,
      folded("Table of the heat map", () =>
        d3.groups(parts, p => p.rows[0].e).map(([e, of]) => {
          const cell = c => el("span", {}, c.text, c.ends ? el("span", {class: "range"}, c.ends) : null);
          const n = of[0].columns.length;
          return tableOf((severalExperiments ? e + ", " : "") + title, ["Setting", ...of[0].columns.map(label)], of.flatMap(p => p.rows.map((s, i) => [s.label, ...p.cells.slice(i * n, (i + 1) * n).map(cell)])));
        }),
      ),
    ].filter(x => x),
  );
}

onChange(filterKeys + " metric base set", drawHeatmap);
