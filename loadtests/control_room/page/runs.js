// The runs made so far, newest first. Asked for again when a run begins, ends or has its report.
import { byId, keep, make, say, show } from "./dom.js";
import { day } from "./format.js";

const AGAIN_MS = 3000;
const MOST_AGAIN = 20;
const NAMES = { "report.html": "report", "report.json": "JSON", "record.ndjson": "record", "ticks.csv": "ticks CSV", "requests.csv": "requests CSV" };

export class Runs {
  #known = null;
  #timer = null;
  #again = 0;

  take(run) {
    const state = [run.id, run.newest, run.state, run.ended, run.has_report].join(" ");
    if (state === this.#known) return;
    this.#known = state;
    this.#again = MOST_AGAIN;
    this.#load();
  }

  async #load() {
    clearTimeout(this.#timer);
    try {
      const response = await fetch("runs.json", { cache: "no-store" });
      if (!response.ok) throw new Error(response.statusText);
      const { runs } = await response.json();
      show(byId("no-runs"), runs.length === 0);
      show(byId("run-rows").closest("table"), runs.length > 0);
      keep(byId("run-rows"), runs, (run) => run.id, row, update);
      // The report of a run that has just ended is still being made.
      if (!runs.length || runs[0].state === "running" || runs[0].files.includes("report.html")) return;
    } catch { /* Locust is away, which the banner says: ask again. */ }
    this.#again -= 1;
    if (this.#again > 0) this.#timer = setTimeout(() => this.#load(), AGAIN_MS);
  }
}

const row = () => make("tr", {}, make("th", { scope: "row" }), ...Array.from({ length: 4 }, () => make("td")));

function update(made, run) {
  const [name, began, lanes, verdict, files] = made.children;
  say(name, run.id);
  say(began, run.began_epoch_s === null ? "–" : day(run.began_epoch_s));
  say(lanes, run.lanes.length > 6 ? `${run.lanes.slice(0, 5).join(", ")} and ${run.lanes.length - 5} more` : run.lanes.join(", "));
  say(verdict, run.state === "finished" ? run.verdict ?? "no report yet" : run.state);
  verdict.dataset.verdict = run.verdict ?? "";
  const going = run.state === "running" ? [["report so far", "so-far"]] : [];
  const links = [...going, ...run.files.map((file) => [NAMES[file] ?? file, `runs/${encodeURIComponent(run.id)}/${encodeURIComponent(file)}`])];
  keep(files, links, ([, href]) => href, ([text, href]) => make("a", { textContent: text, href, aria: { label: `${text} of run ${run.id}` } }), () => {});
}
