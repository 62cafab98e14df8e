// The leaderboard of votes: ranks that are possible, and strengths with their limits.
import { element, number } from "/assets/common.js";

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** A strength and its limits on the scale of all of them; the numbers stand beside it. */
function bar(each, reach) {
  const at = (value) => 50 + (48 * Math.max(-reach, Math.min(reach, value))) / reach;
  const svg = drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(drawn("line", { class: "zero", x1: 50, x2: 50, y1: 0, y2: 10 }));
  if (each.strength !== null) {
    svg.append(drawn("line", { x1: at(each.low ?? -reach), x2: at(each.high ?? reach), y1: 5, y2: 5 }));
    svg.append(drawn("line", { class: "at", x1: at(each.strength), x2: at(each.strength), y1: 1, y2: 9 }));
  }
  return svg;
}

const signed = (value) => `${value > 0 ? "+" : ""}${number(value, 2)}`;

function limits({ strength, low, high }) {
  if (strength === null) return "nobody was asked";
  const both = low === null ? (high === null ? "no limits yet" : `at most ${signed(high)}`)
    : high === null ? `at least ${signed(low)}` : `${signed(low)} to ${signed(high)}`;
  return `${signed(strength)} (${both})`;
}

const ranks = (each) => (each.rank_low === each.rank_high ? `${each.rank_low}` : `${each.rank_low} to ${each.rank_high}`);

/** The board as a table. */
export function boardTable(board) {
  const known = board.standings.flatMap((each) => [each.strength, each.low, each.high]).filter((value) => value !== null);
  const reach = Math.max(1, ...known.map(Math.abs));
  const heads = [["", ""], ["Rank", "number"], ["Votes", "number"], ["Won", "number"], ["Strength, with limits", ""]];
  const rows = board.standings.map((each) => element("tr", {},
    element("th", { scope: "row" }, each.arm), element("td", { class: "number" }, ranks(each)),
    element("td", { class: "number" }, number(each.votes)),
    element("td", { class: "number" }, each.votes ? `${number((100 * each.wins) / each.votes)} %` : ""),
    element("td", {}, limits(each), bar(each, reach))));
  const sure = !board.certain ? `It is not certain yet ${board.target === "order" ? "in which order they are" : "who is best"}.`
    : board.target === "order" ? "The order is certain." : `It is certain: ${board.best} is the best one.`;
  return element("div", {},
    element("p", { class: board.certain ? "good" : "", id: "verdict" }, sure),
    element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Leaderboard" },
      element("table", {}, element("caption", { class: "quiet" }, `${number(board.votes)} votes. ${board.promise}`),
        element("thead", {}, element("tr", {}, heads.map(([text, kind]) => text
          ? element("th", { scope: "col", class: kind }, text) : element("td", {})))),
        element("tbody", {}, rows))));
}
