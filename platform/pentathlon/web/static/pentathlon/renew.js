// Keeps parts of a page fresh: the answer of an address replaces the part that names it.
//
// data-renew  the address; it answers nothing (204) while nothing has changed
// data-every  seconds between two requests; without it only a `pentathlon:renew` event asks
// data-once   the answer fills the part instead, and there are no further requests
//
// A listener that prevents `pentathlon:renewing` keeps a part as it is.

const begun = new WeakSet();
const asking = new WeakSet();
const missed = new WeakSet(); // parts that were to be renewed again meanwhile

function begin() {
  for (const part of document.querySelectorAll("[data-renew]")) {
    if (begun.has(part)) continue;
    begun.add(part);
    part.addEventListener("pentathlon:renew", () => renew(part));
    if (part.dataset.every) wait(part);
  }
}

function wait(part) {
  setTimeout(async () => {
    if (!part.isConnected || !part.dataset.renew) return;
    if (!document.hidden) await renew(part);
    wait(part);
  }, 1000 * part.dataset.every);
}

async function renew(part) {
  if (asking.has(part)) {
    missed.add(part);
    return;
  }
  const asks = new CustomEvent("pentathlon:renewing", { bubbles: true, cancelable: true });
  if (!part.dataset.renew || !part.dispatchEvent(asks)) return;
  asking.add(part);
  const nodes = await fresh(part.dataset.renew);
  asking.delete(part);
  if (nodes && part.isConnected && part.dataset.renew) put(part, nodes);
  if (missed.delete(part) && part.isConnected) await renew(part);
}

/** Return the answer of an address as nodes; null if nothing has changed. */
async function fresh(address) {
  try {
    // A page has the same address as its part: going back must not find the part in the cache.
    const answer = await fetch(address, { headers: { "X-Part": "true" }, cache: "no-store" });
    if (answer.headers.has("X-Reload")) location.reload();
    if (answer.status !== 200 || answer.redirected || answer.headers.has("X-Reload")) return null;
    return [...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes];
  } catch {
    return null; // the connection is gone: perhaps it is back next time
  }
}

function put(part, nodes) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const open = [...part.querySelectorAll("details[open][id]")];
  if ("once" in part.dataset) {
    delete part.dataset.renew;
    part.replaceChildren(...nodes);
  } else {
    part.replaceWith(...nodes);
  }
  for (const each of open) counterpart(each, nodes)?.setAttribute("open", "");
  if (focused) counterpart(focused, nodes)?.focus({ preventScroll: true });
  begin();
  document.dispatchEvent(new CustomEvent("pentathlon:renewed"));
}

/** Return the element among new nodes that takes the place of another one. */
function counterpart(old, nodes) {
  const [name, value] = old.id ? ["id", old.id] : ["href", old.getAttribute("href")];
  if (!value) return null;
  for (const node of nodes) {
    const found = node.querySelector?.(`[${name}="${CSS.escape(value)}"]`);
    if (found) return found;
  }
  return null;
}

begin();
