import type { ProgramThrown } from "./prepare-program.ts";

const mostFrames = 5;
const longestLine = 120;

interface Frame {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Where the program threw: its line with a caret, and below it the calls that led there. Empty where no line of the program is known. */
export function showPlace(program: string, { stack }: ProgramThrown): string {
  const lines = program.split("\n");
  const frames = framesOf(stack).filter(({ line }) => line >= 1 && line <= lines.length);
  const [first] = frames;
  if (!first) return "";
  const line = (lines[first.line - 1] ?? "").replaceAll("\t", " ");
  const start = Math.max(line.search(/\S|$/), first.column - longestLine + 20);
  const shown = line.slice(start, start + longestLine);
  const number = `  ${first.line} | `;
  // No blanks, of which a text that people are shown has few in a row.
  const dashes = "-".repeat(Math.min(Math.max(0, first.column - 1 - start), shown.length));
  const led = frames.length > 1 ? frames.map(({ line, column }) => `  at line ${line}:${column}`) : [];
  return ["", number + shown, `${" ".repeat(number.length)}${dashes}^`, ...led, ""].join("\n");
}

/** What is to be done about it, as sentences; empty for an error of the program's own. */
export function adviseOn(program: string, { message, stack }: ProgramThrown, names: readonly string[]): string {
  if (message.startsWith("SyntaxError:")) {
    const isOpen = framesOf(stack).some(({ line }) => line > program.split("\n").length);
    const end = isOpen ? "The program ends where a bracket, a brace or a quote is still open. " : "";
    return `${end}A program is JavaScript without types, imports and exports.`;
  }
  if (/^ReferenceError: could not load module/.test(message)) return plain;
  const name = /^ReferenceError: '([\w$]+)' is not defined$/.exec(message)?.[1];
  if (name === undefined) return "";
  if (names.includes(name)) return `Write tools.${name}(input).`;
  return name in globalThis || elsewhere.has(name) ? plain : "";
}

const plain = "A program has the language itself and `tools`, and nothing of Node.js or of a browser.";
const elsewhere = new Set(["require", "module", "exports", "window", "document", "XMLHttpRequest", "Deno", "Bun", "Intl", "__dirname"]);

/** The program begins on the second line of what is evaluated. Numbers alone: a program may give its functions names of somebody else's. */
function framesOf(stack: string): readonly Frame[] {
  const places = Array.from(stack.matchAll(/program\.js:(\d{1,6}):(\d{1,6})/g), ([, line, column]) => ({
    ...{ line: Number(line) - 1, column: Number(column) },
  }));
  return places.slice(0, mostFrames);
}
