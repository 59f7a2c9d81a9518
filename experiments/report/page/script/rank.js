// Ranking of methods, as package results/compare has it: settings that share test
// samples are averaged first and count once.

// maxLacking is the share of settings, and of whole blocks, that a method may lack.
const maxLacking = 0.2;

// merged returns the settings once each, whatever their experiment, with the values
// of each method; conflict names one that has different values.
function merged(settings, metric) {
  const byName = new Map();
  let conflict = "";
  for (const s of settings) {
    if (s.shift === "redrawn" && !s.counts) continue;
    let one = byName.get(s.name);
    if (!one)
      byName.set(s.name, (one = {name: s.name, samples: s.t, dataset: s.d, network: s.d + "/" + s.b + "/" + s.l, corrupted: s.c !== "", values: new Map(), cells: new Map()}));
    data.methods.forEach((_, m) => {
      const x = value(s.i, m, metric);
      if (x === null) return;
      if (one.values.has(m) && one.values.get(m) !== x) conflict = s.name;
      if (!one.values.has(m)) {
        one.values.set(m, x);
        one.cells.set(m, cellOf(s.i, m));
      }
    });
  }
  return {settings: [...byName.values()], conflict};
}

const blockOf = s => ({n: s.network, s: s.name, d: s.dataset})[state.block] ?? s.samples;

// extent says over what settings are: how many, how many blocks, and how many corruptions.
function extent(settings) {
  const corrupted = settings.filter(s => s.corrupted);
  const networks = new Set(corrupted.map(s => s.network)).size;
  const are = corrupted.length === 1 ? "is a corruption" : "are corruptions";
  return (
    `${plural(settings.length, "setting")} in ${plural(blocksOf(settings).size, "block")}` +
    (networks ? ` (${corrupted.length} ${are} of ${networks === 1 ? "one network" : plural(networks, "network")})` : "")
  );
}

// blocksOf groups settings by block, in the order of their first settings.
function blocksOf(settings) {
  const blocks = new Map();
  for (const s of settings) blocks.set(blockOf(s), [...(blocks.get(blockOf(s)) || []), s]);
  return blocks;
}

// meanOf returns the mean of a block: the mean over data sets of the means over the
// settings of each.
function meanOf(block, get) {
  const sets = new Map();
  for (const s of block) sets.set(s.dataset, [...(sets.get(s.dataset) || []), get(s)]);
  return mean([...sets.values()].map(mean));
}

// blockMean returns the mean over blocks of the means over the settings that have a
// value, with the numbers of both. get returns a number or undefined.
function blockMean(settings, get) {
  const has = settings.filter(s => get(s) !== undefined);
  const blocks = [...blocksOf(has).values()];
  return {mean: blocks.length ? mean(blocks.map(b => meanOf(b, get))) : null, settings: has.length, blocks: blocks.length};
}

// rankMethods ranks all methods with a value but those that see the domain that they are tested
// on, also over one block, where compare has the order of the means and no ranks. ranked is in
// the order of the mean ranks; aside are the methods that lack too much, and target those that
// see the domain.
function rankMethods(all, metric) {
  const valued = data.methods.map((_, m) => m).filter(m => all.some(s => s.values.has(m)));
  const target = valued.filter(m => data.methods[m].target);
  const methods = valued.filter(m => !data.methods[m].target);
  const anchor = methodIndex.get(data.against);
  let settings = all.filter(s => methods.some(m => s.values.has(m)));
  const total = settings.length;
  const allBlocks = blocksOf(settings).size;
  const aside = [];
  const candidates = [];
  for (const m of methods) {
    const rest = settings.filter(s => s.values.has(m));
    const few = total - rest.length > maxLacking * total || allBlocks - blocksOf(rest).size > maxLacking * allBlocks;
    if (few && m !== anchor) aside.push({method: m, lacks: total - rest.length, blocks: allBlocks - blocksOf(rest).size});
    else candidates.push(m);
  }
  const missing = [];
  for (const m of candidates) {
    const rest = settings.filter(s => s.values.has(m));
    if (rest.length < settings.length) missing.push({method: m, lacks: settings.length - rest.length});
    settings = rest;
  }
  const blocks = [...blocksOf(settings).values()];
  const n = blocks.length;
  const k = candidates.length;
  const result = {settings, total, allBlocks, blocks: n, aside, target, missing, ranked: [], candidates, none: "", critical: null};
  if (n < 1 || k < 2) {
    result.none = n < 1 ? "no setting has a value of all methods" : "one method cannot be ranked";
    return result;
  }
  const cost = better(metric) === "higher" ? -1 : 1;
  const sums = new Map(candidates.map(m => [m, 0]));
  for (const b of blocks) {
    const costs = levelled(candidates.map(m => cost * meanOf(b, s => s.values.get(m))));
    candidates.forEach((m, i) => {
      const below = costs.filter(c => c < costs[i]).length;
      const same = costs.filter(c => c === costs[i]).length;
      sums.set(m, sums.get(m) + below + (same + 1) / 2);
    });
  }
  result.ranked = candidates.map(m => ({method: m, rank: sums.get(m) / n, groups: []})).sort((a, b) => a.rank - b.rank);
  if (n > 1 && k > 2 && data.critical[k] && judged(state.source)) {
    result.critical = data.critical[k] / Math.sqrt(n);
    group(result.ranked, result.critical);
  }
  return result;
}

// levelled returns numbers, those that are alike made equal, as results.Levelled has it.
function levelled(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const out = [...values];
  order.forEach((i, k) => {
    if (k > 0 && values[i] - values[order[k - 1]] <= data.alike) out[i] = out[order[k - 1]];
  });
  return out;
}

// group sets the letters of the largest groups that Nemenyi's test does not tell
// apart.
function group(ranked, critical) {
  let reached = 0;
  let letter = 0;
  for (let first = 0; first < ranked.length; first++) {
    let end = first;
    while (end < ranked.length && ranked[end].rank - ranked[first].rank < critical) end++;
    if (end - first > 1 && end > reached) {
      for (let i = first; i < end; i++) ranked[i].groups.push(String.fromCharCode(97 + (letter % 26)));
      letter++;
      reached = end;
    }
  }
}
