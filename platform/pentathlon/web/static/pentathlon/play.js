// Lets a person point at the board instead of reading the list of actions.
//
// When a bot has moved, or the person in another tab, the stream says so and the board changes.
// Without a stream, the page asks each second while a bot is to move.
//
// Each action says which cells and cards it touches, in order. Pointing narrows the list; what the
// board cannot tell apart is left in the list. Without this script the list works alone.

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
  for (const part of form.querySelectorAll("[data-script], [data-hint]")) part.hidden = false;
  const svg = root.querySelector("[data-board] svg");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "The board: choose a cell or a card");
  const table = { root, form, svg, marks: findMarks(svg), actions: findActions(form) };
  for (const action of table.actions) {
    // Nobody can point at something that the drawing does not mark.
    action.touches = action.touches.filter((name) => table.marks.has(name));
  }
  svg.addEventListener("click", (event) => {
    const mark = event.target.closest(MARKS);
    if (mark?.classList.contains("can")) point(table, nameOf(mark));
  });
  svg.addEventListener("keydown", (event) => press(table, event));
  form.querySelector("[data-filter]").addEventListener("input", () => show(table));
  form.querySelector("[data-back]").addEventListener("click", () => takeBack(table));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") takeBack(table);
  });
  show(table);
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

function findActions(form) {
  return [...form.querySelectorAll("label[data-touches]")].map((label) => ({
    label,
    input: label.querySelector("input"),
    text: label.textContent.toLowerCase(),
    touches: label.dataset.touches.split("|").filter(Boolean),
  }));
}

function nameOf(mark) {
  return mark.dataset.cell ?? mark.dataset.card ?? mark.dataset.mark;
}

/** Return the actions that begin with everything that was pointed at. */
function left(table) {
  return table.actions.filter((action) => chosen.every((name, at) => action.touches[at] === name));
}

function point(table, name) {
  chosen.push(name);
  last = name;
  const actions = left(table);
  if (actions.length === 1 && actions[0].touches.length === chosen.length) {
    actions[0].input.checked = true;
    table.form.requestSubmit();
    return;
  }
  show(table);
  const goesOn = actions.some((action) => action.touches.length > chosen.length);
  if (goesOn) focusOn(table, last);
  else actions[0].input.focus();
}

function takeBack(table) {
  if (chosen.length) last = chosen.pop();
  show(table);
  if (last) focusOn(table, last);
}

/** Show the marks that may be pointed at next, and the actions that are left. */
function show(table) {
  const actions = left(table);
  const next = new Set(actions.map((action) => action.touches[chosen.length]).filter(Boolean));
  const wanted = table.form.querySelector("[data-filter]").value.toLowerCase().trim();
  let count = 0;
  for (const action of table.actions) {
    const isLeft = actions.includes(action) && action.text.includes(wanted);
    action.label.hidden = !isLeft;
    action.input.disabled = !isLeft;
    if (!isLeft) action.input.checked = false;
    count += isLeft;
  }
  // The marks so far may be an action already, even if others begin with the same marks.
  const exact = actions.filter((action) => action.touches.length === chosen.length);
  if (chosen.length && exact.length === 1 && !exact[0].input.disabled) exact[0].input.checked = true;
  table.form.querySelector("[data-count]").textContent = count;
  table.form.querySelector("[data-back]").hidden = !chosen.length;
  for (const [name, mark] of table.marks) dress(mark, next.has(name), chosen.includes(name));
  const open = [...next];
  const first = open.includes(last) ? last : open[0];
  for (const name of open) table.marks.get(name).setAttribute("tabindex", name === first ? 0 : -1);
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
  if (!can) return;
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
  const mark = event.target.closest(".can");
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
  if (!mark?.classList.contains("can")) return;
  for (const each of table.svg.querySelectorAll(".can")) each.setAttribute("tabindex", -1);
  mark.setAttribute("tabindex", 0);
  mark.focus();
  last = name;
}
