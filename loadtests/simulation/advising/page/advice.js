"use strict";
// Draws the one figure, which tells of a point what stands there. Colours come from the style sheet.
const chart = document.querySelector("[data-figure]");
const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);
Plotly.newPlot(chart, figure.data, figure.layout, { responsive: true, displayModeBar: false });
const redraw = () => Plotly.Plots.resize(chart);
window.addEventListener("beforeprint", redraw);
window.addEventListener("afterprint", redraw);
