// Asks Locust for news, one question at a time, and only while somebody looks.

const ANSWER_LIMIT_MS = 12000;
const AFTER_ERROR_MS = 1000;
const LEAST_PAUSE_MS = 200;

export class Poll {
  #abort = null;
  #asked = false;
  #round = 0;

  /** `ask()` gives the URL, `told(answer)` hears it, `failed(problem)` why there is none. */
  constructor({ ask, told, failed }) {
    Object.assign(this, { ask, told, failed });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
  }

  start() {
    if (document.hidden) return;
    this.stop();
    this.#asked = true;
    this.#go(this.#round);
  }

  stop() {
    this.#asked = false;
    this.#round += 1;
    this.#abort?.abort();
  }

  async #go(round) {
    while (this.#asked && round === this.#round) {
      const began = performance.now();
      const answer = await this.#answer().catch((error) => ({ error }));
      if (round !== this.#round) return;
      if (answer.error) {
        this.failed(answer.error);
        await pause(AFTER_ERROR_MS);
      } else this.told(answer);
      await pause(Math.max(0, LEAST_PAUSE_MS - (performance.now() - began)));
    }
  }

  async #answer() {
    this.#abort = new AbortController();
    const timer = setTimeout(() => this.#abort.abort(), ANSWER_LIMIT_MS);
    try {
      const response = await fetch(this.ask(), { signal: this.#abort.signal, cache: "no-store" });
      if (!response.ok) throw new Error(`it answers ${response.status} ${response.statusText}`);
      if (response.redirected) throw new Error("it asks for a login: load this page again");
      return await response.json();
    } finally {
      clearTimeout(timer);
    }
  }
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
