"use strict";
// Draws each figure into the element that names it. Colours come from the style sheet.
const waiting = new Set(document.querySelectorAll("[data-figure]"));
const draw = (chart) => {
  if (!waiting.delete(chart)) return;
  const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent);
  // All lines of a chart stand over the same ticks, which are told once.
  for (const trace of figure.data) trace.x ??= figure.data[0].x;
  // Still pictures: every figure stands in a table, and nothing is to be found by hovering.
  Plotly.newPlot(chart, figure.data, figure.layout, { staticPlot: true, responsive: true });
};
// A chart is drawn when it is nearly in view: of a long page most are not, and none is waited for.
// The others follow one by one whenever there is nothing else to do, for who takes a picture of all.
const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    draw(target);
  }
}, { rootMargin: "400px" });
for (const chart of waiting) near.observe(chart);
const idle = globalThis.requestIdleCallback ?? ((then) => setTimeout(then, 100));
const drawNext = () => {
  const [chart] = waiting;
  if (!chart) return;
  near.unobserve(chart);
  draw(chart);
  idle(drawNext);
};
window.addEventListener("load", () => idle(drawNext));
// Paper shows all of them and is narrower than most screens: draw to its width, and back again.
const redraw = () => {
  for (const chart of document.querySelectorAll("[data-figure]")) {
    if (waiting.has(chart)) draw(chart);
    else Plotly.Plots.resize(chart);
  }
};
window.addEventListener("beforeprint", redraw);
window.addEventListener("afterprint", redraw);
