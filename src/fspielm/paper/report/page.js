"use strict";

// Tables: a heading sorts its column, a second time the other way round; what has no number comes last.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.querySelectorAll("th[scope=col]")];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      const rows = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
      rows.sort(([a], [b]) => compare(a, b, sign));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

function keyOf(cell) {
  if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
  const text = cell.textContent.trim();
  return text === "\u2013" || text === "" ? null : text;
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}

// Marks tell their numbers when pointed at, tapped, or reached by the keyboard.
const tip = document.getElementById("tip");

function showTip(mark) {
  tip.textContent = mark.getAttribute("aria-label");
  tip.hidden = false;
  const at = mark.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const middle = at.left + at.width / 2 - own.width / 2;
  const above = at.top - own.height - 8;
  tip.style.left = Math.max(8, Math.min(middle, document.documentElement.clientWidth - own.width - 8)) + "px";
  tip.style.top = (above < 8 ? at.bottom + 8 : above) + "px";
}

function hideTip() {
  tip.hidden = true;
}

const markAt = (event) => event.target.closest && event.target.closest(".mark");

document.addEventListener("pointerover", (event) => {
  const mark = markAt(event);
  if (mark) showTip(mark);
  else if (event.pointerType === "mouse") hideTip();
});
document.addEventListener("click", (event) => {
  const mark = markAt(event);
  if (mark) showTip(mark);
  else hideTip();
});
document.addEventListener("focusin", (event) => {
  const mark = markAt(event);
  if (mark && mark.matches(":focus-visible")) showTip(mark);
});
document.addEventListener("focusout", hideTip);
window.addEventListener("scroll", hideTip, { passive: true });

// One stop of the tab key in each picture; from there the arrows lead to the nearest mark in their direction.
for (const picture of document.querySelectorAll("figure svg")) {
  const first = picture.querySelector(".mark");
  if (first) first.setAttribute("tabindex", "0");
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
  const mark = markAt(event);
  const direction = DIRECTIONS[event.key];
  if (!mark || !direction) return;
  event.preventDefault();
  const next = nearest(mark, direction);
  if (!next) return;
  mark.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
  showTip(next);
});

function nearest(mark, [right, down]) {
  const middle = (one) => {
    const at = one.getBoundingClientRect();
    return [at.left + at.width / 2, at.top + at.height / 2];
  };
  const [x, y] = middle(mark);
  let best = null;
  let least = Infinity;
  for (const other of mark.ownerSVGElement.querySelectorAll(".mark")) {
    if (other === mark) continue;
    const [dx, dy] = middle(other).map((value, axis) => value - [x, y][axis]);
    const along = dx * right + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * right);
    if (along > 0.5 && along + 3 * aside < least) {
      best = other;
      least = along + 3 * aside;
    }
  }
  return best;
}
