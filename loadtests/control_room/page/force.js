// What is in force at the target or planned there, each with a button that ends it.
import { byId, keep, make, say, show } from "./dom.js";
import { isAction } from "./figure.js";
import { duration, seconds } from "./format.js";

const NAMES = { dip: "dip to", shed: "shed", spike: "spike", error: "error", latency: "latency", hang: "hang", reset: "connections reset", cut: "answers cut", "block-retries": "block retries", reopen: "reopen" };

export class InForce {
  constructor(acts) {
    this.acts = acts;
  }

  take({ events, now_epoch_s: nowS }) {
    const list = byId("in-force");
    const going = events.filter((event) => event.state === "active" || event.state === "pending");
    const focused = list.contains(document.activeElement);
    keep(list, going, (event) => event.id, (event) => this.#row(event), (row, event) => update(row, event, nowS));
    // What was pressed is over and gone: stay near it.
    if (focused && !list.contains(document.activeElement)) byId("force-title").focus();
    show(byId("no-force"), going.length === 0);
  }

  #row(event) {
    const what = make("span", { className: "what" });
    const row = make("li", { data: { kind: isAction(event.kind) ? "action" : "fault" } }, make("i"), make("span", {}, what, make("small")));
    // Spikes are the clients', and of what a run only plans no target knows yet.
    if (event.kind === "spike" || event.id.startsWith("planned-")) return row;
    const button = make("button", { type: "button", textContent: "End", aria: { label: `End ${event.id}` } });
    button.addEventListener("click", () => this.acts.act(button, "end", { id: event.id }));
    row.append(button);
    return row;
  }
}

function update(row, event, nowS) {
  const open = event.open_share ? `, ${event.open_share} open` : "";
  const where = event.lanes === null ? "all lanes" : event.lanes.join(", ");
  const text = event.kind === "block-retries" ? "" : ` ${event.text ?? ""}`;
  const what = `${NAMES[event.kind] ?? event.kind}${text}${open}`;
  const pending = event.state === "pending";
  const until = pending ? event.start_epoch_s : event.end_epoch_s;
  const planned = ` for ${seconds(event.end_epoch_s - event.start_epoch_s)}, in ${duration(until - nowS + 1)}`;
  say(row.querySelector(".what"), pending ? `planned: ${what}${planned}` : what);
  say(row.querySelector("small"), pending ? where : `${where} · ${duration(until - nowS + 1)} left`);
}
