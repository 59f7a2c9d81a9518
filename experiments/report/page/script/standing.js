// Standings: what package results/compare says of methods over some settings. The script looks
// them up; it ranks nothing, and corrects no p. It averages values over the settings that it
// shows, as package results/compare does: settings that share test samples count once.

// merged returns the settings once each, whatever their experiment, with the values
// of each method; conflict names one that has different values.
function merged(settings, metric) {
  const byName = new Map();
  let conflict = "";
  for (const s of settings) {
    if (s.shift === "redrawn" && !s.counts) continue;
    let one = byName.get(s.name);
    if (!one)
      byName.set(s.name, (one = {name: s.name, samples: s.t, dataset: s.d, network: s.d + "/" + s.b + "/" + s.l, values: new Map()}));
    data.methods.forEach((_, m) => {
      const x = value(s.i, m, metric);
      if (x === null) return;
      if (one.values.has(m) && one.values.get(m) !== x) conflict = s.name;
      if (!one.values.has(m)) one.values.set(m, x);
    });
  }
  return {settings: [...byName.values()], conflict};
}

const blockOf = s => ({n: s.network, s: s.name, d: s.dataset})[state.block] ?? s.samples;

// blockMean returns the mean over blocks of the means over data sets of the means over the
// settings that have a value, with their number. get returns a number or undefined.
function blockMean(settings, get) {
  const has = settings.filter(s => get(s) !== undefined);
  const meanOf = block => mean(grouped(block, s => s.dataset).map(list => mean(list.map(get))));
  return {mean: has.length ? mean(grouped(has, blockOf).map(meanOf)) : null, settings: has.length};
}

// standing returns the standing of the settings that the filters keep, if Go has one of just
// these, or else that of all settings, with other set.
function standing(metric) {
  const {ofSettings} = words();
  const chosen = ["experiment", "dataset", "backbone", "loss"].filter(k => state[k]).map(k => k + "=" + state[k]);
  if (state.shift !== "usual") chosen.push("shift=" + state.shift);
  if (ofSettings.length) chosen.push("search");
  const find = (part, base) => {
    const found = data.standings[[state.source, metric, part, base, state.block].join("|")];
    return typeof found === "string" ? data.standings[found] : found;
  };
  const of = part => find(part, data.methods[baseline()]?.id) || find(part, data.against);
  const own = chosen.length < 2 ? of(chosen[0] || "") : undefined;
  return {found: own || of(""), other: !own && chosen.length > 0};
}

// extent says over what settings a standing is.
function extent(s) {
  const are = s.c === 1 ? "is a corruption" : "are corruptions";
  return `${plural(s.n, "setting")} in ${plural(s.b, "block")}` + (s.w ? ` (${s.c} ${are} of ${s.w === 1 ? "one network" : plural(s.w, "network")})` : "");
}
