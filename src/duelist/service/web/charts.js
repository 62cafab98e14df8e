// Charts by plotly: each with a sentence that says what it shows, its numbers as a table, and as a file.
import { element } from "/assets/common.js";
import { csv, offer } from "/assets/csv.js";
import { table, wide } from "/assets/words.js";

const COLOURS = [
  "#1f77b4", "#d95f02", "#2a9d5c", "#b5179e", "#8c6d1f", "#6a51a3", "#c1272d", "#17a2b8", "#7f7f7f", "#5a7d1e",
];
const DASHES = ["solid", "dash", "dot", "dashdot"]; // so that no line is known by its colour alone
const MOST_ROWS = 100; // of the table under a chart; the file has all

export const colour = (place) => COLOURS[place % COLOURS.length];
export const line = (place) => ({ color: colour(place), dash: DASHES[place % DASHES.length], width: 2 });

/** Plotly reads a few tags and entities in its labels: a name must not become one. */
export const label = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

let loading = null;

/** Plotly, once it is needed: pages are there before it. */
function plotly() {
  loading ??= new Promise((done, fail) => {
    const script = element("script", { src: "/assets/plotly.min.js" });
    script.addEventListener("load", () => done(globalThis.Plotly));
    script.addEventListener("error", () => {
      loading = null; // it is tried again with the next numbers
      fail(new Error("Charts need plotly, which did not load. The numbers are in the table."));
    });
    document.head.append(script);
  });
  return loading;
}

/** What the style says a colour is, now. */
function ink(name) {
  const probe = element("span", { class: `probe-${name}`, hidden: true });
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function layoutOf(layout) {
  const axis = (given = {}) => ({ gridcolor: ink("line"), zerolinecolor: ink("line"), automargin: true, ...given });
  return {
    margin: { l: 50, r: 15, t: 10, b: 40 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink("ink"), size: 13 },
    legend: { orientation: "h", yref: "container", y: 1, yanchor: "top", x: 0 },
    showlegend: true,
    ...layout,
    xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
  };
}

/** A place for a chart. `draw` may be called again and again: what was opened stays open. */
export class Figure {
  constructor(parent, name, title, about = "") {
    this.name = name;
    this.said = element("p", { class: "said", id: `said-${name}` }, "Loading…");
    this.chart = element("div", { class: "chart", role: "img", "aria-labelledby": `said-${name}` });
    this.link = element("a", { class: "button small" }, `CSV of ${title.toLowerCase()}`);
    this.numbers = wide(`${title}, numbers`);
    this.figure = element("figure", { class: "card", id: name }, element("h2", {}, title),
      about ? element("p", { class: "quiet" }, about) : null, this.said, this.chart,
      element("div", { class: "below" }, this.link,
        element("details", {}, element("summary", {}, "Numbers"), this.numbers)));
    parent.append(this.figure);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.last && this.draw(this.last));
  }

  /** Show traces, a sentence about them, and the numbers: `heads` and `rows`. */
  async draw(what) {
    this.last = what;
    const { traces, layout = {}, height = 280, said, heads, rows, file } = what;
    this.said.textContent = said;
    this.figure.dataset.points = rows.length;
    offer(this.link, csv(heads, rows), `${file ?? "duelist"}-${this.name}.csv`);
    const shown = rows.length > MOST_ROWS ? `, the last ${MOST_ROWS} of ${rows.length}` : "";
    this.numbers.replaceChildren(table(`Numbers of the chart${shown}`, heads, rows.slice(-MOST_ROWS)));
    this.chart.hidden = !rows.length; // axes without anything on them look as if something were broken
    if (this.chart.hidden) {
      this.figure.dataset.drawn = "true";
      return;
    }
    try {
      const draw = await plotly();
      if (this.last !== what) return;
      this.chart.style.height = `${height}px`; // plotly forgets the height of a layout when the window changes
      await draw.react(this.chart, traces, layoutOf(layout), { displayModeBar: false, responsive: true });
      this.figure.dataset.drawn = "true";
    } catch (error) {
      this.chart.textContent = error.message;
    }
  }
}
