// Lets a person point at the board instead of reading the list of actions.
//
// When a bot has moved, or the person in another tab, the stream says so and the board changes.
// Without a stream, the page asks each second while a bot is to move.
//
// Each action says which cells and cards it touches, in order. Pointing narrows the list; what the
// board cannot tell apart is left in the list. Pointing once more at the last mark sends the action,
// and the board changes in place. Without this script the list works alone.

const MARKS = "g[data-cell], g[data-card], g[data-mark]";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const ASK_MS = 1000;

let stream = null;
let chosen = []; // names of cells and cards, in the order in which they were pointed at
let last = ""; // the mark that had the focus

for (const root of document.querySelectorAll("[data-play]")) begin(root);
document.addEventListener("pentathlon:renewed", () => {
  const root = document.querySelector("[data-play]:not([data-begun])");
  if (!root) return;
  begin(root);
  if (root.querySelector("[data-choose]")) root.querySelector("#turn").focus({ preventScroll: true });
});

function begin(root) {
  root.dataset.begun = "";
  follow(root);
  chosen = [];
  const form = root.querySelector("[data-choose]");
  if (!form) return;
  for (const part of root.querySelectorAll("[data-script], [data-hint]")) part.hidden = false;
  const svg = root.querySelector("[data-board] svg");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "The board: choose a cell or a card");
  const said = root.querySelector("[data-said]");
  const table = { root, form, svg, said, asked: said.textContent, marks: findMarks(svg) };
  table.refusals = JSON.parse(form.dataset.refusals);
  table.actions = findActions(table);
  table.drawer = root.querySelector("[data-drawer]");
  svg.addEventListener("click", (event) => {
    const mark = event.target.closest(MARKS);
    if (mark) point(table, nameOf(mark));
  });
  svg.addEventListener("keydown", (event) => press(table, event));
  root.querySelector("[data-filter]").addEventListener("input", () => show(table));
  root.querySelector("[data-back]").addEventListener("click", () => takeBack(table));
  root.addEventListener("change", (event) => {
    if (event.target.name === "action") tell(table);
  });
  table.drawer?.addEventListener("toggle", showCards);
  form.addEventListener("submit", (event) => send(table, event));
  root.querySelector(".choices").addEventListener("keydown", (event) => {
    if (event.key === "Escape") takeBack(table);
  });
  show(table);
}

/** Send the chosen action and show what follows in place; in doubt, load the page as without a script. */
async function send({ root, form }, event) {
  event.preventDefault();
  if ("sent" in form.dataset) return;
  form.dataset.sent = "";
  const [address, body] = [form.getAttribute("action"), new FormData(form)];
  root.querySelector("[data-send]").disabled = true;
  const headers = { "X-Part": "true" };
  const answer = await fetch(address, { method: "POST", body, headers }).catch(() => null);
  if (answer?.status === 204) ask(root);
  else form.submit();
}

/** Bring the cards into view when their drawer opens, and the board when it closes. */
function showCards(event) {
  const board = event.target.closest("[data-play]").querySelector("[data-board]");
  (event.target.open ? board.querySelector("[data-card]") : board)?.scrollIntoView();
}

/** Listen for every change since the state that the board shows. */
function follow(root) {
  stream?.close();
  stream = null;
  if (!root.dataset.stream) return;
  const mine = new EventSource(root.dataset.stream);
  stream = mine;
  for (const name of ["changed", "end"]) {
    mine.addEventListener(name, () => {
      if (stream === mine) ask(root);
    });
  }
}

function ask(root) {
  root.dispatchEvent(new CustomEvent("pentathlon:renew", { bubbles: false }));
}

setInterval(() => {
  const root = document.querySelector("[data-play][data-waits]");
  if (root && stream?.readyState !== EventSource.OPEN && !document.hidden) ask(root);
}, ASK_MS);
addEventListener("pagehide", () => stream?.close());

function findMarks(svg) {
  const marks = new Map();
  for (const mark of svg.querySelectorAll(MARKS)) {
    if (!marks.has(nameOf(mark))) marks.set(nameOf(mark), mark);
  }
  return marks;
}

function findActions({ root, marks }) {
  return [...root.querySelectorAll("label[data-touches]")].map((label) => {
    // Nobody can point at something that the drawing does not mark.
    const touches = label.dataset.touches.split("|").filter((name) => marks.has(name));
    const isOrdered = touches.length > 0 && "cell" in marks.get(touches[0]).dataset;
    const text = label.textContent.toLowerCase();
    return { label, input: label.querySelector("input"), text, touches, isOrdered };
  });
}

function nameOf(mark) {
  return mark.dataset.cell ?? mark.dataset.card ?? mark.dataset.mark;
}

/**
 * Return the marks of an action that are left after some were pointed at; null if it has others.
 * From cell to cell the order counts; a card and its cell, or dice, come in any order.
 */
function after({ touches, isOrdered }, names) {
  const fits = (name, at) => (isOrdered ? touches[at] === name : touches.includes(name));
  return names.every(fits) ? touches.filter((name) => !names.includes(name)) : null;
}

/** Point at a mark: go on, confirm, go back to it, begin anew with it, or learn why it is refused. */
function point(table, name) {
  const at = chosen.indexOf(name);
  if (at >= 0 && at === chosen.length - 1 && checked(table)) {
    table.form.requestSubmit();
    return;
  }
  const begins = (names) => table.actions.some((action) => after(action, names));
  const next = at >= 0 ? chosen.slice(0, at) : [[...chosen, name], [name]].find(begins);
  if (!next) {
    table.said.textContent = table.refusals[name] ?? table.asked;
    return;
  }
  chosen = next;
  last = name;
  show(table);
  if (chosen.length && table.svg.querySelector("[data-cell].can")) table.drawer?.removeAttribute("open");
  focusOn(table, last);
}

function takeBack(table) {
  if (chosen.length) last = chosen.pop();
  else for (const { input } of table.actions) input.checked = false;
  show(table);
  if (last) focusOn(table, last);
}

function checked(table) {
  return table.actions.find(({ input }) => input.checked)?.input;
}

/** Show the marks that may be pointed at next, and the actions that are left. */
function show(table) {
  const wanted = table.root.querySelector("[data-filter]").value.toLowerCase().trim();
  const next = new Set();
  const [open, exact] = [[], []];
  for (const action of table.actions) {
    const left = after(action, chosen);
    const isLeft = left !== null && action.text.includes(wanted);
    action.label.hidden = !isLeft;
    action.input.disabled = !isLeft;
    if (!isLeft || chosen.length) action.input.checked = false;
    if (isLeft) open.push(action);
    if (isLeft && !left.length) exact.push(action);
    for (const name of left?.slice(0, action.isOrdered ? 1 : undefined) ?? []) next.add(name);
  }
  // The marks so far may be an action already, even if others begin with the same marks.
  const only = [exact, open].find((actions) => actions.length === 1)?.[0];
  if (chosen.length && only) only.input.checked = true;
  table.root.querySelector("[data-count]").textContent = open.length;
  for (const [name, mark] of table.marks) dress(mark, next.has(name), chosen.includes(name));
  const active = [...next, ...chosen.slice(-1)];
  const first = active.includes(last) ? last : active[0];
  for (const name of active) table.marks.get(name).setAttribute("tabindex", name === first ? 0 : -1);
  tell(table, open.length);
}

/** Say what was chosen, or what is to be chosen. */
function tell(table, count) {
  const input = checked(table);
  const words = input?.nextElementSibling.firstChild.textContent.trim();
  const again = chosen.length ? "Point at it again to move." : "";
  if (input) table.said.textContent = `${words}. ${again}`;
  else if (chosen.length) table.said.textContent = `${chosen.join(", ")}: ${count} actions, point on or choose in the list.`;
  else table.said.textContent = table.asked;
  table.root.querySelector("[data-send]").disabled = !input;
  table.root.querySelector("[data-back]").hidden = !chosen.length && !input;
}

function dress(mark, can, isChosen) {
  mark.querySelector(":scope > .touch")?.remove();
  mark.classList.toggle("can", can);
  for (const name of ["role", "tabindex", "aria-label"]) mark.removeAttribute(name);
  if (!can && !isChosen) return;
  const box = mark.getBBox();
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  frame.setAttribute("class", isChosen ? "touch chosen" : "touch");
  for (const side of ["x", "y", "width", "height"]) frame.setAttribute(side, box[side]);
  frame.setAttribute("rx", 6);
  mark.append(frame);
  mark.setAttribute("role", "button");
  const title = mark.querySelector(":scope > title");
  mark.setAttribute("aria-label", title ? title.textContent : nameOf(mark));
}

function press(table, event) {
  if (event.key === "Escape") {
    event.preventDefault();
    takeBack(table);
    return;
  }
  const mark = event.target.closest(MARKS);
  if (!mark) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    point(table, nameOf(mark));
  } else if (STEPS[event.key]) {
    event.preventDefault();
    const next = nearest(table, mark, STEPS[event.key]);
    if (next) focusOn(table, nameOf(next));
  }
}

/** Return the next mark in a direction, the straighter the better. */
function nearest(table, from, [dx, dy]) {
  const start = middle(from);
  let best = null;
  let least = Infinity;
  for (const mark of table.marks.values()) {
    if (mark === from || !mark.classList.contains("can")) continue;
    const { x, y } = middle(mark);
    const ahead = (x - start.x) * dx + (y - start.y) * dy;
    const aside = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
    if (ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = mark;
    }
  }
  return best;
}

function middle(mark) {
  const box = mark.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

function focusOn(table, name) {
  const mark = table.marks.get(name);
  if (!mark?.hasAttribute("tabindex")) return;
  for (const each of table.svg.querySelectorAll("[tabindex]")) each.setAttribute("tabindex", -1);
  mark.setAttribute("tabindex", 0);
  mark.focus({ preventScroll: true });
  last = name;
}
