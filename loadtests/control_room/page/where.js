// Which lanes an act is for: all of them, or those ticked. A choice outlives what is redrawn.
import { byId, keep, make, say } from "./dom.js";

export class Where {
  #chosen = new Set();
  #names = [];
  #every = byId("every-lane");

  constructor() {
    this.#every.addEventListener("change", () => {
      if (this.#every.checked) this.#chosen.clear();
      this.#show();
    });
  }

  /** `null`: every lane, also those to come. */
  get lanes() {
    return this.#every.checked ? null : this.#names.filter((name) => this.#chosen.has(name));
  }

  take(names) {
    this.#names = names;
    keep(byId("lane-choices"), names, (name) => name, (name) => this.#choice(name), () => {});
    this.#show();
  }

  #choice(name) {
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => {
      if (box.checked) this.#chosen.add(name);
      else this.#chosen.delete(name);
      this.#every.checked = this.#chosen.size === 0;
      this.#show();
    });
    return make("label", { className: "choice" }, box, ` ${name}`);
  }

  #show() {
    for (const label of byId("lane-choices").children) {
      const box = label.firstElementChild;
      const chosen = this.#chosen.has(label.dataset.key);
      if (box.checked !== chosen) box.checked = chosen;
    }
    const { lanes } = this;
    const named = lanes === null ? "all lanes" : lanes.length ? lanes.join(", ") : "no lane yet";
    say(byId("where-text"), named);
  }
}
