// The start: the state comes from the address, then everything is drawn, what stands first at once
// and the rest in turn, so that the first is soon seen.
function showSection() {
  const target = section && byId(section);
  if (!target) return;
  for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  target.scrollIntoView();
}

addEventListener("hashchange", () => {
  redraw(readFragment());
  writeFragment();
  showSection();
});

// What is wider than its place says so, since a telephone shows no scroll bar.
const wide = new ResizeObserver(list => {
  for (const {target} of list) {
    const box = target.closest(".scroll");
    box?.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  }
});
function watchWidths() {
  for (const box of document.querySelectorAll(".scroll:not([data-watched])")) {
    box.dataset.watched = "";
    wide.observe(box);
    if (box.firstElementChild) wide.observe(box.firstElementChild);
  }
}
new MutationObserver(watchWidths).observe(document.querySelector("main"), {childList: true, subtree: true});
watchWidths();

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraw(["metric", "set", "table"]); // what has charts
});

readFragment();
writeFragment();
const rest = redraws.map(([, draw]) => draw);
rest.splice(0, 3).forEach(draw => draw()); // the filters, what they keep, and the leaderboard
function drawNext() {
  if (rest.length) {
    rest.shift()();
    return setTimeout(drawNext);
  }
  if (section) showSection();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}
setTimeout(drawNext);
