// A new experiment, or a new version of one: a form that checks as the API does.
import { api, element } from "/assets/common.js";
import { code } from "/assets/code.js";
import { FIELDS, definitionOf, fill } from "/assets/new_fields.js";
import { live, tokenForm, trouble } from "/assets/live.js";

const WAIT = 250; // milliseconds after the last key
const of = new URLSearchParams(location.search).get("of");
const content = document.getElementById("content");
const made = element("pre", { tabindex: "0", id: "definition" });
const said = element("p", { role: "status", id: "said" });
const send = element("button", { class: "primary", disabled: true }, of ? "Make the new version" : "Create it");
const warm = element("input", { type: "checkbox", id: "warm", checked: true });
const after = element("div", {});
const fields = new Map(); // by name: the input and the place for what is wrong with it
let started = {}; // of a new version: what the form does not ask for

function inputOf(field, attributes, options) {
  const option = (name) => element("option", { value: name, selected: name === field.start }, name);
  if (options) return element("select", attributes, options.map(option));
  if (field.kind === "lines") return element("textarea", { ...attributes, rows: 4 });
  const type = { flag: "checkbox", number: "number" }[field.kind] ?? "text";
  return element("input", { ...attributes, type, step: "any" });
}

function fieldBox(field, choices) {
  const id = `field-${field.name}`;
  const attributes = { id, "aria-describedby": `${id}-about ${id}-wrong`, required: field.required ?? false };
  const input = inputOf(field, attributes, field.options ?? choices[field.from]?.map((each) => each.name));
  const wrong = element("p", { class: "wrong", id: `${id}-wrong` });
  const box = element("div", { class: "field", "data-kinds": field.kinds?.join(" ") ?? "" },
    element("label", { for: id }, field.label), input,
    element("p", { class: "quiet", id: `${id}-about` }, field.about), wrong);
  fields.set(field.name, { field, input, wrong, box });
  if (field.from) input.addEventListener("change", () => tellOf(field, input, choices));
  return box;
}

/** What is written about the one that is chosen. */
function tellOf(field, input, choices) {
  const about = choices[field.from].find((each) => each.name === input.value)?.about;
  document.getElementById(`field-${field.name}-about`).textContent = about || field.about;
}

const definition = () => ({ ...started, ...definitionOf(fields) });

/** Fields of other kinds are not there. */
function showKind() {
  const kind = fields.get("kind").input.value;
  for (const { field, box } of fields.values()) box.hidden = Boolean(field.kinds && !field.kinds.includes(kind));
}

function showWrong(error) {
  const parts = error?.field?.split(/[.[]/) ?? [];
  const name = [parts.slice(0, 2).join("."), parts[0]].find((each) => fields.has(each) && !fields.get(each).box.hidden);
  if (error && !touched) {
    said.textContent = "";
    return;
  }
  for (const [each, { input, wrong }] of fields) {
    wrong.textContent = error && each === name ? error.message : "";
    if (error && each === name) {
      input.setAttribute("aria-invalid", "true");
      wrong.closest("details")?.setAttribute("open", "");
    } else input.removeAttribute("aria-invalid");
  }
  said.className = error ? "bad" : "good";
  if (!error) said.textContent = "This can be defined.";
  else said.textContent = name ? `Look at “${fields.get(name).field.label}”.` : error.message;
}

let last = 0;
let touched = Boolean(of); // nothing is wrong with a form that nobody has begun

async function check() {
  showKind();
  const mine = ++last;
  const wanted = definition();
  try {
    const { definition: whole, error, known } = await api("/v1/definitions/check", { definition: wanted });
    if (mine !== last) return;
    const taken = known && !of ? { field: "name", message: "there is an experiment by this name already" } : null;
    made.textContent = JSON.stringify(wanted, null, 2);
    showWrong(error ?? taken);
    send.disabled = Boolean(error ?? taken);
    after.replaceChildren(...(whole ? [code(whole)] : []));
  } catch (error) {
    said.className = "bad";
    said.textContent = error instanceof TypeError ? "The server is gone; what you typed stays here." : error.message;
    send.disabled = true;
  }
}

async function submit(event) {
  event.preventDefault();
  send.disabled = true;
  said.className = "";
  said.textContent = "It is compiled and tried out. This may take some seconds…";
  try {
    const name = definition().name;
    if (of) await api(`/v1/experiments/${encodeURIComponent(of)}/versions`, { ...definition(), warm: warm.checked });
    else await api("/v1/experiments", definition());
    location.href = `/experiments/${encodeURIComponent(name)}`;
  } catch (error) {
    if (error instanceof TypeError) said.textContent = "The server is gone; what you typed stays here.";
    else showWrong(error);
    send.disabled = false;
  }
}

async function begin() {
  const choices = await api("/v1/choices");
  const boxes = (more) => element("div", { class: "columns" },
    FIELDS.filter((field) => Boolean(field.more) === more).map((field) => fieldBox(field, choices)));
  const warmly = element("label", { for: "warm", class: "inline" }, "Begin with what the version before it learnt");
  const form = element("form", { novalidate: true }, boxes(false),
    element("details", {}, element("summary", {}, "More settings"), boxes(true)),
    of ? element("p", {}, warm, " ", warmly) : null, said, send);
  form.addEventListener("submit", submit);
  let timer = 0;
  form.addEventListener("input", () => { touched = true; clearTimeout(timer); timer = setTimeout(check, WAIT); });
  if (of) {
    document.getElementById("title").textContent = `A new version of ${of}`;
    const path = `/v1/experiments/${encodeURIComponent(of)}`;
    const { definition: before, contents } = await api(`${path}/insight`);
    if (contents) before.contents = (await api(`${path}/contents`)).contents; // kept as they are
    fill(fields, before);
    const asked = new Set(FIELDS.map(({ name }) => name.split(".")[0]));
    started = Object.fromEntries(Object.entries(before).filter(([name]) => !asked.has(name)));
    fields.get("name").input.disabled = true;
  }
  const shown = element("section", { class: "card" }, element("h2", {}, "The definition"), made);
  content.replaceChildren(form, shown, after);
  content.removeAttribute("aria-busy");
  await check();
}

tokenForm();
begin().catch((error) => content.replaceChildren(trouble(error)));
live(async (changed) => { if (changed === null && !made.isConnected) await begin(); });
