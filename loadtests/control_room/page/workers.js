// The processes that send: from the first run on, and before it where there are several of them.
import { byId, keep, make, say, show } from "./dom.js";
import { NONE, number, percent } from "./format.js";

const FINE = "in time";

export class Workers {
  take(workers, run) {
    show(byId("workers"), workers.length > 1 || (workers.length > 0 && run.id !== null));
    keep(byId("worker-rows"), workers, (worker) => worker.name, row, update);
  }
}

const LABELS = ["state", "users", "CPU", "late at p99", "verdict"];

function row() {
  return make("tr", {}, make("th", { scope: "row" }), ...LABELS.map((label) => make("td", { data: { label } })));
}

function update(made, worker) {
  const late = worker.late_p99_ms === null ? NONE : `${number(worker.late_p99_ms)} ms`;
  const told = [worker.name, worker.state, number(worker.users), percent(worker.cpu), late, worker.word || NONE];
  told.forEach((text, place) => say(made.children[place], text));
  made.dataset.fine = String(!worker.word || worker.word === FINE);
  if (made.title !== worker.text) made.title = worker.text;
}
