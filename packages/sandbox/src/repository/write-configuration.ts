import type { Setting } from "./parse-configuration.ts";

/** Writes settings so that git reads the same. */
export function writeConfiguration(settings: readonly Setting[]): string {
  const lines: string[] = [];
  let last: string | undefined;
  for (const { section, subsection, name, value } of settings) {
    const header = subsection === undefined ? `[${section}]` : `[${section} "${subsection.replace(/[\\"]/g, "\\$&")}"]`;
    if (header !== last) lines.push(header);
    last = header;
    lines.push(value === undefined ? `\t${name}` : `\t${name} = "${quote(value)}"`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function quote(value: string): string {
  return value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b");
}
