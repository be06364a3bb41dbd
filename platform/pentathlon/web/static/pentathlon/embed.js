// Steps through an embedded replay in place. Without it the same links load the frame anew.

const AHEAD = 3;
const KEPT = 32;
const PAUSE_MS = 1000;
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", v: "view" };

class Embed {
  constructor(root) {
    this.root = root;
    this.last = Number(root.dataset.last);
    this.ply = Number(root.dataset.ply);
    this.seats = Number(root.dataset.seats);
    this.seat = root.dataset.seat;
    this.slider = root.querySelector("[data-slider]");
    this.parts = new Map();
    this.timer = null;
    for (const part of root.querySelectorAll("[data-script]")) part.hidden = false;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    root.addEventListener("click", (event) => {
      const control = event.target.closest("[data-do]");
      if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.do(control.dataset.do);
    });
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input") || (event.key === " " && event.target.closest("button, summary"))) return;
    const what = KEYS[event.key];
    if (!what) return;
    event.preventDefault();
    this.do(what);
  }

  do(what) {
    const plies = { first: 0, back: this.ply - 1, forward: this.ply + 1, last: this.last };
    if (what === "play") return this.timer ? this.pause() : this.play();
    this.pause();
    if (what === "view") return this.nextView();
    return this.go(plies[what], true);
  }

  async go(ply, aloud = false) {
    this.ply = Math.max(0, Math.min(this.last, ply));
    this.slider.value = this.ply;
    this.root.querySelector("[data-count]").textContent = `${this.ply} / ${this.last}`;
    for (const part of this.root.querySelectorAll("[data-at-end]")) {
      part.hidden = this.ply !== this.last;
    }
    const wanted = `${this.ply} ${this.seat}`;
    const [board, moment] = await Promise.all([
      this.part("boards", this.ply),
      this.part("moments", this.ply),
    ]);
    if (wanted !== `${this.ply} ${this.seat}`) return;
    const drawing = new DOMParser().parseFromString(board, "image/svg+xml").documentElement;
    this.root.querySelector("[data-board]").replaceChildren(drawing);
    const fresh = new DOMParser().parseFromString(moment, "text/html");
    const told = fresh.querySelector("[data-moment]");
    this.root.querySelector("[data-moment]").replaceWith(told);
    if (aloud) {
      const said = told.querySelector("p").textContent;
      this.root.querySelector("[data-said-here]").textContent = `ply ${this.ply}: ${said}`;
    }
    for (let next = this.ply + 1; next <= Math.min(this.last, this.ply + AHEAD); next += 1) {
      this.part("boards", next);
      this.part("moments", next);
    }
  }

  part(kind, ply) {
    const seat = this.seat ? `&seat=${this.seat}` : "";
    const address = `${this.root.dataset[kind]}?ply=${ply}${seat}`;
    if (!this.parts.has(address)) {
      const text = fetch(address, { credentials: "omit" }).then((answer) => answer.text());
      this.parts.set(address, text);
      text.catch(() => this.parts.delete(address));
      if (this.parts.size > KEPT) this.parts.delete(this.parts.keys().next().value);
    }
    return this.parts.get(address);
  }

  nextView() {
    if (!this.root.querySelector("[data-do=view]")) return;
    const views = ["", ...Array(this.seats).keys()].map(String);
    this.seat = views[(views.indexOf(this.seat) + 1) % views.length];
    const view = this.seat ? `as seat ${this.seat} saw it` : "as a spectator sees it";
    this.root.querySelector("[data-view]").textContent = view;
    this.go(this.ply);
  }

  async play() {
    this.show(true);
    if (this.ply === this.last) await this.go(0);
    const tick = async () => {
      await this.go(this.ply + 1);
      if (this.timer === null) return;
      if (this.ply === this.last) this.pause();
      else this.timer = setTimeout(tick, PAUSE_MS);
    };
    this.timer = setTimeout(tick, PAUSE_MS);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show(false);
  }

  show(playing) {
    const button = this.root.querySelector("[data-do=play]");
    button.querySelector("[data-when=paused]").hidden = playing;
    button.querySelector("[data-when=playing]").hidden = !playing;
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}

document.querySelectorAll("[data-embed]").forEach((root) => new Embed(root));
