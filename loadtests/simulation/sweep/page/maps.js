"use strict";
// Draws each map into the element that names it. The colours are the style sheet's, for light and
// for dark paper; a map is a picture, which no style sheet reaches, so it is drawn anew for each.
const names = ["recovers", "vulnerable", "never", "invalid"];
const colorscale = () => {
  const style = getComputedStyle(document.documentElement);
  const colors = names.map((name) => style.getPropertyValue(`--map-${name}`).trim());
  return colors.flatMap((color, i) => [[i / names.length, color], [(i + 1) / names.length, color]]);
};
const draw = (map) => {
  const figure = JSON.parse(document.getElementById(map.dataset.figure).textContent);
  for (const trace of figure.data) trace.colorscale = colorscale();
  Plotly.react(map, figure.data, figure.layout, { displayModeBar: false, responsive: true });
};
// By its mark the style sheet finds the colour that can be read on a cell.
const mark = (map) => {
  for (const text of map.querySelectorAll(".heatmap-label text")) text.dataset.mark = text.textContent;
};
const maps = [...document.querySelectorAll("[data-figure]")];
maps.forEach((map) => {
  draw(map);
  map.on("plotly_afterplot", () => mark(map));
  mark(map);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => maps.forEach(draw));
const redraw = () => maps.forEach((map) => Plotly.Plots.resize(map));
window.addEventListener("beforeprint", redraw);
window.addEventListener("afterprint", redraw);
