// Asks Locust for news, one question at a time, and only while somebody looks.

const ANSWER_LIMIT_MS = 12000;
const AFTER_ERROR_MS = 1000;
const LEAST_PAUSE_MS = 200;

export class Poll {
  #asking = new AbortController();

  /** `ask()` gives the URL, `told(answer)` hears it, `failed(problem)` why there is none. */
  constructor({ ask, told, failed }) {
    Object.assign(this, { ask, told, failed });
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
  }

  start() {
    if (document.hidden) return;
    this.stop();
    this.#asking = new AbortController();
    this.#go(this.#asking.signal);
  }

  stop() {
    this.#asking.abort();
  }

  async #go(stopped) {
    while (!stopped.aborted) {
      const began = performance.now();
      const answer = await this.#answer(stopped).catch((error) => ({ error }));
      if (stopped.aborted) return;
      if (answer.error) {
        this.failed(answer.error);
        await pause(AFTER_ERROR_MS);
      } else this.told(answer);
      await pause(Math.max(0, LEAST_PAUSE_MS - (performance.now() - began)));
    }
  }

  async #answer(stopped) {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    const response = await fetch(this.ask(), { signal, cache: "no-store" });
    if (!response.ok) throw new Error(`it answers ${response.status} ${response.statusText}`);
    if (response.redirected) throw new Error("it asks for a login: load this page again");
    return response.json();
  }
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
