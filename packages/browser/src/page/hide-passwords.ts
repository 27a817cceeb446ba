const mask = "••••••";
/** A shorter value stands in too many words by chance: it is masked where a field holds nothing else. */
const leastInside = 4;

/** Masks values in a snapshot, in each form that the library writes them. */
export function hidePasswords(text: string, values: readonly string[]): string {
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, value) => hideOne(masked, value), text);
}

function hideOne(text: string, value: string): string {
  const folded = value.replace(/[\s\u200b\u00ad]+/g, " ").trim();
  const forms = [...new Set([value, folded])]
    .filter((form) => form !== "")
    .flatMap((form) => [form, JSON.stringify(form).slice(1, -1), form.replaceAll("'", "''")]);
  return forms.reduce((masked, form) => (form.length < leastInside ? hideField(masked, form) : masked.replaceAll(form, mask)), text);
}

function hideField(text: string, form: string): string {
  return text
    .split("\n")
    .map((line) => {
      const [, head, held] = /^(\s*- (?:textbox|text).*?: )["']?(.*?)["']?$/.exec(line) ?? [];
      return head !== undefined && held === form ? `${head}${mask}` : line;
    })
    .join("\n");
}
