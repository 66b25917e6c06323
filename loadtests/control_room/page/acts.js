// The panel of acts: presets, a form for each act, and what came of the last one.
import { byId, make, say } from "./dom.js";
import { form } from "./forms.js";
import { send } from "./sending.js";
import { PRESETS, VERBS } from "./verbs.js";
import { Where } from "./where.js";

const REST_MS = 1000;
const READ_S = 10;

export class Acts {
  #now = null;
  #last = null;

  constructor() {
    this.where = new Where();
    // On a phone the lanes come first.
    if (matchMedia("(max-width: 859px)").matches) byId("more").open = false;
    byId("presets").append(...PRESETS.map((preset) => this.#preset(preset)));
    byId("forms").append(...VERBS.map((verb) => form(verb, this)));
  }

  take(answer) {
    this.#now = answer;
    this.where.take(answer.lanes.map((lane) => lane.name));
    if (this.#last && over(this.#last, answer)) this.#tell(null, null);
  }

  /** Whether a run is being recorded. */
  get recording() {
    return Boolean(this.#now?.run.id && !this.#now.run.ended);
  }

  #preset({ verb, label, kind, body }) {
    const button = make("button", { type: "button", className: kind, textContent: label });
    button.addEventListener("click", () => this.act(button, verb, { ...body, lanes: this.where.lanes }));
    return button;
  }

  /**
   * Do it once: while it is under way, and for a second after, the button does nothing. It is not
   * `disabled`, which would take the focus away from whoever pressed it. What came of it is told at
   * the top of the panel, and `beside` the button; not where the form says it itself, at its `own` field.
   */
  async act(button, verb, body, { beside = null, own = () => false } = {}) {
    if (button.getAttribute("aria-disabled") === "true") return null;
    if (Array.isArray(body.lanes) && !body.lanes.length) {
      const problem = "No lane is chosen: choose one under “In …”, or all lanes";
      return this.#tell({ kind: "refused", said: problem, error: problem, field: "lanes" }, beside);
    }
    button.setAttribute("aria-disabled", "true");
    const result = await send(verb, body);
    setTimeout(() => button.removeAttribute("aria-disabled"), REST_MS);
    this.#tell(own(result.field) ? null : result, beside);
    return result;
  }

  /** Only the panel's place is read out: once is enough. */
  #tell(result, beside) {
    if (this.#last?.beside && this.#last.beside !== beside) answer(this.#last.beside, null);
    answer(byId("said"), result);
    if (beside) answer(beside, result);
    this.#last = result && { result, beside, runId: this.#now?.run.id, atS: this.#now?.now_epoch_s ?? 0 };
    return result;
  }
}

function answer(place, result) {
  place.classList.toggle("refused", Boolean(result) && result.kind !== "done");
  say(place, result?.said ?? "");
}

/** What was said is no longer so: the act is over, for long enough to be read, or another run has begun. */
function over({ result, runId, atS }, { run, events, now_epoch_s: nowS }) {
  if (run.id !== runId) return true;
  if (nowS < atS + READ_S || !result.end_epoch_s) return false;
  const event = events.find(({ id }) => id === result.id);
  return event ? ["ended", "cancelled"].includes(event.state) : nowS > result.end_epoch_s;
}
