// Steps through a replay in place. Without it the same links load the page at another ply.

const AHEAD = 3;
const KEPT = 64;
const SPEEDS = [0.5, 1, 2, 4];
/** So many events the server lists at a time. */
const ROWS = 100;

class Viewer {
  constructor(root) {
    this.root = root;
    this.last = Number(root.dataset.last);
    this.ply = Number(root.dataset.ply);
    this.seats = Number(root.dataset.seats);
    this.seat = root.dataset.seat;
    this.movers = root.dataset.movers;
    this.slider = root.querySelector("[data-slider]");
    this.parts = new Map();
    this.speed = 1;
    this.timer = null;
    this.listen();
    this.reveal();
    this.update();
  }

  listen() {
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("pentathlon:do", (event) => this.do(event.detail));
    this.root.addEventListener("pentathlon:go", (event) => this.step(event.detail));
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
  async step(ply) {
    this.pause();
    await this.go(ply);
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
    this.leadOn();
    await this.draw();
  }

  /** Let the link to a game of one's own begin with the position that is shown. */
  leadOn() {
    const link = this.root.querySelector("[data-play-on]");
    if (!link) return;
    const target = new URL(link.href);
    target.searchParams.set("ply", this.ply);
    link.href = target.href;
    link.hidden = this.ply === this.last;
  }

  async draw() {
    const { ply, seat } = this;
    const list = this.hasRow(ply) ? null : this.part("actions", this.listedFrom(ply));
    const [board, moment, rows] = await Promise.all([
      this.part("boards", ply),
      this.part("moments", ply),
      list,
    ]);
    if (ply !== this.ply || seat !== this.seat) return;
    const drawing = new DOMParser().parseFromString(board, "image/svg+xml").documentElement;
    this.root.querySelector("[data-board]").replaceChildren(drawing);
    this.tell(moment);
    if (rows) this.list(rows);
    for (let next = ply + 1; next <= Math.min(this.last, ply + AHEAD); next += 1) {
      this.part("boards", next);
      this.part("moments", next);
    }
  }

  /** Show what happened at a ply, with the points and the hands there. */
  tell(moment) {
    const old = this.root.querySelector("[data-moment]");
    const fresh = parse(moment).querySelector("[data-moment]");
    const hands = fresh.querySelector("[data-hands]");
    if (hands) hands.open = old.querySelector("[data-hands]")?.open ?? false;
    old.replaceWith(fresh);
    const points = fresh.dataset.points?.split(",") ?? [];
    for (const place of this.root.querySelectorAll("[data-points-of]")) {
      place.textContent = points[Number(place.dataset.pointsOf)];
    }
  }

  /** Show other rows of a long match. */
  list(rows) {
    const old = this.root.querySelector("[data-part]");
    const hadFocus = old.contains(document.activeElement);
    old.replaceWith(parse(rows).querySelector("[data-part]"));
    this.update();
    if (hadFocus) this.row()?.focus();
  }

  hasRow(ply) {
    const { first, last } = this.root.querySelector("[data-list]").dataset;
    const wanted = Math.max(1, ply);
    return this.last === 0 || (Number(first) <= wanted && wanted <= Number(last));
  }

  /** The ply by which a part of the list is asked for: the same for all plies in it. */
  listedFrom(ply) {
    return Math.floor(Math.max(0, ply - 1) / ROWS) * ROWS + 1;
  }

  part(kind, ply) {
    const address = this.address(this.root.dataset[kind], ply);
    if (!this.parts.has(address)) {
      const text = fetch(address).then((answer) => answer.text());
      this.parts.set(address, text);
      text.catch(() => this.parts.delete(address));
      if (this.parts.size > KEPT) this.parts.delete(this.parts.keys().next().value);
    }
    return this.parts.get(address);
  }

  address(start, ply) {
    return `${start}?ply=${ply}${this.seat ? `&seat=${this.seat}` : ""}`;
  }

  /** The row of the ply, if it is listed. */
  row() {
    return this.root.querySelector(`[data-list] [data-row="${this.ply}"]`);
  }

  update() {
    const list = this.root.querySelector("[data-list]");
    const hadFocus = list.contains(document.activeElement);
    const row = this.row();
    const entry = row ?? list.querySelector("[data-row]");
    for (const other of list.querySelectorAll("[aria-current], [tabindex='0'], a:not([tabindex])")) {
      other.removeAttribute("aria-current");
      other.tabIndex = -1;
    }
    row?.setAttribute("aria-current", "true");
    if (entry) entry.tabIndex = 0;
    if (hadFocus) row?.focus({ preventScroll: true });
    this.slider.value = this.ply;
    this.root.querySelector("[data-count]").textContent = `${this.ply} / ${this.last}`;
    const next = this.movers[this.ply];
    for (const seat of this.root.querySelectorAll("[data-place]")) {
      seat.classList.toggle("to-move", seat.dataset.place === next);
    }
    for (const part of this.root.querySelectorAll("[data-at-end]")) {
      part.hidden = this.ply !== this.last;
    }
    this.root.dispatchEvent(new CustomEvent("pentathlon:ply", { detail: this.ply }));
    this.scroll();
  }

  /** Bring the current row into view inside its list only. */
  scroll() {
    const row = this.row();
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
    this.root.querySelector("[data-list]").dataset.last = -1;  // listed for another view
    const view = this.seat ? `as seat ${this.seat} saw it` : "as a spectator sees it";
    this.root.querySelector("[data-view]").textContent = view;
    this.go(this.ply);
    this.say(view);
  }

  /** The nearest ply, before or after, at which another seat had acted. */
  otherTurn(direction) {
    const at = (ply) => this.movers[ply - 1];
    const here = at(this.ply);
    let ply = this.ply + direction;
    while (ply > 0 && ply < this.last && (at(ply) === here || at(ply) === "c")) ply += direction;
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
    this.say(this.row()?.dataset.said ?? "Start position");
  }

  say(sentence) {
    this.root.querySelector("[data-said-here]").textContent = sentence;
  }
}

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

document.querySelectorAll("[data-viewer]").forEach((root) => new Viewer(root));
