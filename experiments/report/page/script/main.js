// The start: the state comes from the address, then everything is drawn.
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

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraw(["metric", "set"]); // what has charts
});

readFragment();
redraw(Object.keys(defaults));
writeFragment();
if (section) showSection();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
