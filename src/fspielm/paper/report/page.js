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
