// The processes that send, where there are several or one of them is in trouble.
import { byId, keep, make, say, show } from "./dom.js";
import { number, percent } from "./format.js";

const FINE = "in time";

export class Workers {
  take(workers) {
    const trouble = workers.some((worker) => worker.word !== FINE);
    show(byId("workers"), workers.length > 1 || trouble);
    keep(byId("worker-rows"), workers, (worker) => worker.name, row, update);
  }
}

function row() {
  return make("tr", {}, make("th", { scope: "row" }), ...Array.from({ length: 5 }, () => make("td")));
}

function update(made, worker) {
  const late = worker.late_p99_ms === null ? "–" : `${number(worker.late_p99_ms)} ms`;
  const told = [worker.name, worker.state, number(worker.users), percent(worker.cpu), late, worker.word];
  told.forEach((text, place) => say(made.children[place], text));
  made.dataset.fine = String(worker.word === FINE);
  if (made.title !== worker.text) made.title = worker.text;
}
