"use strict";
// Draws each figure into the element that names it. Colours come from the style sheet.
for (const chart of document.querySelectorAll("[data-figure]")) {
  const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);
  // Still pictures: every figure stands in a table, and nothing is to be found by hovering.
  const config = { staticPlot: true, responsive: true };
  Plotly.newPlot(chart, figure.data, figure.layout, config);
}
// Paper is narrower than most screens: draw to its width, and back again.
const redraw = () => {
  for (const chart of document.querySelectorAll("[data-figure]")) Plotly.Plots.resize(chart);
};
window.addEventListener("beforeprint", redraw);
window.addEventListener("afterprint", redraw);
