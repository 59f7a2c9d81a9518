// The picture at the top: the leading method on one setting, before and after.
function drawLead() {
  const body = byId("lead");
  if (!body || !data.lead) return;
  const {setting, before, after} = data.lead;
  const s = data.settings[setting];
  const one = (word, m) => {
    const bins = [{method: m, rows: binRows(data.width, cellOf(setting, m), 4)}];
    return el(
      "div",
      {},
      el("h3", {}, swatch(m), `${word}: ${label(m)}, ECE ${print(value(setting, m, "ece"), "ece")} %`),
      ...diagram(s, bins, -1, 300),
      folded("Table of these bins", binTable(s, bins[0])),
    );
  };
  body.replaceChildren(
    el("div", {class: "charts"}, one("Before", before), one("After", after)),
    el(
      "p",
      {class: "small"},
      `${intervalNote(s)}On the diagonal a network is calibrated; below it, it is overconfident. `,
      el("a", {href: "#setting?set=" + encodeURIComponent(s.key) + (s.src === defaults.source ? "" : "&source=" + s.src)}, "All methods on this setting"),
    ),
  );
}

onChange("metric", drawLead);
