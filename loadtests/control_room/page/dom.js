// Small helpers to build the page. Text only ever goes in as text: a lane may be called <script>.

export const byId = (id) => document.getElementById(id);

/** An element with properties (and `data`, `aria`), and what is in it: elements or text. */
export function make(tag, properties = {}, ...inside) {
  const node = document.createElement(tag);
  const { data = {}, aria = {}, ...own } = properties;
  Object.assign(node, own);
  for (const [name, value] of Object.entries(data)) node.dataset[name] = value;
  for (const [name, value] of Object.entries(aria)) node.setAttribute(`aria-${name}`, value);
  node.append(...inside);
  return node;
}

/** Write only what differs: selections stay, and the browser need not lay out anew. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/**
 * Keep one child for each item, in order, and the ones that stay untouched, so that no focus is
 * lost. `build(item)` makes a child, `update(child, item)` brings it up to date.
 */
export function keep(parent, items, key, build, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = known.get(name);
    if (child) known.delete(name);
    else {
      child = build(item);
      child.dataset.key = name;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of known.values()) child.remove();
}
