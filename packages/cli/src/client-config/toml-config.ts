import { parse, stringify, TomlError } from "smol-toml";
import { type ConfigEdit, type ConfigFormat, ConfigSyntaxError, isMembers, type Members } from "./config-format.ts";
import { findTomlHeaders, type TomlHeader } from "./toml-headers.ts";

/** TOML. An entry is a table of its own, `[section.name]`, with those below it; everything else is left as it is written. */
export const tomlConfig: ConfigFormat = {
  parse(text) {
    try {
      // Numbers of other entries may be larger than a JavaScript number can hold exactly.
      return parse(text, { integersAsBigInt: "asNeeded" });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new ConfigSyntaxError(/^Invalid TOML document: ([^\n]*)/.exec(error.message)?.[1] ?? "invalid TOML", error);
    }
  },
  // The section needs no line of its own, so an empty one is one that its owner wrote.
  edit(text, { section, name, entry }) {
    if (entry !== undefined && !isMembers(entry)) throw new TypeError("An entry of a TOML configuration is a table.");
    const { rest, at } = withoutTables(text, [section, name]);
    return entry === undefined ? rest : insert(rest, { at, block: tableOf({ section, name, entry }), eol: eolOf(text) });
  },
};

const eolOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");
const isBelow = (path: readonly string[], { key }: TomlHeader) => path.every((part, index) => key[index] === part);
const isBlankOrComment = (line: string) => /^\s*(#.*)?$/.test(line);

/** Takes out the tables at and below a path. Comments above the table that follows belong to that one, and stay. */
function withoutTables(text: string, path: readonly string[]): { readonly rest: string; readonly at: number | undefined } {
  const lines = text.split("\n");
  const headers = findTomlHeaders(text);
  let at: number | undefined;
  const gone = new Set<number>();
  for (const [index, header] of headers.entries()) {
    if (!isBelow(path, header)) continue;
    let end = headers[index + 1]?.line ?? lines.length;
    while (end > header.line + 1 && isBlankOrComment(lines[end - 1] ?? "")) end -= 1;
    for (let line = header.line; line < end; line += 1) gone.add(line);
    at ??= header.line;
  }
  return { rest: lines.filter((_, line) => !gone.has(line)).join("\n"), at };
}

function tableOf({ section, name, entry }: Pick<ConfigEdit, "section" | "name"> & { readonly entry: Members }): string {
  return stringify({ [section]: { [name]: entry } }).trimEnd();
}

function insert(
  text: string,
  { at, block, eol }: { readonly at: number | undefined; readonly block: string; readonly eol: string },
): string {
  const added = block.split("\n").join(eol);
  if (at === undefined) {
    if (text.trim() === "") return `${text}${added}${eol}`;
    return `${text}${text.endsWith("\n") ? "" : eol}${eol}${added}${eol}`;
  }
  const lines = text.split("\n");
  const carriage = eol === "\r\n" ? "\r" : "";
  lines.splice(at, 0, ...block.split("\n").map((line) => line + carriage));
  return lines.join("\n");
}
