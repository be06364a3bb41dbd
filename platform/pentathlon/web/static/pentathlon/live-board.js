// The board of a running match, which follows the end until the reader steps back.
//
// A worker draws a few positions a second, so not every ply has a drawing. The drawings that have
// come stay, and the reader steps from one to the next.

const KEPT = 300; // drawings; one is 15 to 40 kB
const KEYS = {
  ArrowLeft: "back",
  k: "back",
  ArrowRight: "forward",
  j: "forward",
  Home: "first",
  End: "live",
  l: "live",
};

const boards = new WeakMap();

class LiveBoard {
  constructor(root) {
    this.root = root;
    this.list = root.querySelector("[data-live-list]");
    this.begin(0);
    root.addEventListener("click", (event) => this.clicked(event));
    root.querySelector("[data-live-controls]").hidden = false;
  }

  begin(attempt) {
    this.attempt = attempt;
    this.drawings = new Map(); // by ply
    this.last = 0;
    this.shown = 0;
    this.isLive = true;
    this.list.replaceChildren();
  }

  /** Take an event of the stream. */
  take(data) {
    if (data.attempt !== this.attempt) this.begin(data.attempt);
    this.drawings.set(data.ply, { svg: data.svg, mover: data.to_move });
    if (this.drawings.size > KEPT) this.forget(this.drawings.keys().next().value);
    this.last = data.ply;
    this.addRows(data);
    this.showClocks(data);
    if (this.isLive) this.shown = data.ply;
    this.show();
  }

  forget(ply) {
    this.drawings.delete(ply);
    this.row(ply)?.setAttribute("disabled", "");
  }

  /** The match is over: go on to its replay, unless the reader looks at something. */
  end(goOn) {
    if (this.isLive) return goOn();
    const button = this.root.querySelector("[data-live-do=live]");
    button.lastChild.textContent = "Match over: see the replay";
    this.goOn = goOn;
  }

  clicked(event) {
    const control = event.target.closest("[data-live-do]");
    const row = event.target.closest("[data-live-row]");
    if (control) this.do(control.dataset.liveDo);
    else if (row) this.go(Number(row.dataset.liveRow));
  }

  do(what) {
    const plies = [...this.drawings.keys()];
    const actions = {
      first: () => this.go(plies[0]),
      back: () => this.go(plies.findLast((ply) => ply < this.shown)),
      forward: () => this.go(plies.find((ply) => ply > this.shown)),
      live: () => this.follow(),
    };
    actions[what]?.();
  }

  go(ply) {
    if (ply === undefined || !this.drawings.has(ply)) return;
    if (ply === this.last && !this.goOn) {
      this.follow();
      return;
    }
    this.isLive = false;
    this.shown = ply;
    this.show();
    const row = this.row(ply);
    row?.scrollIntoView({ block: "nearest" });
    this.say(row ? row.dataset.said : `ply ${ply}`);
  }

  follow() {
    const hadFocus = this.root.querySelector("[data-live-do=live]") === document.activeElement;
    this.isLive = true;
    if (this.goOn) {
      this.goOn();
      return;
    }
    this.shown = this.last;
    this.show();
    this.list.scrollTop = this.list.scrollHeight;
    this.say("Live");
    // The button disappears, and would take the focus with it.
    if (hadFocus) this.root.querySelector("[data-live-do=back]").focus();
  }

  show() {
    const { svg, mover } = this.drawings.get(this.shown) ?? {};
    const isNew = this.drawn !== svg;
    if (svg && isNew) {
      const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
      this.root.querySelector("[data-live-board]").replaceChildren(drawing);
      this.drawn = svg;
    }
    for (const place of this.root.querySelectorAll("[data-place]")) {
      place.classList.toggle("to-move", Number(place.dataset.place) === mover);
    }
    for (const row of this.list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    this.row(this.shown)?.setAttribute("aria-current", "true");
    const count = this.isLive ? `ply ${this.last}` : `ply ${this.shown} of ${this.last}`;
    this.root.querySelector("[data-live-count]").textContent = count;
    this.root.querySelector("[data-live-do=live]").hidden = this.isLive;
  }

  row(ply) {
    return this.list.querySelector(`[data-live-row="${ply}"]`);
  }

  showClocks(data) {
    for (const place of this.root.querySelectorAll("[data-place]")) {
      const seat = Number(place.dataset.place);
      place.querySelector("[data-used]").textContent = (data.cpu_ms[seat] / 1000).toFixed(1);
      place.querySelector("[data-limit]").textContent = data.limit_ms / 1000;
      place.querySelector(".used").hidden = false;
    }
  }

  addRows(data) {
    const { list } = this;
    const follows = this.isLive && list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
    data.events.forEach(([seat, text, cpuMs], index) => {
      const ply = data.first + index + 1;
      if (ply <= list.children.length) return;
      const isDrawn = ply === data.ply;
      const row = document.createElement(isDrawn ? "button" : "div");
      row.className = "ply";
      const mark = this.root.querySelector(`[data-place="${seat}"] svg`);
      const time = seat < 0 ? "" : `${(cpuMs / 1000).toFixed(2)} s`;
      const said = data.said?.[index];
      const words = part(said ?? text);
      row.append(part(ply), mark ? mark.cloneNode(true) : part(""), words, part(time));
      if (seat < 0) words.className = "chance";
      else if (said) addNotation(words, text);
      if (isDrawn) {
        row.type = "button";
        row.dataset.liveRow = ply;
        row.dataset.said = `ply ${ply}: ${said ?? text}`;
      }
      list.appendChild(document.createElement("li")).append(row);
    });
    if (follows) list.scrollTop = list.scrollHeight;
  }

  say(sentence) {
    this.root.querySelector("[data-live-said]").textContent = sentence;
  }
}

/** Put the action beside its words, as the rules write it. */
function addNotation(words, text) {
  const notation = document.createElement("code");
  notation.textContent = text;
  words.append(" ", notation);
}

function part(text) {
  const span = document.createElement("span");
  span.textContent = text;
  return span;
}

function boardOf(root) {
  if (!boards.has(root)) boards.set(root, new LiveBoard(root));
  return boards.get(root);
}

document.addEventListener("pentathlon:plies", ({ target, detail }) => boardOf(target).take(detail));
document.addEventListener("pentathlon:end", ({ target, detail }) => boardOf(target).end(detail));

// A page that goes on by itself waits while the reader looks back.
document.addEventListener("pentathlon:renewing", (event) => {
  const root = document.querySelector("[data-live-viewer]");
  const board = root && boards.get(root);
  if (board && !board.isLive && event.target.matches("#match-state, [data-live-next]")) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const root = document.querySelector("[data-live-viewer]:not([hidden])");
  if (!root || event.ctrlKey || event.metaKey || event.altKey) return;
  if (localStorage.getItem("viewer-keys") === "off") return;
  if (document.activeElement.matches("input, select, textarea")) return;
  const what = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!what) return;
  event.preventDefault();
  boardOf(root).do(what);
});
