// One experiment, as it learns.
import { api, element, number } from "/assets/common.js";
import { buttons } from "/assets/actions.js";
import { code } from "/assets/code.js";
import { ARMS, armFigures } from "/assets/experiment_charts.js";
import { health, journal, versions } from "/assets/facts.js";
import { live, replace, tokenForm, trouble } from "/assets/live.js";
import { recent } from "/assets/recent.js";
import { WEIGHTS, weightFigures } from "/assets/weights_charts.js";
import { badge, chance, healthWord, percent } from "/assets/words.js";

const name = decodeURIComponent(location.pathname.split("/")[2]);
const path = `/v1/experiments/${encodeURIComponent(name)}`;
const content = document.getElementById("content");
const lead = element("div", {});
const controls = buttons(name, path, () => refresh(null));
const charts = element("div", { class: "charts" });
const [healthBox, versionsBox, codeBox] = ["section", "section", "section"].map((tag) => element(tag));
const impressions = recent(path);
const journalBox = journal(name, path);
let figures = null;

document.title = `${name} · duelist`;
document.getElementById("title").textContent = name;

/** How it stands, in one sentence. */
function sentence(seen) {
  if (seen.state === "draft") return "It is a draft: nobody sees it before it is started.";
  if (!seen.shown) return "Nobody was shown anything yet. The lines of code below send it the first users.";
  if (seen.evidence && !seen.pairs.length) return "Nobody is ahead yet: nothing is over, or nobody has clicked.";
  if (!seen.evidence) return `${number(seen.health.counts.learnt)} lists were learnt from.`;
  const { leader, missing, way } = seen.evidence;
  const ending = seen.state === "stopped"
    ? `It was stopped by ${seen.stopped_by}; everybody gets ${seen.best}.`
    : way >= 1 ? "That is certain." : missing === null ? "How many users are missing cannot be told yet."
      : `About ${number(missing)} more users make it certain, if they go on like this.`;
  return `${leader} leads, with a chance of ${chance(seen.evidence.chance)} of being the best. ${ending}`;
}

function showLead(seen) {
  replace(lead, element("p", { class: "lead" }, sentence(seen)),
    element("p", {}, badge(seen.state), ` ${seen.kind}, version ${seen.version} · ${number(seen.shown)} shown · `,
      seen.way === null ? "" : `${percent(Math.min(1, seen.way))} of the way to a verdict · `,
      healthWord(seen.health.healthy)));
}

async function load() {
  const [seen, course] = await Promise.all([api(`${path}/insight`), api(`${path}/history`)]);
  showLead(seen);
  controls.show(seen);
  if (!lead.isConnected) {
    content.replaceChildren(lead, controls.box, charts, healthBox, impressions.box, versionsBox, codeBox);
  }
  const learnt = seen.kind === "weights";
  figures ??= learnt ? weightFigures(charts) : armFigures(charts);
  for (const [chart, make] of Object.entries(learnt ? WEIGHTS : ARMS)) {
    figures[chart].draw({ file: name, ...make(seen, course) });
  }
  replace(healthBox, health(seen));
  replace(versionsBox, versions(seen), journalBox);
  if (!codeBox.firstChild) codeBox.append(code(seen.definition));
  await impressions.refresh();
}

let busy = null;

/** One after the other: what comes while it loads is loaded once more. */
async function refresh(changed) {
  if (changed && !changed.includes(name)) return;
  while (busy) await busy.catch(() => {});
  busy = load();
  try {
    await busy;
    content.dataset.loads = Number(content.dataset.loads ?? 0) + 1;
  } catch (error) {
    if (!lead.isConnected) content.replaceChildren(trouble(error));
    throw error;
  } finally {
    busy = null;
    content.removeAttribute("aria-busy");
  }
}

tokenForm();
refresh(null).catch(() => {});
live(refresh);
