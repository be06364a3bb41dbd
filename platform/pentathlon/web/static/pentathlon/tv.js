// Channel Pentathlon: shows the positions of a match when the programme says so. The clock is the
// server's, so all who watch see the same. Without a script, the page shows the present position.

const REEL = 6; // positions that come at once; the server sends no more

class Show {
  constructor(root) {
    this.root = root;
    this.frames = JSON.parse(root.dataset.frames);
    this.begun = performance.now() - 1000 * Number(root.dataset.elapsed);
    this.reels = new Map();
    this.shown = -1;
    if (root.querySelector("[data-chances]")) this.draw();
    this.pause = root.querySelector("[data-pause]");
    this.pause.hidden = false;
    this.pause.addEventListener("click", () => this.turn());
    this.tick();
  }

  turn() {
    this.isPaused = !this.isPaused;
    this.pause.textContent = this.isPaused ? "Go on" : "Pause";
    if (!this.isPaused) this.tick();
  }

  /** Let the line of the chances or points grow with the match. */
  async draw() {
    const { Chances } = await import("./chances.js");
    new Chances(this.root, this.frames[this.due()][0]);
  }

  elapsed() {
    return (performance.now() - this.begun) / 1000;
  }

  due() {
    const at = this.elapsed();
    return Math.max(0, this.frames.findLastIndex(([, starts]) => starts <= at));
  }

  tick() {
    if (this.isPaused || !this.root.isConnected) return;
    const { resultAt, length } = this.root.dataset;
    const at = this.elapsed();
    if (at >= length) {
      this.root.dispatchEvent(new CustomEvent("pentathlon:renew"));
      setTimeout(() => this.tick(), 5000); // if the connection is gone
      return;
    }
    const index = this.due();
    if (index !== this.shown && !document.hidden) this.show(index);
    this.root.querySelector("[data-result]").hidden = at < resultAt;
    const next = this.frames[index + 1]?.[1] ?? (at < resultAt ? resultAt : length);
    setTimeout(() => this.tick(), Math.max(50, Math.min(1000, 1000 * (next - at))));
  }

  async show(index) {
    this.shown = index;
    const number = Math.floor(index / REEL);
    const reel = await this.reel(number);
    if (index % REEL > REEL / 2) this.reel(number + 1);
    const frame = reel?.[index % REEL];
    if (!frame || index !== this.shown || this.isPaused) return;
    const drawing = new DOMParser().parseFromString(frame.board, "image/svg+xml").documentElement;
    this.root.querySelector("[data-board]").replaceChildren(drawing);
    this.root.querySelector("[data-said]").textContent = frame.said;
    this.root.dispatchEvent(new CustomEvent("pentathlon:ply", { detail: frame.ply }));
  }

  /** Return some positions, or null if they cannot be had now. */
  reel(number) {
    const plies = this.frames.slice(number * REEL, (number + 1) * REEL).map(([ply]) => ply);
    if (!plies.length) return null;
    if (!this.reels.has(number)) {
      const found = fetch(`${this.root.dataset.tv}?plies=${plies.join("-")}`)
        .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
        .catch(() => this.reels.delete(number) && null);
      this.reels.set(number, found);
    }
    return this.reels.get(number);
  }
}

const begun = new WeakSet();

function begin() {
  for (const root of document.querySelectorAll("[data-tv]")) {
    if (begun.has(root)) continue;
    begun.add(root);
    new Show(root);
  }
}

document.addEventListener("pentathlon:renewed", begin);
begin();
