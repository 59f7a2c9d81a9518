// The picture at the top: the leading method on one setting, before and after.
function drawLead() {
  const body = byId("lead");
  if (!body || !data.lead) return;
  const {setting, before, after} = data.lead;
  const s = data.settings[setting];
  const [first, second] = [before, after].map(m => ({method: m, rows: binRows(data.width, cellOf(setting, m), 4)}));
  const fullest = mostRowsOf([first, second]); // the two share their axes
  const one = (word, bins) => {
    const m = bins.method;
    return el(
      "div",
      {},
      el("h3", {}, swatch(m), `${word}: ${label(m)}, ECE ${print(value(setting, m, "ece"), "ece")} %`),
      ...diagram(s, [bins], -1, columnWidth(2), fullest),
      folded("Table of these bins", binTable(s, bins)),
    );
  };
  body.replaceChildren(
    el("div", {class: "charts"}, one("Before", first), one("After", second)),
    el(
      "p",
      {class: "small"},
      `${intervalNote(s)}On the diagonal a network is calibrated; below it, it is overconfident. `,
      el("a", {href: "#setting?set=" + encodeURIComponent(s.key) + (s.src === defaults.source ? "" : "&source=" + s.src)}, "All methods on this setting"),
    ),
  );
}

onChange("metric", drawLead);
