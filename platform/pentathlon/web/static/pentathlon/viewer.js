// Steps through a replay in place. Without it, the links load the page at another ply.

import { Stepper, parse } from "./stepper.js";

const SPEEDS = [0.5, 1, 2, 4, 16];
/** How many events the server lists at a time. */
const ROWS = 100;

class Viewer extends Stepper {
  constructor(root) {
    super(root);
    this.movers = root.dataset.movers;
    this.listedSeat = this.seat;
    root.addEventListener("pentathlon:do", (event) => this.do(event.detail));
    root.addEventListener("pentathlon:go", (event) => this.step(event.detail));
    const speed = root.querySelector("[data-speed]");
    speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
    addEventListener("popstate", () => location.reload());
    this.update();
  }

  clicked(event) {
    const row = event.target.closest("[data-row]");
    if (!row) return super.clicked(event);
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.step(Number(row.dataset.row));
  }

  do(what) {
    const actions = {
      "turn-back": () => this.step(this.otherTurn(-1)),
      "turn-forward": () => this.step(this.otherTurn(1)),
      slower: () => this.setSpeed(this.nextSpeed(-1)),
      faster: () => this.setSpeed(this.nextSpeed(1)),
      copy: () => this.copy(),
    };
    if (what in actions) actions[what]();
    else super.do(what);
  }

  async go(ply) {
    const drawn = super.go(ply);
    const address = new URL(location);
    address.searchParams.set("ply", this.ply);
    if (this.seat) address.searchParams.set("seat", this.seat);
    else address.searchParams.delete("seat");
    history.replaceState(null, "", address);
    this.leadOn();
    await drawn;
  }

  /** Let the link to a new game begin with the position that is shown. */
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
    const list = this.hasRow(ply)
      ? null
      : this.part("actions", this.listedFrom(ply)).catch(() => null);
    const [rows] = await Promise.all([list, super.draw()]);
    if (ply !== this.ply || seat !== this.seat) return;
    if (rows) {
      this.listedSeat = seat;
      this.list(rows);
    }
    this.scroll();
  }

  /** Show what happened at a ply, with the points, the hands and the time used there. */
  tell(moment) {
    const hands = moment.querySelector("[data-hands]");
    if (hands) hands.open = this.root.querySelector("[data-moment] [data-hands]")?.open ?? false;
    super.tell(moment);
    const points = moment.dataset.points?.split(",") ?? [];
    for (const place of this.root.querySelectorAll("[data-points-of]")) {
      const score = points[Number(place.dataset.pointsOf)];
      place.textContent = `${score} ${score === "1" ? "point" : "points"}`;
    }
    const used = moment.dataset.used?.split(",") ?? [];
    for (const place of this.root.querySelectorAll("[data-used-of]")) {
      const { usedOf, total } = place.dataset;
      place.textContent = this.ply === this.last ? total : used[Number(usedOf)];
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
    if (this.listedSeat !== this.seat) return false;
    const { first, last } = this.root.querySelector("[data-list]").dataset;
    const wanted = Math.max(1, ply);
    return this.last === 0 || (Number(first) <= wanted && wanted <= Number(last));
  }

  /** The ply by which a part of the list is asked for: the same for all plies in it. */
  listedFrom(ply) {
    return Math.floor(Math.max(0, ply - 1) / ROWS) * ROWS + 1;
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
    super.update();
    const next = this.movers[this.ply];
    for (const seat of this.root.querySelectorAll("[data-place]")) {
      seat.classList.toggle("to-move", seat.dataset.place === next);
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

  nextSpeed(by) {
    const index = SPEEDS.indexOf(this.speed) + by;
    return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index))];
  }

  setSpeed(speed) {
    this.speed = speed;
    this.root.querySelector("[data-speed]").value = String(speed);
    this.say(`${speed} actions a second`);
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
}

document.querySelectorAll("[data-viewer]").forEach((root) => new Viewer(root));
