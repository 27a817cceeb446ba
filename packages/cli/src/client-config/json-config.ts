import jsonc, { type Edit, type Node, type ParseError } from "jsonc-parser";
import { type ConfigEdit, type ConfigFormat, ConfigSyntaxError, isMembers } from "./config-format.ts";

/** JSON, with the comments and last commas that most clients allow. */
export const jsonConfig: ConfigFormat = {
  parse(text) {
    if (text.trim() === "") return {};
    const errors: ParseError[] = [];
    const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first) throw new ConfigSyntaxError(wordsOf(first), placeOf(text, first.offset));
    return value;
  },
  edit(text, { section, name, entry, dropEmpty = false }) {
    if (text.trim() === "") return jsonConfig.edit("{}\n", { section, name, entry });
    const edited = change(text, [section, name], entry);
    return dropEmpty && isEmptySection(edited, section) ? change(edited, [section], undefined) : edited;
  },
};

/** The parser's own formatting would touch the lines around the edit, so what is put in is laid out here. */
function change(text: string, path: readonly [string, ...string[]], value: unknown): string {
  const edits = jsonc.modify(text, [...path], value, {});
  return jsonc.applyEdits(
    text,
    edits.map((edit) => ({ ...edit, content: layOut(edit, { text, path, value }) })),
  );
}

interface Change {
  readonly text: string;
  readonly path: readonly [string, ...string[]];
  readonly value: unknown;
}

/** What is put in begins with a comma behind another member; it is the value alone where there was one. */
function layOut({ content, offset, length }: Edit, { text, path, value }: Change): string {
  if (content === "") return "";
  const { indent, eol } = styleOf(text);
  const isValue = length > 0;
  const section = isValue || jsonc.findNodeAtLocation(rootOf(text), [path[0]]) !== undefined;
  const depth = section ? path.length : 1;
  const member = section ? value : Object.fromEntries([[path.at(-1) ?? "", value]]);
  const written = JSON.stringify(member, null, indent)
    .split("\n")
    .join(eol + indent.repeat(depth));
  if (isValue) return written;
  const line = `${eol}${indent.repeat(depth)}${JSON.stringify(section ? path.at(-1) : path[0])}: ${written}`;
  if (content.startsWith(",")) return `,${line}`;
  const isLast = /^\s*\}/.test(text.slice(offset));
  return isLast && !/^\s*\n/.test(text.slice(offset)) ? `${line}${eol}${indent.repeat(depth - 1)}` : line;
}

const rootOf = (text: string) => jsonc.parseTree(text, [], { allowTrailingComma: true }) as Node;

function isEmptySection(text: string, section: ConfigEdit["section"]): boolean {
  const value = jsonConfig.parse(text);
  const members = isMembers(value) ? value[section] : undefined;
  return isMembers(members) && Object.keys(members).length === 0;
}

/** "CloseBraceExpected" as words. */
function wordsOf({ error }: ParseError): string {
  const words = jsonc.printParseErrorCode(error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.trim();
}

function placeOf(text: string, offset: number) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** As the file is written already. */
function styleOf(text: string): { readonly indent: string; readonly eol: string } {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
