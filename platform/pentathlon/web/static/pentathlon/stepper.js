// The common part of all replays that step in place: fetch, draw, play, change the view.

const AHEAD = 3;
const KEPT = 64;

export class Stepper {
  constructor(root) {
    this.root = root;
    this.last = Number(root.dataset.last);
    this.ply = Number(root.dataset.ply);
    this.seats = Number(root.dataset.seats);
    this.seat = root.dataset.seat;
    this.slider = root.querySelector("[data-slider]");
    this.parts = new Map();
    this.speed = 1;
    this.timer = null;
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    root.addEventListener("click", (event) => this.clicked(event));
    for (const part of root.querySelectorAll("[data-script]")) part.hidden = false;
  }

  clicked(event) {
    const control = event.target.closest("[data-do]");
    if (event.ctrlKey || event.metaKey || event.shiftKey || !control) return;
    event.preventDefault();
    this.do(control.dataset.do);
  }

  do(what) {
    const actions = {
      first: () => this.step(0),
      back: () => this.step(this.ply - 1),
      forward: () => this.step(this.ply + 1),
      last: () => this.step(this.last),
      play: () => (this.timer ? this.pause() : this.play()),
      view: () => this.nextView(),
    };
    actions[what]?.();
  }

  /** Go to a ply by hand: stop playing and say what happened there. */
  async step(ply) {
    this.pause();
    await this.go(ply);
    this.announce();
  }

  async go(ply) {
    this.ply = Math.max(0, Math.min(this.last, ply));
    this.update();
    await this.draw();
  }

  /** Show the number of the ply, whether or not it is drawn yet. */
  update() {
    this.slider.value = this.ply;
    this.root.querySelector("[data-count]").textContent = `${this.ply} / ${this.last}`;
    for (const part of this.root.querySelectorAll("[data-at-end]")) {
      part.hidden = this.ply !== this.last;
    }
  }

  async draw() {
    const { ply, seat } = this;
    const parts = Promise.all([this.part("boards", ply), this.part("moments", ply)]);
    const [board, moment] = await parts.catch(() => [null, null]);
    if (ply !== this.ply || seat !== this.seat) return;
    if (board === null) {
      const sentence = `Ply ${ply} could not be loaded. Go to it again in a moment.`;
      this.root.querySelector("[data-moment]").textContent = sentence;
      return;
    }
    const drawing = new DOMParser().parseFromString(board, "image/svg+xml").documentElement;
    this.root.querySelector("[data-board]").replaceChildren(drawing);
    this.describe(drawing);
    this.tell(parse(moment).querySelector("[data-moment]"));
    for (let next = ply + 1; next <= Math.min(this.last, ply + AHEAD); next += 1) {
      this.part("boards", next);
      this.part("moments", next);
    }
  }

  /** List what the drawing says of its parts, for people who do not see it. */
  describe(drawing) {
    const parts = [...drawing.querySelectorAll("title")].slice(1).map((part) => part.textContent);
    const rows = parts.filter((part) => !part.endsWith("empty")).map((part) => {
      const row = document.createElement("li");
      row.textContent = part;
      return row;
    });
    this.root.querySelector("[data-position] ul")?.replaceChildren(...rows);
  }

  /** Show what happened at a ply. */
  tell(moment) {
    this.root.querySelector("[data-moment]").replaceWith(moment);
  }

  part(kind, ply) {
    const address = `${this.root.dataset[kind]}?ply=${ply}${this.seat ? `&seat=${this.seat}` : ""}`;
    if (!this.parts.has(address)) {
      const text = this.fetch(address).then((answer) => {
        if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
        return answer.text();
      });
      this.parts.set(address, text);
      text.catch(() => this.parts.delete(address));
      if (this.parts.size > KEPT) this.parts.delete(this.parts.keys().next().value);
    }
    return this.parts.get(address);
  }

  fetch(address) {
    return fetch(address);
  }

  async play() {
    this.showPlaying(true);
    const wait = (work) => {
      clearTimeout(this.timer);
      this.timer = setTimeout(work, 1000 / this.speed);
    };
    const tick = async () => {
      await this.go(this.ply + 1);
      if (this.timer === null) return;
      if (this.ply === this.last) this.pause();
      else wait(tick);
    };
    wait(tick);
    if (this.ply === this.last) await this.go(0);
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

  /** Change to the view of the next seat, or after the last seat to a spectator's, if allowed. */
  nextView() {
    if (!this.root.querySelector("[data-do=view]")) return;
    const views = ["", ...Array(this.seats).keys()].map(String);
    this.seat = views[(views.indexOf(this.seat) + 1) % views.length];
    const view = this.seat ? `as seat ${this.seat} saw it` : "as a spectator sees it";
    this.root.querySelector("[data-view]").textContent = view;
    this.go(this.ply);
    this.say(view);
  }

  say(sentence) {
    this.root.querySelector("[data-said-here]").textContent = sentence;
  }
}

export function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}
