// Times in the reader's own zone, with UTC beside them. Without it, pages show UTC.

const MONTHS = [
  "January", "February", "March", "April", "May", "June",
  "July", "August", "September", "October", "November", "December",
];
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Put the reader's time before each time in UTC that does not have it yet. */
function show() {
  for (const time of document.querySelectorAll("time[data-at]")) {
    delete time.dataset.at;
    const moment = new Date(time.dateTime);
    if (moment.getTimezoneOffset() === 0) continue;
    const utc = time.textContent;
    const parts = utc.match(/^(?:(\d+) (\w+)( \d{4})?, )?\d+:\d+(:\d+)? UTC$/);
    if (!parts) continue;
    const [, day, month, year, seconds] = parts;
    const beside = document.createElement("small");
    beside.className = "utc";
    beside.textContent = Number(day ?? moment.getDate()) === moment.getDate() ? utc.split(", ").at(-1) : utc;
    const own = day ? `${dayOf(moment, month, year)}, ${clock(moment, seconds)}` : clock(moment, seconds);
    time.replaceChildren(own, " ", beside);
    time.title = zone;
  }
}

/** Return the day as the server writes it: with a month as long as its own, with or without a year. */
function dayOf(moment, month, year) {
  const name = MONTHS[moment.getMonth()];
  return `${moment.getDate()} ${month.length === 3 ? name.slice(0, 3) : name}${year ? ` ${moment.getFullYear()}` : ""}`;
}

function clock(moment, seconds) {
  const figures = [moment.getHours(), moment.getMinutes(), ...(seconds ? [moment.getSeconds()] : [])];
  return figures.map((figure) => String(figure).padStart(2, "0")).join(":");
}

show();
document.addEventListener("pentathlon:renewed", show);
