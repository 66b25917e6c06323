// What was done from this room and what was refused, newest first.
import { byId, keep, make, show } from "./dom.js";
import { clock } from "./format.js";

export class Log {
  take(entries) {
    show(byId("no-log"), entries.length === 0);
    const newest = entries.map((entry, place) => ({ ...entry, key: `${entry.t_epoch_s} ${entry.text} ${same(entries, place)}` })).reverse();
    keep(byId("log"), newest, (entry) => entry.key, row, () => {});
  }
}

/** How many entries before this one are the same: two refusals in one instant stay two. */
const same = (entries, place) => entries.slice(0, place).filter((each) => each.text === entries[place].text && each.t_epoch_s === entries[place].t_epoch_s).length;

function row(entry) {
  const time = make("time", { textContent: clock(entry.t_epoch_s), dateTime: new Date(entry.t_epoch_s * 1000).toISOString() });
  return make("li", { className: entry.kind === "done" ? "" : "refused" }, time, make("span", { textContent: entry.text }));
}
