// Tables as files. Text that a spreadsheet would take for a formula is quoted with an apostrophe.

const cell = (value) => {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv = (heads, rows) => [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";

/** Point a link at a file made of text. */
export function offer(link, text, name, type = "text/csv") {
  if (link.href) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
}
