// The panel of acts: presets, a form for each act, and what came of the last one.
import { byId, make, say } from "./dom.js";
import { form } from "./forms.js";
import { send } from "./sending.js";
import { PRESETS, VERBS } from "./verbs.js";
import { Where } from "./where.js";

const REST_MS = 1000;

export class Acts {
  constructor() {
    this.where = new Where();
    // On a phone the lanes come first.
    if (matchMedia("(max-width: 859px)").matches) byId("more").open = false;
    byId("presets").append(...PRESETS.map((preset) => this.#preset(preset)));
    byId("forms").append(...VERBS.map((verb) => form(verb, this)));
  }

  take(answer) {
    this.where.take(answer.lanes.map((lane) => lane.name));
  }

  #preset({ verb, label, kind, body }) {
    const button = make("button", { type: "button", className: kind, textContent: label });
    button.addEventListener("click", () => this.act(button, verb, { ...body, lanes: this.where.lanes }));
    return button;
  }

  /**
   * Do it once: while it is under way, and for a second after, the button does nothing. It is not
   * `disabled`, which would take the focus away from whoever pressed it.
   */
  async act(button, verb, body, { quietly = false } = {}) {
    if (button.getAttribute("aria-disabled") === "true") return null;
    if (Array.isArray(body.lanes) && !body.lanes.length) {
      return this.#tell({ error: "No lane is chosen: choose one under “In …”, or all lanes", field: "lanes" }, false);
    }
    button.setAttribute("aria-disabled", "true");
    const result = await send(verb, body);
    setTimeout(() => button.removeAttribute("aria-disabled"), REST_MS);
    return this.#tell(result, quietly && Boolean(result.field));
  }

  #tell(result, quietly) {
    const said = byId("said");
    said.classList.toggle("refused", Boolean(result.error));
    say(said, quietly ? "" : result.said ?? `Failed: ${result.error}`);
    return result;
  }
}

