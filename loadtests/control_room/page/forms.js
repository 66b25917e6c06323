// A form for one act, in a disclosure. What is wrong with a field is said beside that field.
import { make, say, show } from "./dom.js";

export function form({ verb, title, button, about, fields, everywhere, confirm }, acts) {
  const boxes = fields.map((field) => box(verb, field));
  const press = make("button", { type: "submit", textContent: button });
  const came = make("p", { className: "said" });
  const made = make("form", { className: "act", noValidate: true, data: { verb } },
    make("p", { className: "about", textContent: about }), ...boxes.map(({ row }) => row), press, came);
  const pick = () => boxes.forEach(({ field, row }) => show(row, applies(field, boxes)));
  made.addEventListener("change", pick);
  pick();
  const sure = confirm ? confirmed(press, () => confirm(acts.recording), () => go(press)) : null;
  const shown = (name) => boxes.find(({ field }) => field.name === name && applies(field, boxes));
  const go = async (from) => {
    for (const each of boxes) complain(each, "");
    const body = { ...(everywhere ? {} : { lanes: acts.where.lanes }), ...filled(boxes) };
    const result = await acts.act(from, verb, body, { beside: came, own: (name) => Boolean(shown(name)) });
    const wrong = result?.error && shown(result.field);
    if (!wrong) return;
    complain(wrong, result.error);
    wrong.input.focus();
  };
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    if (sure) sure();
    else go(press);
  });
  return make("details", { className: "form" }, make("summary", { textContent: title }), made);
}

function box(verb, field) {
  const id = `${verb}-${field.name}`;
  const input = field.options
    ? make("select", { id, name: field.name }, ...field.options.map((value) => make("option", { value, textContent: field.names?.[value] ?? value })))
    : make("input", { id, name: field.name, value: field.value, type: "text", inputMode: field.number ? "numeric" : "text", autocomplete: "off", spellcheck: false });
  const hint = make("small", { id: `${id}-hint`, className: "hint", textContent: field.hint });
  const wrong = make("small", { id: `${id}-wrong`, className: "wrong", role: "alert" });
  input.setAttribute("aria-describedby", `${hint.id} ${wrong.id}`);
  return { field, input, wrong, row: make("div", { className: "field" }, make("label", { htmlFor: id, textContent: field.label }), input, hint, wrong) };
}

function applies(field, boxes) {
  if (!field.when) return true;
  return boxes.find((each) => each.field.name === field.when.name).input.value === field.when.value;
}

/** What is asked: the fields that apply and are not empty, under the admin API's names. */
function filled(boxes) {
  const body = {};
  for (const { field, input } of boxes) {
    const value = input.value.trim();
    if (field.sent === false || !value || !applies(field, boxes)) continue;
    body[field.name] = field.number && Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return body;
}

function complain({ input, wrong }, problem) {
  say(wrong, problem);
  if (problem) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/** What cannot be taken back is asked for twice: the second button is beside the first. */
function confirmed(press, question, yes) {
  const really = make("button", { type: "button", className: "end", textContent: "Yes, reset it" });
  const no = make("button", { type: "button", textContent: "No" });
  const cost = make("span");
  const row = make("div", { className: "sure", hidden: true }, cost, make("p", {}, really, " ", no));
  press.after(row);
  const close = () => { show(row, false); press.focus(); };
  really.addEventListener("click", () => { close(); yes(); });
  no.addEventListener("click", close);
  return () => {
    say(cost, question());
    show(row, true);
    really.focus();
  };
}
