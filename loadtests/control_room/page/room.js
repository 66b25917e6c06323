// The control room: what is asked, heard and drawn. See the other modules for each part.
import { Acts } from "./acts.js";
import { InForce } from "./force.js";
import { Head } from "./head.js";
import { Lanes } from "./lanes.js";
import { Log } from "./log.js";
import { Poll } from "./poll.js";
import { Runs } from "./runs.js";
import { Store } from "./store.js";
import { Workers } from "./workers.js";

class Room {
  constructor() {
    this.window = "30s";
    this.store = new Store();
    this.head = new Head();
    this.lanes = new Lanes(this.store);
    this.acts = new Acts();
    this.force = new InForce(this.acts);
    this.log = new Log();
    this.workers = new Workers();
    this.runs = new Runs();
    this.poll = new Poll({
      ask: () => this.url(),
      told: (answer) => this.told(answer),
      failed: (problem) => {
        this.head.lost(problem);
        this.lanes.lost();
      },
    });
    for (const choice of document.querySelectorAll("input[name=window]")) {
      choice.addEventListener("change", () => this.look(choice.value));
      if (choice.checked) this.window = choice.value;
    }
  }

  url() {
    const { newest, epoch, version } = this.store;
    const asked = new URLSearchParams({ window: this.window, after: newest ?? -1, seen: version, epoch });
    return `live?${asked}`;
  }

  look(window) {
    this.window = window;
    this.store.forget();
    this.poll.start();
  }

  told(answer) {
    this.store.take(answer);
    this.head.take(answer);
    this.lanes.take(answer, this.window);
    this.acts.take(answer);
    this.force.take(answer);
    this.log.take(answer.log);
    this.workers.take(answer.workers, answer.run);
    this.runs.take(answer.run);
  }
}

export const room = new Room();
room.poll.start();
dispatchEvent(new Event("aftershock-started"));
