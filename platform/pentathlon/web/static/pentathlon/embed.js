// Steps through an embedded replay in place. Without it, the links load the frame anew.

import { Stepper } from "./stepper.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", v: "view" };

class Embed extends Stepper {
  constructor(root) {
    super(root);
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

  fetch(address) {
    return fetch(address, { credentials: "omit" });
  }

  announce() {
    const said = this.root.querySelector("[data-moment]").cloneNode(true);
    for (const tip of said.querySelectorAll(".tip")) tip.remove();
    this.say(`ply ${this.ply}: ${(said.querySelector("p") ?? said).textContent}`);
  }
}

document.querySelectorAll("[data-embed]").forEach((root) => new Embed(root));
