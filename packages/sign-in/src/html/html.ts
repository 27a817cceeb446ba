const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Markup that was made here; everything else in a template is text. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[] | undefined | false;

/** HTML in which every value is text, unless `html` made it. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.map((string, index) => string + write(parts[index])).join("") };
}

function write(part: Part): string {
  if (part === undefined || part === false) return "";
  if (Array.isArray(part)) return part.map(({ markup }: Markup) => markup).join("");
  if (typeof part === "object") return (part as Markup).markup;
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}
