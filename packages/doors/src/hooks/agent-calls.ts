import { expandBraces } from "@toolwright/engine/policy";
import { given, type OurCall, type PathWords, textOf } from "./hook-agent.ts";

const plain = /^[\w@%+=:,./-]+$/;
const quote = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const shellName = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

/** The line that an argv runs: of a shell with `-c`, its text. Anything else comes back as it is, and fits no tool. */
export function lineOf(command: unknown): unknown {
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return command;
  const [program = "", flag = "", text, ...more] = command;
  if (shellName.test(program) && /^-l?c$/.test(flag) && text !== undefined && more.length === 0) return text;
  return command.map(quote).join(" ");
}

/** A line for a shell of another grammar: to the policy one program with a text, which nobody here reads. */
export const foreignLine = (program: string, command: unknown): unknown =>
  typeof command === "string" ? `${program} ${quote(command)}` : command;

export const toExec = (command: unknown, workdir: unknown): OurCall => ({ tool: "exec", input: given({ command, workdir }) });

/** What is written to a process that runs: a line, if that is a shell, and else something that nobody here reads. Nothing for keys that end it. */
export function toInput(chars: unknown, workdir: unknown): readonly OurCall[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the keys that interrupt a program and end its input
  const text = typeof chars === "string" ? chars.replace(/[\u0003\u0004]/g, "").trim() : "";
  return text === "" ? [] : [toExec(text, workdir), toExec("sh", workdir)];
}

interface Pattern {
  readonly pattern: unknown;
  /** The folder that the pattern starts from. */
  readonly folder: unknown;
}

/** A search for files by a pattern that may name another folder itself: absolute, by `..`, or in braces. */
export const searchNames = (asked: Pattern, paths: PathWords): readonly OurCall[] =>
  placesOf(asked, paths).map(({ path, rest }) => ({ tool: "file_search", input: given({ type: "glob", pattern: rest, path }) }));

/** A search of what files hold; `glob` chooses among them. */
export const searchContent = ({ pattern, folder, glob }: Pattern & { readonly glob: unknown }, { at }: PathWords): OurCall => ({
  tool: "file_search",
  input: given({ type: "grep", pattern, path: at(folder), glob: textOf(glob) }),
});

/** Reads every file that a pattern stands for. */
export const readMatches = (asked: Pattern, paths: PathWords): readonly OurCall[] =>
  placesOf(asked, paths).map(({ path, rest }) =>
    rest === ""
      ? { tool: "file_read", input: given({ path }) }
      : { tool: "file_search", input: given({ type: "grep", pattern: ".", path, glob: rest }) },
  );

interface PlacedPattern {
  readonly path: unknown;
  readonly rest: unknown;
}

/** Each folder that a pattern names before its first wildcard, and what follows. */
function placesOf({ pattern, folder }: Pattern, { at }: PathWords): readonly PlacedPattern[] {
  if (typeof pattern !== "string" || pattern === "") return [{ path: at(folder), rest: pattern }];
  const words = expandBraces(pattern);
  // More than anybody looks through: as a pattern of the folder above, which is refused.
  if (!words) return [{ path: "..", rest: pattern }];
  return words.map((word) => {
    const parts = word.split("/");
    const wild = parts.findIndex((part) => /[*?[\]!+@(]/.test(part));
    const [start, rest] = wild < 0 ? [parts, []] : [parts.slice(0, wild), parts.slice(wild)];
    if (rest.includes("..")) return { path: "..", rest: word };
    const named = start.length === 1 && start[0] === "" ? "/" : start.join("/");
    return { path: at(placeIn(folder, named)), rest: rest.join("/") || "" };
  });
}

function placeIn(folder: unknown, named: string): unknown {
  if (named.startsWith("/") || typeof folder !== "string" || folder === "") return named === "" ? folder : named;
  return named === "" ? folder : `${folder.replace(/(?<!\/)\/+$/, "")}/${named}`;
}
