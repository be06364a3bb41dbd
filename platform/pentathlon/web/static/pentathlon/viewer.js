// Steps through a replay in place. Without it the same links load the page at another ply.

const AHEAD = 3;
const KEPT = 64;
const SPEEDS = [0.5, 1, 2, 4];

class Viewer {
  constructor(root) {
    this.root = root;
    this.last = Number(root.dataset.last);
    this.ply = Number(root.dataset.ply);
    this.seats = Number(root.dataset.seats);
    this.seat = root.dataset.seat;
    this.rows = [...root.querySelectorAll("[data-row]")];
    this.slider = root.querySelector("[data-slider]");
    this.boards = new Map();
    this.speed = 1;
    this.timer = null;
    this.listen();
    this.reveal();
    this.update();
  }

  listen() {
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("pentathlon:do", (event) => this.do(event.detail));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const speed = this.root.querySelector("[data-speed]");
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    addEventListener("popstate", () => location.reload());
  }

  reveal() {
    for (const part of this.root.querySelectorAll("[data-script]")) part.hidden = false;
  }

  clicked(event) {
    const control = event.target.closest("[data-do]");
    const row = event.target.closest("[data-row]");
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(control || row)) return;
    event.preventDefault();
    if (row) this.step(Number(row.dataset.row));
    else this.do(control.dataset.do);
  }

  do(what) {
    const actions = {
      first: () => this.step(0),
      back: () => this.step(this.ply - 1),
      forward: () => this.step(this.ply + 1),
      last: () => this.step(this.last),
      "turn-back": () => this.step(this.otherTurn(-1)),
      "turn-forward": () => this.step(this.otherTurn(1)),
      play: () => (this.timer ? this.pause() : this.play()),
      slower: () => this.setSpeed(this.nextSpeed(-1)),
      faster: () => this.setSpeed(this.nextSpeed(1)),
      view: () => this.nextView(),
      copy: () => this.copy(),
    };
    actions[what]?.();
  }

  /** Go to a ply by hand: stops playing and says what happened there. */
  step(ply) {
    this.pause();
    this.go(ply);
    this.announce();
  }

  async go(ply) {
    this.ply = Math.max(0, Math.min(this.last, ply));
    this.update();
    const address = new URL(location);
    address.searchParams.set("ply", this.ply);
    if (this.seat) address.searchParams.set("seat", this.seat);
    else address.searchParams.delete("seat");
    history.replaceState(null, "", address);
    await this.draw();
  }

  async draw() {
    const wanted = this.address(this.ply);
    const text = await this.board(wanted);
    if (wanted !== this.address(this.ply)) return;
    const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    this.root.querySelector("[data-board]").replaceChildren(drawing);
    for (let next = this.ply + 1; next <= Math.min(this.last, this.ply + AHEAD); next += 1) {
      this.board(this.address(next));
    }
  }

  board(address) {
    if (!this.boards.has(address)) {
      this.boards.set(address, fetch(address).then((answer) => answer.text()));
      if (this.boards.size > KEPT) this.boards.delete(this.boards.keys().next().value);
    }
    return this.boards.get(address);
  }

  address(ply) {
    return `${this.root.dataset.boards}?ply=${ply}${this.seat ? `&seat=${this.seat}` : ""}`;
  }

  update() {
    for (const row of this.rows) {
      if (Number(row.dataset.row) === this.ply) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    this.slider.value = this.ply;
    this.root.querySelector("[data-count]").textContent = `${this.ply} / ${this.last}`;
    const next = this.rows.find((row) => Number(row.dataset.row) === this.ply + 1);
    for (const seat of this.root.querySelectorAll("[data-place]")) {
      seat.classList.toggle("to-move", seat.dataset.place === next?.dataset.by);
    }
    this.scroll();
  }

  /** Bring the current row into view inside its list only. */
  scroll() {
    const row = this.root.querySelector("[data-row][aria-current]");
    const list = this.root.querySelector("[data-list]");
    if (!row) return list.scrollTo(0, 0);
    const box = row.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (box.top < frame.top) list.scrollTop -= frame.top - box.top;
    if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
  }

  play() {
    if (this.ply === this.last) this.go(0);
    this.showPlaying(true);
    const tick = async () => {
      await this.go(this.ply + 1);
      if (this.timer === null) return;
      if (this.ply === this.last) this.pause();
      else this.timer = setTimeout(tick, 1000 / this.speed);
    };
    this.timer = setTimeout(tick, 1000 / this.speed);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.showPlaying(false);
  }

  showPlaying(playing) {
    const button = this.root.querySelector("[data-do=play]");
    button.querySelector("[data-when=paused]").hidden = playing;
    button.querySelector("[data-when=playing]").hidden = !playing;
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  nextSpeed(by) {
    const index = SPEEDS.indexOf(this.speed) + by;
    return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index))];
  }

  setSpeed(speed) {
    this.speed = speed;
    this.root.querySelector("[data-speed]").value = String(speed);
    this.say(`${speed} actions a second`);
  }

  nextView() {
    if (!this.root.querySelector("[data-do=view]")) return;
    const views = ["", ...Array(this.seats).keys()].map(String);
    this.seat = views[(views.indexOf(this.seat) + 1) % views.length];
    const view = this.seat ? `as seat ${this.seat} saw it` : "as a spectator sees it";
    this.root.querySelector("[data-view]").textContent = view;
    this.go(this.ply);
    this.say(view);
  }

  /** The nearest ply, before or after, at which another seat had acted. */
  otherTurn(direction) {
    const at = (ply) => this.rows.find((row) => Number(row.dataset.row) === ply)?.dataset.by;
    const here = at(this.ply);
    let ply = this.ply + direction;
    while (ply > 0 && ply < this.last && (at(ply) === here || at(ply) === "-1")) ply += direction;
    return ply;
  }

  async copy() {
    const address = new URL(location);
    address.searchParams.set("ply", this.ply);
    await navigator.clipboard.writeText(address.href);
    const detail = `Link to ply ${this.ply} copied.`;
    document.dispatchEvent(new CustomEvent("pentathlon:say", { detail }));
  }

  announce() {
    const row = this.root.querySelector("[data-row][aria-current]");
    this.say(row ? row.dataset.said : "Start position");
  }

  say(sentence) {
    this.root.querySelector("[data-said-here]").textContent = sentence;
  }
}

document.querySelectorAll("[data-viewer]").forEach((root) => new Viewer(root));
