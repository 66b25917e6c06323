// What the page knows of the target, bin by bin. No DOM here, and never more than one window of it.

const MOST_BINS = 360;
const LAYERS = 6;

export class Store {
  constructor() {
    this.forget();
  }

  forget() {
    this.version = 0;
    this.epoch = "";
    this.bins = [];
    this.lanes = new Map();
    this.binS = 0.1;
    this.zeroS = 0;
  }

  /** The newest bin known, or null: asked for again, as it may have grown. */
  get newest() {
    return this.bins.length ? this.bins[this.bins.length - 1] : null;
  }

  take(answer) {
    if (answer.start) this.forget();
    this.version = answer.version;
    this.epoch = answer.epoch;
    this.binS = answer.bin_s;
    this.zeroS = answer.zero_epoch_s;
    const places = answer.bins.map((bin) => this.#place(bin));
    const named = new Set(answer.lanes.map((lane) => lane.name));
    for (const name of this.lanes.keys()) if (!named.has(name)) this.lanes.delete(name);
    for (const lane of answer.lanes) this.#fill(lane, places);
    this.#trim();
  }

  /** Where this bin is kept. Bins that nobody told of stay empty, so that a gap is seen as one. */
  #place(bin) {
    if (this.newest === null) this.bins.push(bin);
    if (bin < this.bins[0]) return -1;
    if (bin - this.newest > MOST_BINS) {
      this.bins = [bin];
      for (const series of this.lanes.values()) empty(series);
    }
    for (let next = this.newest + 1; next <= bin; next += 1) this.bins.push(next);
    return bin - this.bins[0];
  }

  #fill(lane, places) {
    let series = this.lanes.get(lane.name);
    if (!series) {
      series = { offered: Array.from({ length: LAYERS }, () => []), capacity: [], queue: [], goodput: [], failed: [] };
      this.lanes.set(lane.name, series);
    }
    places.forEach((place, index) => {
      if (place < 0) return;
      series.offered.forEach((layer, number) => { layer[place] = lane.offered[index]?.[number] ?? 0; });
      series.capacity[place] = lane.capacity[index] ?? null;
      series.queue[place] = lane.queue_len?.[index] ?? null;
      series.goodput[place] = lane.goodput?.[index] ?? null;
      series.failed[place] = lane.failed_rate?.[index] ?? null;
    });
    for (const layer of series.offered) level(layer, this.bins.length, 0);
    for (const name of ["capacity", "queue", "goodput", "failed"]) level(series[name], this.bins.length, null);
  }

  #trim() {
    const over = this.bins.length - MOST_BINS;
    if (over <= 0) return;
    this.bins.splice(0, over);
    for (const series of this.lanes.values()) {
      for (const layer of series.offered) layer.splice(0, over);
      for (const name of ["capacity", "queue", "goodput", "failed"]) series[name].splice(0, over);
    }
  }

  /**
   * A lane's series with `many` bins made one, so that a narrow chart is no comb: means, and of the
   * queue the most. Groups begin at multiples of `many`, so that they stay as they are as time goes.
   */
  grouped(name, many) {
    const series = this.lanes.get(name);
    const firsts = this.#groups(many);
    const by = (fold) => (values) => firsts.map((first, group) => fold(values, first, firsts[group + 1] ?? this.bins.length));
    return {
      x: firsts.map((first) => this.time(this.bins[first])),
      end: this.bins.length ? this.time(this.newest + 1) : 0,
      offered: series.offered.map(by(mean)),
      capacity: by(mean)(series.capacity),
      goodput: by(mean)(series.goodput),
      failed: by(mean)(series.failed),
      queue: by(most)(series.queue),
    };
  }

  /** The places at which groups of bins begin. */
  #groups(many) {
    const firsts = [];
    this.bins.forEach((bin, place) => { if (place === 0 || bin % many === 0) firsts.push(place); });
    return firsts;
  }

  /** The most that any lane was offered or could do in one of these groups since `sinceS`. */
  highest(sinceS, many) {
    let found = 0;
    for (const name of this.lanes.keys()) {
      const { x, offered, capacity } = this.grouped(name, many);
      x.forEach((startS, group) => {
        if (startS < sinceS) return;
        const sum = offered.reduce((total, layer) => total + layer[group], 0);
        found = Math.max(found, sum, capacity[group] ?? 0);
      });
    }
    return found;
  }

  /** Whether there are attempts that did not say their number. */
  anyUnknown() {
    return [...this.lanes.values()].some(({ offered }) => offered[0].some((count) => count > 0));
  }

  time(bin) {
    return this.zeroS + bin * this.binS;
  }
}

function empty(series) {
  for (const layer of series.offered) layer.length = 0;
  for (const name of ["capacity", "queue", "goodput", "failed"]) series[name].length = 0;
}

/** Make a series as long as the others; what was not told is `nothing`. */
function level(values, length, nothing) {
  for (let place = 0; place < length; place += 1) if (values[place] === undefined) values[place] = nothing;
}

/** The mean of what is known in `[from, to)`, or null. */
function mean(values, from, to) {
  let sum = 0;
  let known = 0;
  for (let place = from; place < to; place += 1) {
    if (values[place] !== null) { sum += values[place]; known += 1; }
  }
  return known ? sum / known : null;
}

function most(values, from, to) {
  let found = null;
  for (let place = from; place < to; place += 1) if (values[place] !== null) found = Math.max(found ?? 0, values[place]);
  return found;
}
