// The state of the page. It is in the fragment of the address: #section?key=value.
const defaults = {
  source: data.sources[0] || "",
  // A proper score, by which methods are judged; on the paper's own settings the metric of its tables.
  metric: (data.published ? ["ece", "nll"] : ["nll", "nll_top", "ece"]).find(id => data.values[id]) || Object.keys(data.values).find(m => better(m)) || "",
  experiment: "",
  dataset: "",
  backbone: "",
  loss: "",
  shift: "usual",
  q: "",
  block: "t",
  sort: "rank",
  dir: "1",
  base: "",
  columns: "",
  set: "",
  show: "",
  network: "",
  lines: "",
  a: "",
  b: "",
  ab: "",
  table: "",
  differs: "",
  find: "",
};
const state = {...defaults};
let section = "";
const redraws = []; // [keys that matter, function]

// onChange calls draw when one of the keys changes, and at the start.
const onChange = (keys, draw) => redraws.push([keys.split(" "), draw]);

function readFragment() {
  const [anchor, query] = location.hash.slice(1).split("?");
  section = decodeURIComponent(anchor || "");
  if (query === undefined) return [];
  const given = new URLSearchParams(query);
  return Object.keys(defaults).filter(k => {
    const v = given.get(k) ?? defaults[k];
    const changed = v !== state[k];
    state[k] = v;
    return changed;
  });
}

function writeFragment() {
  const q = new URLSearchParams();
  for (const k of Object.keys(defaults)) if (state[k] !== defaults[k]) q.set(k, state[k]);
  const query = q.toString();
  const hash = "#" + section + (query ? "?" + query : "");
  if (location.hash !== hash && (location.hash || hash !== "#")) history.replaceState(null, "", hash);
}

function redraw(changed) {
  for (const [keys, draw] of redraws) if (keys.some(k => changed.includes(k))) draw();
}

// set changes the state, draws what depends on it and keeps it in the address.
function set(changes) {
  const changed = Object.keys(changes).filter(k => state[k] !== changes[k]);
  Object.assign(state, changes);
  writeFragment();
  redraw(changed);
}

// judged reports whether settings of a source get tests, intervals and verdicts.
const judged = source => source !== "simulated";
const unjudged = "Simulated settings get no test, no interval and no verdict.";

// filterKeys are the choices that decide which settings count.
const filterKeys = "source experiment dataset backbone loss shift q";

// words splits the free text into words about settings and words about methods: a
// word that no setting has is looked for in the methods.
function words() {
  const all = state.q
    .toLowerCase()
    .split(/\s+/)
    .filter(w => w);
  const ofSettings = all.filter(w => data.settings.some(s => s.search.includes(w)));
  return {ofSettings, ofMethods: all.filter(w => !ofSettings.includes(w))};
}

// shownSettings returns the settings that the filters keep, as often as experiments have them.
// Several trainings of a network are one. Where no kind of test sets is chosen, these are the
// settings that count (results.Counts).
function shownSettings() {
  const {ofSettings} = words();
  return data.settings.filter(
    s =>
      s.src === state.source &&
      s.of === undefined &&
      (!state.experiment || s.e === state.experiment) &&
      (!state.dataset || s.d === state.dataset) &&
      (!state.backbone || s.b === state.backbone) &&
      (!state.loss || s.l === state.loss) &&
      (state.shift === "all" || (state.shift === "usual" ? s.counts : s.shift === state.shift)) &&
      ofSettings.every(w => s.search.includes(w)),
  );
}

// shownMethods reports which methods the free text keeps.
function methodShown(m) {
  const {ofMethods} = words();
  const text = (data.methods[m].id + " " + label(m)).toLowerCase();
  return ofMethods.every(w => text.includes(w));
}

// methodsOf returns the methods with a value of the metric on one of the settings.
function methodsOf(settings, metric) {
  return data.methods.map((_, m) => m).filter(m => settings.some(s => value(s.i, m, metric) !== null));
}

// baseline returns the method that differences are taken to, as compare.Baseline chooses it.
function baseline() {
  if (methodIndex.has(state.base)) return methodIndex.get(state.base);
  return methodIndex.get(data.against) ?? 0;
}

function choices(key) {
  const of = data.settings.filter(s => s.src === state.source);
  return [["", "all"], ...new Set(of.map(s => s[key]))];
}

function drawFilters() {
  const form = byId("filters");
  const focused = document.activeElement?.id;
  const change = key => v => set({[key]: v});
  const choice = (key, of, name) => (choices(of).length > 2 || state[key] ? select("f-" + key, name, choices(of), state[key], change(key)) : null);
  const present = new Set(data.settings.filter(s => s.src === state.source).map(s => s.shift));
  const counted = new Set(data.settings.filter(s => s.src === state.source && s.counts).map(s => s.shift));
  const shifts = [
    [
      "usual",
      counted.has("rescaled") || counted.has("redrawn")
        ? "those compared"
        : counted.has("thinned")
          ? "clean, corrupted and thinned out"
          : "clean and corrupted",
    ],
    ["clean", "clean"],
    ["corrupted", "corrupted"],
    ["thinned", "class shares of the calibration set"],
    ["rescaled", "rescaled logits"],
    ["redrawn", "redrawn rows"],
    ["all", "all"],
  ];
  const fields = [
    data.sources.length > 1
      ? select("f-source", "Source", data.sources, state.source, v => set({source: v, dataset: "", backbone: "", loss: "", experiment: "", set: ""}))
      : null,
    select(
      "f-metric",
      "Metric",
      data.metrics.filter(m => m.better && data.values[m.id]).map(m => [m.id, m.label]),
      state.metric,
      change("metric"),
    ),
    choice("dataset", "d", "Data set"),
    choice("backbone", "b", "Backbone"),
    choice("loss", "l", "Training loss"),
    choice("experiment", "e", "Experiment"),
    select(
      "f-shift",
      "Test sets",
      shifts.filter(([k]) => k === "usual" || k === "all" || present.has(k)),
      state.shift,
      change("shift"),
    ),
    select(
      "block",
      "Weigh data sets equally",
      [
        ["t", "yes, each set of test samples"],
        ["d", "yes, each data set"],
        ["n", "no, each network"],
        ["s", "no, each setting"],
      ],
      state.block,
      change("block"),
    ),
  ];
  const search = byId("f-q") || el("input", {id: "f-q", type: "search", oninput: e => set({q: e.target.value})});
  if (document.activeElement !== search) search.value = state.q;
  const text = search.closest(".field") || el("div", {class: "field"}, el("label", {for: "f-q"}, "Search"), search);
  const reset = el(
    "button",
    {
      type: "button",
      onclick: () => {
        search.value = "";
        set({...defaults});
      },
    },
    "Reset",
  );
  const hidden = ["backbone", "loss", "experiment", "shift", "block", "q"].filter(k => state[k] !== defaults[k]).length; // on a telephone, until asked for
  const all = form.classList.contains("all");
  const more = el("button", {type: "button", id: "more-filters", "aria-expanded": String(all), onclick: () => (form.classList.toggle("all"), drawFilters())}, all ? "Fewer filters" : "More filters" + (hidden ? ` (${hidden} chosen)` : ""));
  const old = [...form.children].filter(c => c !== text);
  old.forEach(c => c.remove());
  form.prepend(...fields.filter(f => f));
  if (!text.isConnected) form.append(text);
  form.append(reset, more);
  form.hidden = false;
  if (focused && byId(focused) && document.activeElement?.id !== focused) byId(focused).focus();
}

function drawShown() {
  const n = new Set(shownSettings().map(s => s.name)).size; // each once, whatever its experiments
  const m = metricById.get(state.metric);
  const kept = ["experiment", "dataset", "backbone", "loss", "q"]
    .filter(k => state[k])
    .map(k => (k === "q" ? "search" : k) + " " + state[k]);
  byId("shown").replaceChildren(
    el("span", {class: "tag " + state.source}, state.source || "no source"),
    " ",
    `${plural(n, "setting")}, ${m ? m.label : "no metric"}` + (kept.length ? "; " + kept.join(", ") : ""),
  );
}

byId("filters").addEventListener("submit", e => e.preventDefault());
onChange(filterKeys + " metric block", drawFilters);
onChange(filterKeys + " metric", drawShown);
