// One lane's chart as Plotly takes it: a pure function of what the store has.

const LAYER_NAMES = ["unknown", "first", "retry1", "retry2", "retry3", "later"];
const SPANS = { "30s": 30, "5m": 300, "1h": 3600 };
const TICKS = {
  "30s": [[-30, "30 s ago"], [-20, "20 s"], [-10, "10 s"], [0, "now"]],
  "5m": [[-300, "5 min ago"], [-240, "4"], [-180, "3"], [-120, "2"], [-60, "1 min"], [0, "now"]],
  "1h": [[-3600, "1 h ago"], [-2700, "45 min"], [-1800, "30 min"], [-900, "15 min"], [0, "now"]],
};
const ACTIONS = new Set(["shed", "block-retries", "reopen"]);

export const spanOf = (window) => SPANS[window];
export const isAction = (kind) => ACTIONS.has(kind);

/** The colours in force, read from the style sheet: they change with the scheme. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    layers: LAYER_NAMES.map((name) => of(`layer-${name}`)),
    ink: of("ink"), soft: of("soft"), rule: of("rule"), goodput: of("goodput"), lost: of("lost"), queue: of("queue"),
    dip: of("mark-fault"), action: of("mark-action"),
  };
}

/** The next round number above: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten. */
function ceiling(value) {
  if (!(value > 0)) return 10;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value);
  return step * power;
}

/**
 * The one scale of all lanes: up at once, down when a third of it is empty. It goes down only to what
 * leaves more room than what it went up for, so that it does not waver between two.
 */
export function scale(now, most) {
  const up = ceiling(most * 1.05);
  if (up > now) return up;
  return most < (now * 2) / 3 ? Math.min(now, ceiling(most * 1.12)) : now;
}

/** How many bins are drawn as one in a chart so wide: a step narrower than 2 px is not seen. */
export const together = (binS, window, width) => Math.max(1, Math.ceil((2 * SPANS[window]) / binS / Math.max(width - 60, 60)));

export function figure({ store, lane, window, many, nowS, top, events, paint }) {
  const series = store.grouped(lane.name, many);
  const x = series.x.map((startS) => startS - nowS);
  if (x.length) x.push(series.end - nowS);
  const data = LAYER_NAMES.map((name, layer) => ({
    x, y: held(series.offered[layer]), stackgroup: "offered", mode: "none",
    fillcolor: paint.layers[layer], line: { shape: "hv", width: 0 },
  }));
  data.push(line(x, series.goodput, paint.goodput, 2), line(x, series.failed, paint.lost, 1.5, "2px,2px"));
  data.push(line(x, series.capacity, paint.ink, 1.75));
  if (lane.has_queue) {
    data.push({
      x, y: held(series.queue), yaxis: "y2", mode: "none", fill: "tozeroy",
      fillcolor: paint.queue, line: { shape: "hv", width: 0 },
    });
  }
  return { data, layout: layout({ lane, window, nowS, top, events, paint, series }) };
}

const line = (x, y, color, width, dash = "solid") =>
  ({ x, y: held(y), mode: "lines", line: { shape: "hv", color, width, dash }, connectgaps: false });

/** A step is drawn to its right end: the last value once more. */
const held = (values) => (values.length ? [...values, values[values.length - 1]] : []);

function layout({ lane, window, nowS, top, events, paint, series }) {
  const axis = { fixedrange: true, zeroline: false, gridcolor: paint.rule, automargin: false };
  const ticks = TICKS[window];
  const made = {
    margin: { l: 38, r: 16, t: 8, b: 26 }, showlegend: false, hovermode: false,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: paint.soft, size: 11, family: "system-ui, -apple-system, Segoe UI, Roboto, sans-serif" },
    xaxis: {
      ...axis, range: [-spanOf(window), 0], tickvals: ticks.map(([at]) => at),
      ticktext: ticks.map(([, text]) => text), anchor: lane.has_queue ? "y2" : "y", ticks: "outside", ticklen: 5, tickcolor: "rgba(0,0,0,0)",
    },
    yaxis: { ...axis, range: [0, top], tickvals: [0, top / 2, top], domain: lane.has_queue ? [0.34, 1] : [0, 1] },
    shapes: events.filter((event) => event.state !== "cancelled" && concerns(event, lane.name)).map((event) => shape(event, nowS, paint)),
  };
  if (lane.has_queue) {
    const most = series.queue.reduce((high, value) => Math.max(high, value ?? 0), 0);
    made.yaxis2 = { ...axis, range: [0, ceiling(most)], domain: [0, 0.22], tickvals: [0, ceiling(most)] };
  }
  return made;
}

const concerns = (event, name) => event.lanes === null || event.lanes.includes(name);

/** A dip or fault shades the whole height; an action is a bar along the top. */
function shape(event, nowS, paint) {
  const across = { type: "rect", xref: "x", yref: "paper", x0: event.start_epoch_s - nowS, x1: event.end_epoch_s - nowS };
  if (isAction(event.kind)) {
    return { ...across, ysizemode: "pixel", yanchor: 1, y0: 0, y1: -6, fillcolor: paint.action, line: { width: 0 }, layer: "above" };
  }
  return { ...across, y0: 0, y1: 1, fillcolor: paint.dip, line: { width: 0 }, layer: "above" };
}
