// The charts of an experiment that learns weights.
import { number } from "/assets/common.js";
import { Figure, colour, label, line } from "/assets/charts.js";
import { OVER, single } from "/assets/experiment_charts.js";

const MOST = 12; // weights of a chart; the numbers have more
const LINES = 8;

export const weightFigures = (parent) => ({
  weights: new Figure(parent, "weights", "Weights", "The largest ones, as they are now."),
  drift: new Figure(parent, "drift", "Drift of the weights", "How the largest weights moved."),
  alike: new Figure(parent, "alike", "Direction",
    "How alike the weights were to those of now: 1 is the same direction."),
});

export const WEIGHTS = {
  weights(seen) {
    const shown = seen.weights.slice(0, MOST).reverse(), [first] = seen.weights;
    return {
      traces: [{
        type: "bar",
        orientation: "h",
        x: shown.map((each) => each.weight),
        y: shown.map((each) => label(each.name)),
        marker: { color: colour(0) },
      }],
      height: Math.max(280, 24 * shown.length + 80),
      layout: { showlegend: false, yaxis: { type: "category" } },
      said: first ? `The largest weight is that of ${first.name}: ${number(first.weight, 3)}.` : "No weights.",
      heads: ["feature", "weight"],
      rows: seen.weights.map((each) => [each.name, each.weight]),
    };
  },

  drift(seen, course) {
    const names = Object.keys(course.weights);
    const over = number(course.lessons.at(-1) ?? 0);
    return {
      traces: names.slice(0, LINES).map((name, index) =>
        ({ x: course.lessons, y: course.weights[name], name: label(name), mode: "lines", line: line(index) })),
      layout: { xaxis: OVER },
      said: `${over} lists are over; the lines are the ${Math.min(LINES, names.length)} largest weights.`,
      heads: ["events", "over", ...names],
      rows: course.lessons.map((lessons, at) =>
        [course.events[at], lessons, ...names.map((name) => course.weights[name][at])]),
    };
  },

  alike(seen, course) {
    const middle = course.alike[Math.floor(course.alike.length / 2)] ?? null;
    return single(course, "alike", { range: [-1.05, 1.05] }, [], middle === null ? "Nothing was learnt yet."
      : `Half-way the direction was alike to that of now by ${number(middle, 2)}.`);
  },
};
