// The charts of an experiment: what each shows, in a picture, a sentence and numbers.
import { number } from "/assets/common.js";
import { Figure, colour, label, line } from "/assets/charts.js";
import { chance, percent } from "/assets/words.js";

const MOST = 12; // arms of a chart: those with the best chances; the numbers have all
const OVER = { title: { text: "lists and duels that are over" } };

/** Places for the charts that this kind of experiment has. */
export function figuresFor(parent, seen) {
  const make = (...given) => new Figure(parent, ...given);
  if (seen.kind === "weights") {
    return {
      weights: make("weights", "Weights", "The largest ones, as they are now."),
      drift: make("drift", "Drift of the weights", "How the largest weights moved."),
      alike: make("alike", "Direction", "How alike the weights were to those of now: 1 is the same direction."),
    };
  }
  return {
    chance: make("chance", "Chance of being best", "For looking at. When to stop, the evidence says."),
    rates: make("rates", "Win rates", "Against the other arms on average. The limits hold at every look."),
    pairs: make("pairs", "Every two arms", "How often the row beats the column."),
    evidence: make("evidence", "Evidence", "The way of the leader to be surely preferred to each other arm. At the line it stops, if it is told to."),
    traffic: make("traffic", "Traffic", "What each arm was shown: a list or a duel is 1, divided among its arms."),
    regret: make("regret", "Estimated regret", "What was lost by showing others than the leader, in duels."),
  };
}

export function drawAll(figures, seen, course) {
  const file = seen.name;
  const draw = seen.kind === "weights" ? WEIGHTS : ARMS;
  for (const [name, make] of Object.entries(draw)) figures[name].draw({ file, ...make(seen, course) });
}

const best = (seen) => [...seen.arms].sort((a, b) => b.chance - a.chance).slice(0, MOST).map((arm) => arm.name);
const place = (seen, name) => seen.arms.findIndex((arm) => arm.name === name);

/** Lines over time, one an arm; the numbers have a row a point and a column an arm. */
function overTime(seen, course, column, axis, said) {
  const names = Object.keys(course[column]);
  return {
    traces: best(seen).map((name) => ({ x: course.lessons, y: course[column][name], name: label(name), mode: "lines", line: line(place(seen, name)) })),
    layout: { xaxis: OVER, yaxis: axis }, said,
    heads: ["time", "events", "over", ...names],
    rows: course.lessons.map((over, at) => [new Date(course.at[at] / 1000).toISOString(), course.events[at], over, ...names.map((name) => course[column][name][at])]),
  };
}

function single(course, column, axis, shapes, said) {
  return {
    traces: [{ x: course.lessons, y: course[column], mode: "lines", name: column, line: line(0) }],
    layout: { xaxis: OVER, yaxis: axis, showlegend: false, shapes }, said, heads: ["events", "over", column],
    rows: course.lessons.map((over, at) => [course.events[at], over, course[column][at]]),
  };
}

const ARMS = {
  chance(seen, course) {
    const order = [...seen.arms].sort((a, b) => b.chance - a.chance);
    const said = !seen.pairs.length ? "Nothing is known yet: every arm has the same chance." : `${order[0].name} has a chance of ${chance(order[0].chance)} of being the best; next is ${order[1].name} with ${chance(order[1].chance)}.`;
    return overTime(seen, course, "chance", { range: [0, 1], tickformat: ".0%" }, said);
  },

  rates(seen) {
    const arms = seen.arms.filter((arm) => best(seen).includes(arm.name)).sort((a, b) => a.rate - b.rate);
    const first = arms.at(-1);
    return {
      traces: [{
        type: "scatter", mode: "markers", x: arms.map((arm) => arm.rate), y: arms.map((arm) => label(arm.name)),
        marker: { size: 10, color: arms.map((arm) => colour(place(seen, arm.name))) },
        error_x: { type: "data", symmetric: false, array: arms.map((arm) => arm.high - arm.rate), arrayminus: arms.map((arm) => arm.rate - arm.low), color: "#888" },
      }],
      layout: { showlegend: false, xaxis: { range: [0, 1], tickformat: ".0%" }, yaxis: { type: "category" },
        shapes: [{ type: "line", x0: 0.5, x1: 0.5, y0: 0, y1: 1, yref: "paper", line: { dash: "dot", color: "#888" } }] },
      said: !seen.pairs.length ? "No two arms have met yet: every rate is possible." : `${first.name} wins ${percent(first.rate)} of its duels with the others, from ${percent(first.low)} to ${percent(first.high)}.`,
      heads: ["arm", "win rate", "low", "high", "strength", "chance of being best"],
      rows: seen.arms.map((arm) => [arm.name, arm.rate, arm.low, arm.high, arm.strength, arm.chance]),
    };
  },

  pairs(seen) {
    const names = best(seen), at = new Map(names.map((name, index) => [name, index]));
    const blank = () => names.map(() => names.map(() => null));
    const rate = blank(), text = names.map(() => names.map(() => ""));
    const put = (one, other, value, low, high, wins, losses) => {
      if (!at.has(one) || !at.has(other)) return;
      rate[at.get(one)][at.get(other)] = value;
      text[at.get(one)][at.get(other)] = names.length > 5 ? percent(value)
        : `${percent(value)}<br>${number(low, 2)}–${number(high, 2)}<br>${number(wins)} : ${number(losses)}`;
    };
    for (const { first, second, wins, losses, rate: value, low, high } of seen.pairs) {
      put(first, second, value, low, high, wins, losses);
      put(second, first, 1 - value, 1 - high, 1 - low, losses, wins);
    }
    const closest = [...seen.pairs].sort((a, b) => Math.abs(a.rate - 0.5) - Math.abs(b.rate - 0.5))[0];
    return {
      traces: [{ type: "heatmap", x: names.map(label), y: names.map(label), z: rate, text, texttemplate: "%{text}", hoverinfo: "x+y+z",
        zmin: 0, zmax: 1, xgap: 2, ygap: 2, colorscale: [[0, "#b35806"], [0.5, "#f7f7f7"], [1, "#2166ac"]], showscale: false,
        textfont: { size: 11 } }],
      layout: { height: Math.max(280, (names.length > 5 ? 40 : 64) * names.length + 100), showlegend: false, xaxis: { type: "category", side: "top" }, yaxis: { type: "category", autorange: "reversed" } },
      said: closest ? `${seen.pairs.length === 1 ? "1 pair" : `${seen.pairs.length} pairs`} met. The closest are ${closest.first} and ${closest.second}: ${number(closest.wins, 1)} to ${number(closest.losses, 1)}.` : "No two arms have met yet.",
      heads: ["first", "second", "wins", "losses", "win rate", "low", "high"],
      rows: seen.pairs.map((pair) => [pair.first, pair.second, pair.wins, pair.losses, pair.rate, pair.low, pair.high]),
    };
  },

  evidence(seen, course) {
    const { leader, way, missing, rivals, rule, alpha } = seen.evidence;
    const nearest = [...rivals].sort((a, b) => a.way - b.way)[0];
    const stops = rule === "evidence" ? `It stops by itself at the line (alpha ${alpha}).` : `Its rule is "${rule}": it does not stop at the line.`;
    const left = way >= 1 ? "It is certain." : missing === null ? "It cannot be told yet how many users are missing." : `About ${number(missing)} users are missing.`;
    const height = Math.max(1.1, ...course.way.map((each) => Math.min(each, 3)));
    return single(course, "way", { range: [0, height], title: { text: "way to a verdict" } },
      [{ type: "line", x0: 0, x1: 1, xref: "paper", y0: 1, y1: 1, line: { dash: "dash", color: "#c1272d", width: 2 } }],
      !seen.pairs.length ? `Nobody is ahead yet. ${stops}` : `${leader} is ${percent(Math.min(1, way))} of the way; hardest to tell from it is ${nearest.name}. ${left} ${stops}`);
  },

  traffic(seen, course) {
    const most = [...seen.arms].sort((a, b) => b.share - a.share)[0];
    return overTime(seen, course, "traffic", { title: { text: "shown" } },
      seen.shown ? `${most.name} gets most: ${percent(most.share)} of what was shown.` : "Nothing was shown yet.");
  },

  regret(seen, course) {
    return single(course, "regret", { title: { text: "regret" } }, [], `About ${number(seen.regret, 1)} so far, of ${number(seen.shown)} shown.`);
  },
};

const WEIGHTS = {
  weights(seen) {
    const shown = seen.weights.slice(0, MOST).reverse();
    return {
      traces: [{ type: "bar", orientation: "h", x: shown.map((each) => each.weight), y: shown.map((each) => label(each.name)), marker: { color: colour(0) } }],
      layout: { showlegend: false, yaxis: { type: "category" }, height: Math.max(280, 24 * shown.length + 80) },
      said: seen.weights.length ? `The largest weight is that of ${seen.weights[0].name}: ${number(seen.weights[0].weight, 3)}.` : "There are no weights yet.",
      heads: ["feature", "weight"], rows: seen.weights.map((each) => [each.name, each.weight]),
    };
  },

  drift(seen, course) {
    const names = Object.keys(course.weights);
    return {
      traces: names.slice(0, 8).map((name, index) => ({ x: course.lessons, y: course.weights[name], name: label(name), mode: "lines", line: line(index) })),
      layout: { xaxis: OVER }, said: `${number(course.lessons.at(-1) ?? 0)} lists are over; the lines are the ${Math.min(8, names.length)} largest weights.`,
      heads: ["events", "over", ...names], rows: course.lessons.map((over, at) => [course.events[at], over, ...names.map((name) => course.weights[name][at])]),
    };
  },

  alike(seen, course) {
    const middle = course.alike[Math.floor(course.alike.length / 2)];
    return single(course, "alike", { range: [-1.05, 1.05] }, [],
      middle === null || middle === undefined ? "Nothing was learnt yet." : `Half-way the direction was alike to that of now by ${number(middle, 2)}.`);
  },
};
