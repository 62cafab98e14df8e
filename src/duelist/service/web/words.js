// Numbers as people read them.
import { element, number } from "/assets/common.js";

export const percent = (share, digits = 0) =>
  share === null || share === undefined ? "–" : `${number(100 * share, digits)}\u00a0%`;

/** A chance is never told as 0 or 100 %. */
export function chance(value) {
  if (value > 0.995) return ">\u00a099\u00a0%";
  return value !== null && value < 0.005 ? "<\u00a01\u00a0%" : percent(value);
}

export const time = (micros) => (micros ? new Date(micros / 1000).toLocaleString("en-GB", { hour12: false }) : "–");

const STATES = { draft: "quiet", running: "good", paused: "warn", stopped: "quiet" };

export const badge = (state) => element("span", { class: `badge ${STATES[state] ?? ""}` }, state);

export const healthWord = (healthy) =>
  element("span", { class: healthy ? "good" : "bad" }, healthy ? "✓ healthy" : "✗ look at it");

/** How far to a verdict, as a bar with words. */
export function way(value) {
  if (value === null || value === undefined) return element("span", { class: "quiet" }, "–");
  const done = Math.min(1, value);
  return element("span", { class: "way" },
    element("meter", { min: 0, max: 1, value: done, "aria-label": "way to a verdict" }), ` ${percent(done)}`);
}

/** Something that may be too wide, and is scrolled by keyboard too. */
export const wide = (name, ...children) =>
  element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": name }, children);

/** A table of text: heads and rows of cells; numbers stand right. */
export function table(caption, heads, rows) {
  const cell = (tag) => (text) => {
    const isNumber = typeof text === "number";
    const shown = isNumber ? number(text, Number.isInteger(text) ? 0 : 3) : text ?? "–";
    return element(tag, { class: isNumber ? "number" : null, scope: tag === "th" ? "col" : null }, shown);
  };
  return element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads.map(cell("th")))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell("td"))))));
}
