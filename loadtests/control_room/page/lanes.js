// A card for each lane: its state in words, its figures and its chart; and the sum of all in words.
import { byId, keep, make, say, show } from "./dom.js";
import { colours, figure, scale, spanOf, together } from "./figure.js";
import { clock, factor, number, plural, rate } from "./format.js";
import { Painter } from "./painter.js";

const FIGURES = [
  ["offered", "offered", (lane) => rate(lane.offered_per_s), (lane) => `of ${rate(lane.in_force_per_s ?? lane.capacity_per_s)}`],
  ["goodput", "goodput", (lane) => rate(lane.goodput_per_s), () => ""],
  ["failed", "failed", (lane) => number(lane.failed), (lane) => (lane.failed_per_s ? `now ${rate(lane.failed_per_s)}` : "")],
  ["amplification", "amplification", (lane) => factor(lane.amplification), () => ""],
  ["queue", "queue", (lane) => number(lane.queue), () => ""],
];
const TOLD = { storm: "in a storm", relapse: "in a relapse", dipped: "dipped", disturbed: "disturbed", overloaded: "above capacity", starved: "starved", settling: "settling", settled: "settled", steady: "steady", idle: "with no load" };
const SMALL = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const CHART = { staticPlot: true, responsive: true };

export class Lanes {
  #painter = new Painter(() => this.#begin());
  #paint = colours();
  #top = 10;
  #told = null;
  #shown = null;

  constructor(store) {
    this.store = store;
    const recolour = () => { this.#paint = colours(); this.#painter.changed(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  }

  take(answer, window) {
    this.#told = { answer, window };
    const cards = byId("cards");
    show(byId("no-lanes"), answer.lanes.length === 0);
    cards.dataset.count = answer.lanes.length > 6 ? "many" : String(answer.lanes.length);
    const gone = new Set(cards.children);
    keep(cards, answer.lanes, (lane) => lane.name, (lane) => this.#card(lane), update);
    this.#mark(answer.target.reachable ? null : answer.target.since_epoch_s);
    for (const card of cards.children) gone.delete(card);
    for (const card of gone) this.#forget(card);
    show(byId("queue-key"), answer.lanes.some((lane) => lane.has_queue));
    show(byId("unknown-key"), this.store.anyUnknown());
    this.#painter.changed();
  }

  /** Locust does not answer: what stands there is of its last answer. */
  lost() {
    if (this.#told) this.#mark(this.#told.answer.now_epoch_s);
  }

  /** Say of all that is shown whether it is how things are, or how they were before `sinceS`. */
  #mark(sinceS) {
    const { lanes } = this.#told.answer;
    for (const [place, card] of [...byId("cards").children].entries()) {
      // What the target never told of says so itself.
      const old = sinceS !== null && lanes[place].capacity_per_s !== null;
      say(card.querySelector(".old"), old ? `not heard of since ${clock(sinceS)}` : "");
      card.classList.toggle("unheard", old);
    }
    const known = summary(lanes);
    say(byId("summary"), sinceS === null || !lanes.length ? known : `Until ${clock(sinceS)}: ${known[0].toLowerCase()}${known.slice(1)}`);
    document.title = sinceS === null ? title(lanes) : "Not reached · Aftershock control room";
  }

  /**
   * A round of drawing begins: one instant, one scale and one width of a step for all charts. Whether
   * the scale is another one.
   */
  #begin() {
    const { answer, window } = this.#told;
    const width = byId("cards").querySelector(".chart")?.clientWidth ?? 300;
    const many = together(answer.bin_s, window, width);
    const before = this.#top;
    this.#top = scale(before, this.store.highest(answer.now_epoch_s - spanOf(window), many));
    this.#shown = { ...this.#told, many };
    say(byId("point"), `Attempts per second; each step of a chart is ${SMALL.format(many * answer.bin_s)} s. All charts have one scale.`);
    return this.#top !== before;
  }

  #card(lane) {
    const chart = make("div", { className: "chart", role: "img" });
    const card = make("article", { className: "card" },
      make("header", {},
        make("h3", { textContent: lane.name }),
        make("p", { className: "state" }, make("i", { className: "shape" }), make("span", { className: "word" })),
      ),
      make("p", { className: "old" }),
      make("p", { className: "detail" }),
      chart,
      make("dl", {}, ...FIGURES.map(([name, label]) => make("div", { data: { figure: name } }, make("dt", { textContent: label }), make("dd", {}, make("b"), make("small"))))),
    );
    this.#painter.add(chart, () => this.#draw(chart, lane.name));
    return card;
  }

  #forget(card) {
    const chart = card.querySelector(".chart");
    this.#painter.drop(chart);
    Plotly.purge(chart);
  }

  #draw(chart, name) {
    const { answer, window, many } = this.#shown;
    const lane = answer.lanes.find((each) => each.name === name);
    if (!lane || !this.store.lanes.has(name)) return;
    const { data, layout } = figure({ store: this.store, lane, window, many, nowS: answer.now_epoch_s, top: this.#top, events: answer.events, paint: this.#paint });
    Plotly.react(chart, data, layout, CHART);
  }
}

function update(card, lane) {
  const { word, text, detail } = lane.state;
  if (card.dataset.state !== word) card.dataset.state = word;
  say(card.querySelector(".word"), text || word);
  say(card.querySelector(".detail"), detail ?? "");
  const title = [lane.policy, lane.describe].filter(Boolean).join(": ");
  const heading = card.querySelector("h3");
  if (heading.title !== title) heading.title = title;
  for (const [name, , value, more] of FIGURES) {
    const box = card.querySelector(`[data-figure=${name}]`);
    say(box.querySelector("b"), value(lane));
    say(box.querySelector("small"), more(lane));
    if (name === "queue") show(box, lane.has_queue);
    if (name === "failed") {
      box.classList.toggle("some", Boolean(lane.failed));
      box.title = Object.entries(lane.failed_by_reason ?? {}).map(([reason, count]) => `${reason}: ${count}`).join(", ");
    }
  }
  const spoken = `Offered load by attempt number in lane ${lane.name}: ${text || word}, ${rate(lane.offered_per_s)} against ${rate(lane.in_force_per_s)}`;
  card.querySelector(".chart").setAttribute("aria-label", spoken);
}

/** "2 of 5 lanes in a storm, 3 settled": the worst first. */
function summary(lanes) {
  if (!lanes.length) return "No lanes yet";
  const counts = Object.keys(TOLD).map((word) => [word, lanes.filter((lane) => lane.state.word === word).length]).filter(([, count]) => count);
  if (lanes.length === 1) return `${plural(1, "lane")}, ${TOLD[lanes[0].state.word] ?? lanes[0].state.word}`;
  const [[word, count], ...others] = counts;
  const first = count === lanes.length ? `All ${count} lanes ${TOLD[word]}` : `${count} of ${lanes.length} lanes ${TOLD[word]}`;
  return [first, ...others.map(([each, many]) => `${many} ${TOLD[each]}`)].join(", ");
}

function title(lanes) {
  const storms = lanes.filter((lane) => ["storm", "relapse"].includes(lane.state.word)).length;
  return storms ? `${plural(storms, "storm")} · Aftershock control room` : "Aftershock control room";
}
