// The line of win chances or points over the slider of a replay: it shows no more than the reader has seen.

/** The pause between two requests for a curve that is not computed yet. */
const ASK_MS = 5000;

export class Chances {
  constructor(viewer, ply) {
    this.viewer = viewer;
    this.root = viewer.querySelector("[data-chances]");
    this.ply = ply;
    this.last = Number(viewer.dataset.last);
    this.points = JSON.parse(this.root.dataset.facts);
    this.marks = [...this.root.querySelectorAll("[data-mark]")].map((mark) => Number(mark.dataset.mark));
    this.isWhole = this.root.dataset.whole === "1";
    viewer.addEventListener("pentathlon:ply", (event) => this.show(event.detail));
    viewer.addEventListener("pentathlon:do", (event) => this.do(event.detail));
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.show(this.ply);
  }

  clicked(event) {
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    const control = event.target.closest("[data-do]");
    if (control && !isElsewhere) this.do(control.dataset.do);
  }

  do(what) {
    const actions = {
      "mark-back": () => this.go(this.otherMark(-1)),
      "mark-forward": () => this.go(this.otherMark(1)),
      whole: () => this.reveal(),
    };
    actions[what]?.();
  }

  go(ply) {
    this.viewer.dispatchEvent(new CustomEvent("pentathlon:go", { detail: ply }));
  }

  /** Show the curve up to the viewer's ply, or all of it once the end has been reached. */
  show(ply) {
    const { last } = this;
    this.ply = ply;
    this.isWhole ||= ply === last;
    const x = last ? (1000 * ply) / last : 0;
    const curtain = this.root.querySelector("[data-curtain]");
    curtain.setAttribute("x", x);
    curtain.setAttribute("width", 1000 - x);
    display(curtain, !this.isWhole);
    const here = this.root.querySelector("[data-here]");
    here.setAttribute("x1", x);
    here.setAttribute("x2", x);
    for (const mark of this.root.querySelectorAll("[data-mark]")) {
      display(mark, this.tells(mark.dataset.mark));
    }
    for (const words of this.root.querySelectorAll("[data-mark-words]")) {
      words.hidden = !this.tells(words.dataset.markWords);
    }
    for (const whole of this.root.querySelectorAll("[data-do=whole]")) whole.hidden = this.isWhole;
    for (const part of this.viewer.querySelectorAll("[data-told]")) part.hidden = !this.isWhole;
    this.at(ply).forEach(([percent, spread], seat) => {
      const words = `${percent}${this.root.dataset.unit}${spread ? ` ± ${spread}` : ""}`;
      this.root.querySelector(`[data-chance-of="${seat}"]`).textContent = words;
    });
  }

  tells(ply) {
    return this.isWhole || Number(ply) <= this.ply;
  }

  reveal() {
    this.isWhole = true;
    this.show(this.ply);
  }

  /** The ply of the previous or next blunder or turning point; this ply if there is none. */
  otherMark(direction) {
    const marks = this.marks.filter((ply) => (ply - this.ply) * direction > 0);
    return marks.length ? marks.at(direction > 0 ? 0 : -1) : this.ply;
  }

  /** Chances and intervals of all seats; between two measured plies the curve is straight. */
  at(ply) {
    const right = this.points.findIndex(([measured]) => measured >= ply);
    const [after, before] = [this.points.at(right), this.points.at(Math.max(0, right - 1))];
    const span = after[0] - before[0];
    const part = span ? (ply - before[0]) / span : 1;
    const mix = (kind, seat) => Math.round(before[kind][seat] + part * (after[kind][seat] - before[kind][seat]));
    return after[1].map((_, seat) => [mix(1, seat), mix(2, seat)]);
  }
}

function display(part, isShown) {
  if (isShown) part.removeAttribute("display");
  else part.setAttribute("display", "none");
}

/** Ask for the curve until a worker has computed it, then put it around the slider. */
async function wait(viewer, note) {
  const { chancesAt } = note.dataset;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    if (document.hidden) continue;
    const address = new URL(location);
    const answer = await fetch(`${chancesAt}${address.search}`).catch(() => null);
    if (answer?.status === 404) return;  // it will not come
    if (answer?.status === 200) return put(viewer, note, await answer.text());
  }
}

function put(viewer, note, html) {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("[data-chances]");
  const slide = viewer.querySelector("[data-slide]");
  const points = viewer.querySelector("[data-chances]"); // their line makes room
  (points ?? slide).before(fresh);
  fresh.querySelector("[data-slide-here]").replaceWith(slide);
  points?.remove();
  note.textContent = "The win chances are ready.";
  new Chances(viewer, Number(viewer.querySelector("[data-slider]").value));
}

for (const viewer of document.querySelectorAll("[data-viewer]")) {
  const note = viewer.querySelector("[data-chances-at]");
  if (note) wait(viewer, note);
  if (viewer.querySelector("[data-chances]")) new Chances(viewer, Number(viewer.dataset.ply));
}
