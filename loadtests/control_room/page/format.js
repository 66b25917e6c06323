// Figures and times as text.

const RATE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SMALL = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const NONE = "–";

/** 340, 95, 4.5: no more digits than anybody reads while it changes. */
export function number(value) {
  if (value === null || value === undefined) return NONE;
  return Math.abs(value) < 10 && !Number.isInteger(value) ? SMALL.format(value) : RATE.format(value);
}

export const rate = (value) => (value === null || value === undefined ? NONE : `${number(value)}/s`);

export const factor = (value) =>
  value === null || value === undefined ? NONE : `×${value.toFixed(2)}`;

export const percent = (value) =>
  value === null || value === undefined ? NONE : `${Math.round(value * 100)}%`;

/** 3.2 s while it is short, 33 s, 4 min 12 s, 1 h 5 min. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** 0.5 s, 2 s; from a minute on as a duration. */
export const seconds = (value) => (value < 60 ? `${SMALL.format(value)} s` : duration(value + 0.05));

/** 14:03:02 */
export const clock = (epochS) => new Date(epochS * 1000).toISOString().slice(11, 19);

/** 2026-11-30 14:03 */
export const day = (epochS) => new Date(epochS * 1000).toISOString().slice(0, 16).replace("T", " ");

export const plural = (count, word) => `${RATE.format(count)} ${word}${count === 1 ? "" : "s"}`;
