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

const row = () => make("tr", {}, make("th", { scope: "row" }), ...["began", "lanes", "verdict", "files"].map((label) => make("td", { data: { label } })));

function update(made, run) {
  const [name, began, lanes, verdict, files] = made.children;
  say(name, run.id);
  say(began, run.began_epoch_s === null ? "–" : day(run.began_epoch_s));
  say(lanes, run.lanes.length > 6 ? `${run.lanes.slice(0, 5).join(", ")} and ${run.lanes.length - 5} more` : run.lanes.join(", "));
  keep(verdict, told(run), ([text]) => text, ([text, className]) => make("span", { textContent: text, className }), () => {});
  verdict.dataset.verdict = run.verdict ?? "";
  const links = [...report(run), ...run.files.map((file) => [NAMES[file] ?? file, `runs/${encodeURIComponent(run.id)}/${encodeURIComponent(file)}`])];
  keep(files, links, ([text]) => text, ([text, href]) => make("a", { textContent: text, href, aria: { label: `${text} of run ${run.id}` } }), () => {});
}

/** How it ended and what its report says of it, and if it is not valid, why. */
function told({ state, verdict, reason }) {
  const ended = state === "finished" ? null : state;
  const found = verdict ?? (state === "running" ? null : "no report yet");
  return [[ended, "ended"], [found, ""], [verdict === "not valid" && reason, "reason"]].filter(([text]) => text);
}

/** Where it has no report: the one so far while it goes on, and then the one that is made when asked for. */
function report({ id, state, files }) {
  if (state === "running") return [["report so far", "so-far"]];
  if (files.includes("report.html")) return [];
  return [["make the report", `runs/${encodeURIComponent(id)}/report.html`]];
}
