// Loads the page again when one of its files did not come: a network that has just changed (a
// laptop that woke up) drops what is on its way, and half a page would stay dead.
"use strict";
{
  const MOST = 5;
  const AGAIN_MS = 1000;
  const KEY = "aftershock-loaded-again";
  let planned = false;
  addEventListener("error", ({ target }) => {
    const again = Number(sessionStorage.getItem(KEY));
    const ours = target instanceof HTMLScriptElement || target instanceof HTMLLinkElement;
    if (!ours || planned || again >= MOST) return;
    planned = true;
    sessionStorage.setItem(KEY, String(again + 1));
    setTimeout(() => location.reload(), AGAIN_MS);
  }, true);
  addEventListener("aftershock-started", () => sessionStorage.removeItem(KEY));
}
