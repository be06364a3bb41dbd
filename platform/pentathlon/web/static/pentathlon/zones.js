// Forms with times: chooses the reader's own time zone, and shows the times of a fresh form in it. Without
// it, times are in UTC until another zone is chosen.

const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const select of document.querySelectorAll("select[data-zone]")) {
  if (own && own !== select.value) choose(select);
}

function choose(select) {
  if (![...select.options].some((option) => option.value === own)) select.add(new Option(own, own));
  select.value = own;
  for (const field of select.form.querySelectorAll("input[type=datetime-local]")) {
    if (field.value) field.value = local(new Date(`${field.value}Z`));
  }
}

/** Return a moment as such a field wants it: in this browser's zone, to the minute. */
function local(moment) {
  const two = (number) => String(number).padStart(2, "0");
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}
