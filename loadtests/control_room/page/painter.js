// Draws charts without taking the page over. A round draws those in sight, one after the other. A few
// are drawn with each answer; with more a round begins at most twice a second. Scripts draw for a
// quarter of the time at most: what the browser then paints takes as long again. Twenty lanes in sight
// are drawn once a second.

const FEW = 6;
const LEAST_BETWEEN_MS = 500;
const REST_PER_WORK = 3;

export class Painter {
  #jobs = new Map();
  #round = [];
  #timer = null;
  #changed = false;
  #beganAt = -Infinity;
  #freeAt = 0;
  #seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const job = this.#jobs.get(target);
      if (!job) continue;
      if (isIntersecting && !job.inSight) this.#changed = true;
      job.inSight = isIntersecting;
    }
    this.#plan();
  }, { rootMargin: "120px" });

  /**
   * `begins` is called before each round: all charts of a round show the same window. It says whether
   * they must change together, as their scale does; then the round is drawn in one go.
   */
  constructor(begins) {
    this.begins = begins;
  }

  /** `draw` is called in each round in which this element is in sight. */
  add(element, draw) {
    this.#jobs.set(element, { element, draw, inSight: false });
    this.#seen.observe(element);
  }

  drop(element) {
    this.#seen.unobserve(element);
    this.#jobs.delete(element);
  }

  /** There is something new to draw. */
  changed() {
    this.#changed = true;
    this.#plan();
  }

  #inSight() {
    return [...this.#jobs.values()].filter((job) => job.inSight);
  }

  #plan() {
    if (this.#timer !== null || document.hidden) return;
    if (!this.#round.length && !this.#changed) return;
    const now = performance.now();
    const begins = this.#round.length ? now : this.#beganAt + (this.#inSight().length > FEW ? LEAST_BETWEEN_MS : 0);
    this.#timer = setTimeout(() => this.#work(), Math.max(0, begins - now, this.#freeAt - now));
  }

  #work() {
    this.#timer = null;
    const now = performance.now();
    let together = false;
    if (!this.#round.length) {
      this.#changed = false;
      this.#beganAt = now;
      this.#round = this.#inSight();
      together = this.begins();
    }
    do {
      const job = this.#round.shift();
      if (job && this.#jobs.has(job.element)) job.draw();
    } while (together && this.#round.length);
    const ended = performance.now();
    this.#freeAt = ended + (ended - now) * REST_PER_WORK;
    this.#plan();
  }
}
