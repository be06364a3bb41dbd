// Shows events as they happen. Without it, pages ask now and then, or have a link to refresh.

const NEXT_MS = 2500; // a match that is over stays in view for so long
const REFRESH_MS = 2000; // between two refreshes of a page that changes all the time

const streams = new Map(); // by address
const over = new Set(); // addresses that have told all they will
const drawings = new Map(); // the latest of each match

/** Open the streams that the page asks for now, and close all others. */
function sync() {
  const wanted = document.hidden ? new Map() : wantedStreams();
  for (const [address, { stream, root }] of streams) {
    if (wanted.has(address) && root.isConnected) continue;
    stream.close();
    streams.delete(address);
  }
  for (const [address, hear] of wanted) {
    if (!streams.has(address) && !over.has(address)) open(address, hear);
  }
}

/** Return the streams by address: the element that shows each, and the effect of every event. */

function wantedStreams() {
  const wanted = new Map();
  for (const root of document.querySelectorAll("[data-live-viewer]")) {
    wanted.set(root.dataset.liveViewer, { root, events: viewer(root) });
  }
  const cards = [...document.querySelectorAll("[data-live-match]")];
  if (cards.length) {
    const names = cards.map((card) => `match=${card.dataset.liveMatch}`);
    wanted.set(`/live/matches/?${names.join("&")}`, { root: document.body, events: cardEvents });
    cards.forEach(drawCard);
  }
  const page = document.querySelector("[data-live-page]");
  if (page?.dataset.livePage) wanted.set(page.dataset.livePage, { root: page, events: pageEvents });
  return wanted;
}

function open(address, { root, events }) {
  const stream = new EventSource(address);
  streams.set(address, { stream, root });
  for (const [name, tell] of Object.entries(events)) {
    stream.addEventListener(name, (event) => {
      if (streams.get(address)?.stream !== stream) return;
      const data = JSON.parse(event.data);
      if (name === "end" && !address.includes("?match=")) {
        stream.close();
        over.add(address);
      }
      tell(data);
    });
  }
}

/** The board of one match, which `live-board.js` draws. */
function viewer(root) {
  const tell = (name, detail) => {
    root.dispatchEvent(new CustomEvent(`pentathlon:${name}`, { bubbles: true, detail }));
  };
  return {
    plies: (data) => {
      root.hidden = false;
      tell("plies", data);
    },
    end: () => {
      const next = root.closest("[data-live-next]");
      tell("end", next ? () => setTimeout(() => ask(next), NEXT_MS) : () => location.reload());
    },
  };
}

const cardEvents = {
  plies: (data) => {
    drawings.set(String(data.match), data);
    const card = document.querySelector(`[data-live-match="${data.match}"]`);
    if (card) drawCard(card);
  },
  end: (data) => {
    const card = document.querySelector(`[data-live-match="${data.match}"]`);
    const section = card?.closest("[data-live-next]");
    if (section) setTimeout(() => ask(section), NEXT_MS);
  },
};

function drawCard(card) {
  const data = drawings.get(card.dataset.liveMatch);
  if (!data) return;
  const drawing = parse(data.svg);
  drawing.setAttribute("viewBox", drawing.dataset.field);
  drawing.setAttribute("aria-hidden", "true");
  for (const name of ["role", "aria-label", "aria-labelledby"]) drawing.removeAttribute(name);
  for (const words of drawing.querySelectorAll("title, desc")) words.remove();
  card.querySelector("svg.board")?.replaceWith(drawing);
  card.querySelector("[data-live-ply]").textContent = `ply ${data.ply}`;
}

function parse(svg) {
  return new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
}

function ask(section) {
  section.dispatchEvent(new CustomEvent("pentathlon:renew", { bubbles: false }));
}

const pageEvents = { changed: refreshSoon, end: refreshNow };
let refreshing = null;
let refreshedAt = 0;

/** Fill in the changes, but not at every event; the delay is random to spread the readers. */
function refreshSoon() {
  const wait = Math.max(0, refreshedAt + REFRESH_MS * (1 + Math.random()) - Date.now());
  refreshing ??= setTimeout(refreshNow, wait);
}

async function refreshNow() {
  clearTimeout(refreshing);
  refreshing = null;
  refreshedAt = Date.now();
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [old, now] = [document, fresh].map((page) => page.querySelector("[data-live-page]"));
  if (!old || !now) {
    location.reload();
    return;
  }
  // A page that fills itself in need not offer a reload.
  for (const offer of document.querySelectorAll("[data-fallback], .toast:has(a)")) offer.remove();
  for (const offer of now.querySelectorAll("[data-fallback]")) offer.remove();
  // `page.js` has shown these elements, and they may have the focus.
  for (const button of now.querySelectorAll("[data-copy]")) button.hidden = false;
  const address = old.dataset.livePage;
  morph(old, now);
  // The stream that is open goes on from where it is.
  old.dataset.livePage = address;
  document.title = fresh.title;
}

/** Change only what differs, so that focus, selection and scroll positions stay. */
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const isAlike = old.nodeType === Node.ELEMENT_NODE && old.nodeName === fresh.nodeName;
  if (!isAlike || old.childNodes.length !== fresh.childNodes.length) {
    old.replaceWith(document.importNode(fresh, true));
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  [...old.childNodes].forEach((child, index) => morph(child, fresh.childNodes[index]));
}

document.addEventListener("visibilitychange", sync);
document.addEventListener("pentathlon:renewed", sync);
addEventListener("pagehide", () => streams.forEach(({ stream }) => stream.close()));
sync();
