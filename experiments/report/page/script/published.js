// The paper's numbers beside the reproduced ones.
const differences = {
  "": ["all numbers", () => true],
  any: ["differs as printed", p => p.h !== null && p.h !== p.p],
  point: ["differs by 1 point or more", p => p.h !== null && Math.abs(p.h - p.p) >= 1],
  band: ["published outside the consistency band", p => p.lo !== null && (p.p < p.lo || p.p > p.hi)],
  best: ["the best method differs (measured rows)", p => p.v === "differs"],
  none: ["not reproduced", p => p.h === null],
};

function drawPublished() {
  const body = byId("published-body");
  const all = data.published;
  if (!body || !all) return;
  const tables = [...new Set(all.map(p => p.t))];
  const focused = document.activeElement?.id;
  const table = state.table || tables[0];
  const keep = (differences[state.differs] || differences[""])[1];
  const text = state.find.toLowerCase();
  const rows = all.filter(p => (table === "all" || p.t === table) && keep(p) && (p.r + " " + p.m).toLowerCase().includes(text));
  const number = x => (x === null || x === undefined ? "–" : plain(x, 2));
  const find = byId("find") || el("input", {id: "find", type: "search", oninput: e => set({find: e.target.value})});
  if (document.activeElement !== find) find.value = state.find;
  const controls =
    body.querySelector(".row") || el("div", {class: "row"}, el("div", {class: "field"}, el("label", {for: "find"}, "Search"), find));
  [...controls.children].filter(c => !c.contains(find)).forEach(c => c.remove());
  controls.prepend(
    select("table", "Table of the paper", [...tables, ["all", "all tables"]], table, v => set({table: v})),
    select(
      "differs",
      "Show",
      Object.entries(differences).map(([k, v]) => [k, v[0]]),
      state.differs,
      v => set({differs: v}),
    ),
  );
  const both = rows.filter(p => p.h !== null);
  const most = 1.04 * Math.max(...both.flatMap(p => [p.h, p.p]), 1);
  const width = Math.min(620, columnWidth());
  const picture = both.length
    ? el(
        "figure",
        {style: `max-width:${width}px`},
        el("figcaption", {}, "Here against published, per cent. Circles are measured, squares are not the paper's own networks or are simulated."),
        chart({
          name: "Reproduced against published numbers",
          width,
          height: 0.75 * width,
          x: {domain: [0, most], label: "published"},
          y: {domain: [0, most], label: "here", grid: true},
          marks: [
            Plot.line([[0, 0], [most, most]], {className: "diagonal"}),
            Plot.dot(both, {x: "p", y: "h", symbol: p => (p.s === "measured" ? "circle" : "square"), r: 3, stroke: p => (p.s === "measured" ? "var(--holds)" : "var(--fails)")}),
            tips(both.map(p => ({x: p.p, y: p.h, title: `${p.t}\n${p.r}, ${p.m}\npublished ${number(p.p)}, here ${number(p.h)}\n${p.s}`}))),
          ],
          symbol: {domain: ["circle", "square"], range: ["circle", "square"]},
          color: {type: "identity"},
        }),
      )
    : "";
  const result = [
    el(
      "p",
      {id: "published-count", role: "status"},
      `${plural(rows.length, "number")} of ${all.length}. Published and reproduced numbers are in per cent. A simulated number next to a published one is no verdict.`,
    ),
    picture,
    el(
      "div",
      {class: "scroll heat-box", tabindex: "0", role: "group", "aria-label": "Published and reproduced numbers"},
      el(
        "table",
        {id: "published-table"},
        el("caption", {class: "hidden"}, "Published and reproduced numbers"),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Row", "Method", "Published", "Here", "Difference", "Consistency band", "Source"].map((h, j) =>
              el("th", {scope: "col", class: j > 1 && j < 6 ? "number" : null}, h),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map(p =>
            el(
              "tr",
              {},
              el("th", {scope: "row"}, (table === "all" ? p.t + ": " : "") + p.r),
              el("td", {}, p.m),
              el("td", {class: "number"}, number(p.p)),
              el("td", {class: "number"}, number(p.h)),
              el("td", {class: "number"}, p.h === null ? "–" : (p.h > p.p ? "+" : "") + plain(p.h - p.p, 2)),
              el("td", {class: "number"}, p.lo === null ? "–" : `${number(p.lo)}–${number(p.hi)}`),
              el("td", {}, p.s ? el("span", {class: "tag " + p.s}, p.s) : p.why || "–"),
            ),
          ),
        ),
      ),
    ),
  ];
  if (controls.isConnected) {
    [...body.children].slice(1).forEach(c => c.remove());
    body.append(...result);
  } else body.replaceChildren(controls, ...result);
  if (focused === "table" || focused === "differs") byId(focused)?.focus();
}

onChange("table differs find", drawPublished);
