// What the form asks for, and how its fields become a definition. Empty fields are left to the API's defaults.

const LISTS = ["pair", "multileave", "arms"];

export const FIELDS = [
  { name: "name", label: "Name", about: "Letters, digits, '.', '_' and '-'.", required: true },
  {
    name: "kind", label: "Kind",
    about: "arms: a policy chooses two. pair, multileave: all rankers in every list. weights: a ranker is learnt.",
    options: ["arms", "pair", "multileave", "weights"], start: "arms",
  },
  { name: "arms", label: "Arms", about: "One a line.", kind: "lines", kinds: LISTS },
  {
    name: "features", label: "Features", about: "How many, or their names with commas between.", kind: "features",
    kinds: ["weights"],
  },
  {
    name: "policy", label: "Policy", about: "auto chooses by the number of arms.", from: "policies", start: "auto",
    kinds: ["arms"],
  },
  {
    name: "learner", label: "Learner", about: "How the weights move.", from: "learners", start: "pdgd",
    kinds: ["weights"],
  },
  {
    name: "method", label: "Interleaving", about: "How several rankings become one list.", from: "methods",
    start: "team-draft", kinds: LISTS,
  },
  {
    name: "stop.rule", label: "It stops",
    about: "by hand, by evidence, when the policy is certain, or after a budget.",
    options: ["hand", "evidence", "certain", "budget"], start: "hand",
  },
  {
    name: "stop.alpha", label: "Chance of a wrong winner", about: "However often one looks. 0.05 unless set.",
    kind: "number", more: true,
  },
  { name: "stop.budget", label: "Budget", about: "Lists or duels after which it stops.", kind: "number", more: true },
  {
    name: "default", label: "Default",
    about: "The arm for everybody who does not take part; the first one unless set.", kinds: LISTS, more: true,
  },
  { name: "length", label: "Documents on a page", about: "10 unless set.", kind: "number", more: true },
  {
    name: "share", label: "Share of users that take part", about: "From 0 to 1; 1 unless set.", kind: "number",
    more: true,
  },
  {
    name: "holdout", label: "Share of users that never do", about: "From 0 to 1; 0 unless set.", kind: "number",
    more: true,
  },
  {
    name: "silence", label: "A list without a click", about: "is skipped, or a tie.", options: ["skip", "tie"],
    start: "skip", more: true,
  },
  {
    name: "floor", label: "Least share of each arm", about: "Whatever the policy wants; 0 unless set.",
    kind: "number", kinds: ["arms"], more: true,
  },
  {
    name: "session.timeout", label: "Seconds until a list is closed", about: "1800 unless set.", kind: "number",
    more: true,
  },
  { name: "session.grace", label: "Seconds after its last click", about: "60 unless set.", kind: "number", more: true },
  { name: "shadow", label: "Shadow", about: "Draw and write down, but show the default.", kind: "flag", more: true },
];

function valueOf({ field, input }) {
  if (field.kind === "flag") return input.checked || undefined;
  const text = input.value.trim();
  if (!text) return undefined;
  if (field.kind === "number") return Number(text);
  if (field.kind === "lines") return text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (field.kind === "features") {
    return /^\d+$/.test(text) ? Number(text) : text.split(",").map((name) => name.trim());
  }
  return field.start === text && field.name !== "kind" ? undefined : text;
}

/** The definition that the fields make; "stop.rule" is the rule of stop. */
export function definitionOf(fields) {
  const made = {};
  for (const each of fields.values()) {
    const value = each.box.hidden ? undefined : valueOf(each);
    if (value === undefined) continue;
    const [outer, inner] = each.field.name.split(".");
    if (inner) made[outer] = { ...made[outer], [inner]: value };
    else made[outer] = value;
  }
  return made;
}

/** Show a definition in the fields. */
export function fill(fields, definition) {
  for (const { field, input } of fields.values()) {
    const [outer, inner] = field.name.split(".");
    const value = inner ? definition[outer]?.[inner] : definition[outer];
    if (field.kind === "flag") input.checked = Boolean(value);
    else if (Array.isArray(value)) input.value = value.join(field.kind === "lines" ? "\n" : ", ");
    else if (value !== undefined) input.value = value;
  }
}
