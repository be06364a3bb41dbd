
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const board = document.getElementById("board");
const slider = document.getElementById("ply");
const says = document.getElementById("says");
const list = document.getElementById("events");
const viewButton = document.getElementById("view");
const last = data.events.length - 1;
const rows = new Map([...list.querySelectorAll("li[value]")].map((row) => [row.value, row]));
const boards = data.boards.map((changes) => {
  let board = [];
  return changes.map((change) => {
    if (change[0] === -1) return (board = change.slice(1));
    board = board.slice();
    for (let at = 0; at < change.length; at += 2) board[change[at]] = change[at + 1];
    return board;
  });
});
let ply = last;
let view = 0;
let timer = 0;
let perSecond = 1;

function show(to, isPlaying = false) {
  rows.get(ply)?.classList.remove("now");
  ply = Math.min(Math.max(to, 0), last);
  board.innerHTML = boards[view][ply].map((piece) => data.pieces[piece]).join("");
  slider.value = String(ply);
  says.setAttribute("aria-live", isPlaying ? "off" : "polite");
  says.textContent = `ply ${ply} of ${last}: ${data.events[ply]}`;
  const row = rows.get(ply);
  if (row) {
    row.classList.add("now");
    list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
  history.replaceState(null, "", `#ply=${ply}`);
  viewButton.textContent = data.views[view];
}

function turn(step) {
  let to = ply + step;
  while (to > 0 && to < last && (data.movers[to] < 0 || data.movers[to] === data.movers[ply])) to += step;
  show(to);
}

function pause() {
  clearInterval(timer);
  timer = 0;
}

function play() {
  pause();
  if (ply === last) show(0);
  timer = setInterval(() => (ply === last ? pause() : show(ply + 1, true)), 1000 / perSecond);
}

function pace(factor) {
  perSecond = Math.min(Math.max(perSecond * factor, 0.5), 16);
  if (timer) play();
}

function changeView() {
  view = (view + 1) % boards.length;
  show(ply);
}

const actions = {
  first: () => show(0),
  back: () => show(ply - 1),
  forward: () => show(ply + 1),
  last: () => show(last),
  play: () => (timer ? pause() : play()),
  view: changeView,
};
const keys = {
  ArrowLeft: actions.back, k: actions.back, ArrowRight: actions.forward, j: actions.forward,
  ArrowUp: () => turn(-1), ArrowDown: () => turn(1), Home: actions.first, End: actions.last,
  " ": actions.play, ",": () => pace(0.5), ".": () => pace(2), v: actions.view, V: actions.view,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  if (event.key === " " && event.target instanceof HTMLButtonElement) return;
  event.preventDefault();
  keys[event.key]();
});
document.getElementById("controls").addEventListener("click", (event) => {
  actions[event.target.dataset.do]?.();
});
slider.addEventListener("input", () => show(Number(slider.value)));
document.getElementById("controls").hidden = false;
viewButton.hidden = boards.length < 2;
const asked = /ply=(\d+)/.exec(location.hash);
show(asked ? Number(asked[1]) : 0);
