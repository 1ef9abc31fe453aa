"use strict";

// Runs inside a copy of the page once it is loaded, and tells the page around it what a reader would find.
window.addEventListener("load", () => {
  const found = { name: window.name, errors: window.caught };
  try {
    found.width = document.documentElement.clientWidth;
    found.scrollWidth = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
    found.figures = [...document.querySelectorAll("figure")].map((figure) => {
      const pictures = [...figure.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect());
      const drawn = pictures.length > 0 && pictures.every((box) => box.width > 100 && box.height > 20);
      return { id: figure.id, drawn };
    });
    found.outside = [...document.querySelectorAll("figure svg text")].filter((text) => {
      const own = text.getBoundingClientRect();
      const svg = text.ownerSVGElement.getBoundingClientRect();
      return own.width > 0 && (own.left < svg.left - 1 || own.right > svg.right + 1);
    }).map((text) => text.textContent);
    found.sorting = [...document.querySelectorAll("table.sortable")].map(sortEverything);
  } catch (error) {
    found.errors.push(String(error));
  }
  window.parent.postMessage(JSON.stringify(found), "*");
});

function sortEverything(table) {
  const heads = [...table.querySelectorAll("th[scope=col]")];
  return heads.map((head, column) => {
    const ways = ["ascending", "descending"].map((way) => {
      head.querySelector("button").click();
      const cells = [...table.tBodies[0].rows].map((row) => row.cells[column]);
      const keys = cells.filter((cell) => cell.dataset.key !== undefined).map((cell) => Number(cell.dataset.key));
      const missing = cells.findIndex((cell) => cell.textContent === "\u2013");
      return {
        said: head.getAttribute("aria-sort") === way,
        keys: way === "ascending" ? keys : keys.reverse(),
        missingLast: missing < 0 || cells.slice(missing).every((cell) => cell.textContent === "\u2013"),
      };
    });
    return { heading: head.textContent, ways };
  });
}
