// The charts of an experiment with arms: what each shows, in a picture, a sentence and numbers.
import { number } from "/assets/common.js";
import { Figure, colour, label, line } from "/assets/charts.js";
import { chance, percent } from "/assets/words.js";

const MOST = 12; // arms of a chart: those with the best chances; the numbers have all
const FEW = 5; // arms of a heat map whose cells have room for limits and counts
export const OVER = { title: { text: "lists and duels that are over" } };

export const armFigures = (parent) => ({
  chance: new Figure(parent, "chance", "Chance of being best", "For looking at. When to stop, the evidence says."),
  rates: new Figure(parent, "rates", "Win rates",
    "Against the other arms on average. The limits hold at every look."),
  pairs: new Figure(parent, "pairs", "Every two arms", "How often the row beats the column."),
  evidence: new Figure(parent, "evidence", "Evidence",
    "The way of the leader to be surely preferred to each other arm. At the line it stops, if it is told to."),
  traffic: new Figure(parent, "traffic", "Traffic",
    "What each arm was shown: a list or a duel is 1, divided among its arms."),
  regret: new Figure(parent, "regret", "Estimated regret",
    "What was lost by showing others than the leader, in duels."),
});

const best = (seen) => [...seen.arms].sort((a, b) => b.chance - a.chance).slice(0, MOST).map((arm) => arm.name);
const place = (seen, name) => seen.arms.findIndex((arm) => arm.name === name);

/** Lines over time, one an arm; the numbers have a row a point and a column an arm. */
function overTime(seen, course, column, axis, said) {
  const names = Object.keys(course[column]);
  return {
    traces: best(seen).map((name) => ({
      x: course.lessons, y: course[column][name], name: label(name), mode: "lines", line: line(place(seen, name)),
    })),
    layout: { xaxis: OVER, yaxis: axis },
    said,
    heads: ["time", "events", "over", ...names],
    rows: course.lessons.map((over, at) => [new Date(course.at[at] / 1000).toISOString(), course.events[at], over,
      ...names.map((name) => course[column][name][at])]),
  };
}

/** One line over time. */
export function single(course, column, axis, shapes, said) {
  return {
    traces: [{ x: course.lessons, y: course[column], mode: "lines", name: column, line: line(0) }],
    layout: { xaxis: OVER, yaxis: axis, showlegend: false, shapes },
    said,
    heads: ["events", "over", column],
    rows: course.lessons.map((over, at) => [course.events[at], over, course[column][at]]),
  };
}

/** Rates of a heat map and what stands in its cells: with few arms limits and counts too. */
function cells(seen, names) {
  const rate = names.map(() => names.map(() => null)), text = names.map(() => names.map(() => ""));
  const put = (one, other, value, low, high, wins, losses) => {
    const row = names.indexOf(one), column = names.indexOf(other);
    if (row < 0 || column < 0) return;
    rate[row][column] = value;
    text[row][column] = names.length > FEW ? percent(value)
      : `${percent(value)}<br>${number(low, 2)}–${number(high, 2)}<br>${number(wins)} : ${number(losses)}`;
  };
  for (const { first, second, wins, losses, rate: value, low, high } of seen.pairs) {
    put(first, second, value, low, high, wins, losses);
    put(second, first, 1 - value, 1 - high, 1 - low, losses, wins);
  }
  return { rate, text };
}

const straight = (where, dash, color) => ({ type: "line", ...where, line: { dash, color, width: 2 } });

export const ARMS = {
  chance(seen, course) {
    const [first, second] = [...seen.arms].sort((a, b) => b.chance - a.chance);
    const said = !seen.pairs.length ? "Nothing is known yet: every arm has the same chance."
      : `${first.name} has a chance of ${chance(first.chance)} of being the best; `
        + `next is ${second.name} with ${chance(second.chance)}.`;
    return overTime(seen, course, "chance", { range: [0, 1], tickformat: ".0%" }, said);
  },

  rates(seen) {
    const arms = seen.arms.filter((arm) => best(seen).includes(arm.name)).sort((a, b) => a.rate - b.rate);
    const first = arms.at(-1);
    return {
      traces: [{
        type: "scatter",
        mode: "markers",
        x: arms.map((arm) => arm.rate),
        y: arms.map((arm) => label(arm.name)),
        marker: { size: 10, color: arms.map((arm) => colour(place(seen, arm.name))) },
        error_x: {
          type: "data",
          symmetric: false,
          array: arms.map((arm) => arm.high - arm.rate),
          arrayminus: arms.map((arm) => arm.rate - arm.low),
          color: "#888",
        },
      }],
      layout: {
        showlegend: false,
        xaxis: { range: [0, 1], tickformat: ".0%" },
        yaxis: { type: "category" },
        shapes: [straight({ x0: 0.5, x1: 0.5, y0: 0, y1: 1, yref: "paper" }, "dot", "#888")],
      },
      said: !seen.pairs.length ? "No two arms have met yet: every rate is possible."
        : `${first.name} wins ${percent(first.rate)} of its duels with the others, `
          + `from ${percent(first.low)} to ${percent(first.high)}.`,
      heads: ["arm", "win rate", "low", "high", "strength", "chance of being best"],
      rows: seen.arms.map((arm) => [arm.name, arm.rate, arm.low, arm.high, arm.strength, arm.chance]),
    };
  },

  pairs(seen) {
    const names = best(seen), { rate, text } = cells(seen, names);
    const [closest] = [...seen.pairs].sort((a, b) => Math.abs(a.rate - 0.5) - Math.abs(b.rate - 0.5));
    const count = seen.pairs.length === 1 ? "1 pair" : `${seen.pairs.length} pairs`;
    return {
      traces: [{
        type: "heatmap",
        x: names.map(label),
        y: names.map(label),
        z: rate,
        text,
        texttemplate: "%{text}",
        hoverinfo: "x+y+z",
        zmin: 0,
        zmax: 1,
        xgap: 2,
        ygap: 2,
        colorscale: [[0, "#b35806"], [0.5, "#f7f7f7"], [1, "#2166ac"]],
        showscale: false, // its bar sets style attributes, which the policy does not allow
        textfont: { size: 11 },
      }],
      height: Math.max(280, (names.length > FEW ? 40 : 64) * names.length + 100),
      layout: {
        showlegend: false,
        xaxis: { type: "category", side: "top" },
        yaxis: { type: "category", autorange: "reversed" },
      },
      said: closest ? `${count} met. The closest: ${closest.first} won ${number(closest.wins, 1)} and `
        + `${closest.second} ${number(closest.losses, 1)} of their duels.` : "No two arms have met yet.",
      heads: ["first", "second", "wins", "losses", "win rate", "low", "high"],
      rows: seen.pairs.map((pair) =>
        [pair.first, pair.second, pair.wins, pair.losses, pair.rate, pair.low, pair.high]),
    };
  },

  evidence(seen, course) {
    const { leader, way, missing, rivals, rule, alpha } = seen.evidence;
    const [nearest] = [...rivals].sort((a, b) => a.way - b.way);
    const stops = rule === "evidence" ? `It stops by itself at the line (alpha ${alpha}).`
      : `Its rule is "${rule}": it does not stop at the line.`;
    const left = way >= 1 ? "It is certain."
      : missing === null ? "It cannot be told yet how many users are missing."
        : `About ${number(missing)} users are missing.`;
    const said = !seen.pairs.length ? `Nobody is ahead yet. ${stops}`
      : `${leader} is ${percent(Math.min(1, way))} of the way; hardest to tell from it is ${nearest.name}. `
        + `${left} ${stops}`;
    const height = Math.max(1.1, ...course.way.map((each) => Math.min(each, 3)));
    return single(course, "way", { range: [0, height], title: { text: "way to a verdict" } },
      [straight({ x0: 0, x1: 1, xref: "paper", y0: 1, y1: 1 }, "dash", "#c1272d")], said);
  },

  traffic(seen, course) {
    const most = [...seen.arms].sort((a, b) => b.share - a.share)[0];
    return overTime(seen, course, "traffic", { title: { text: "shown" } },
      seen.shown ? `${most.name} gets most: ${percent(most.share)} of what was shown.` : "Nothing was shown yet.");
  },

  regret(seen, course) {
    return single(course, "regret", { title: { text: "regret" } }, [],
      `About ${number(seen.regret, 1)} so far, of ${number(seen.shown)} shown.`);
  },
};
