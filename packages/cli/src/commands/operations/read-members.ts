import type { ShellFlag, ShellWord } from "@toolwright/engine/shell";
import { CliError } from "../../cli-error.ts";
import { readFuture, readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { fill } from "./fill.ts";
import { attributeOf, type GeneratedCommand, optionName } from "./generated-command.ts";

type Members = Readonly<Record<string, unknown>>;
type Reads = ShellWord["reads"];

/** What commander read: options by their names, and the words that are none. */
interface Read {
  readonly options: Members;
  readonly words: readonly string[];
  /** Options that a suggested command needs to meet the same server and tenant. */
  readonly where?: string;
}

/** The input of the command's operation, without that of a call. Members that nobody named are left out. */
export async function readMembers(
  io: Io,
  { arguments: named, options: flags, gives = {}, each, missing = "", call, settle }: GeneratedCommand,
  { options, words, where = "" }: Read,
): Promise<Members> {
  const members = new Map<string, unknown>(Object.entries(gives));
  let rest = words;
  const hint = missing && ` ${fill(missing, { where })}`;
  for (const argument of named) {
    const readOne = (word: string) => readWord(io, { ...argument, hint }, argument.form, word);
    const readFile = policyFileReaders.get(argument.reads);
    const isLast = argument.form.includes("...");
    const taken = isLast ? rest : rest.slice(0, 1);
    rest = rest.slice(taken.length);
    if (readFile) members.set(argument.member, await (await import("../../input/read-policy-file.ts"))[readFile](io, options, taken[0]));
    if (readFile || taken.length === 0 || argument.member === call?.input) continue;
    if (argument.holds) {
      for (const [member, value] of await readHeld(io, argument.holds, taken.join(" "))) members.set(member, value);
      continue;
    }
    const isMany = argument.kind === "texts" || argument.kind === "numbers" || (argument.member === each && argument.reads !== "lines");
    members.set(argument.member, isMany ? await Promise.all(taken.map(readOne)) : await readOne(taken.join(" ")));
  }
  for (const flag of flags) {
    const value = options[attributeOf(flag)];
    if (value === undefined || flag.member === call?.input) continue;
    if (flag.clears !== undefined && (value === "" || value === false)) {
      members.set(flag.clears, [...((members.get(flag.clears) as readonly string[] | undefined) ?? []), flag.into ?? flag.member]);
      continue;
    }
    const read = await readOption(io, flag, value);
    members.set(flag.member, members.has(flag.member) ? join(members.get(flag.member), read, flag) : read);
  }
  const read: Members = Object.fromEntries(members);
  return settle ? (await settle())(read, { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }) : read;
}

/** The members that a file holds, by their own names. */
async function readHeld(io: Io, holds: Readonly<Record<string, string>>, path: string): Promise<readonly (readonly [string, unknown])[]> {
  const held = await (await import("../../input/read-file.ts")).readDocument(io, "", path);
  const file = path === "-" ? "stdin" : path;
  if (typeof held !== "object" || held === null || Array.isArray(held))
    throw new CliError(`${file}: the whole: expected an object with members.`);
  const members = new Map(Object.entries(holds).map(([member, written]) => [written, member]));
  return Object.entries(held).map(([name, value]) => {
    if (Object.hasOwn(holds, name)) throw new CliError(`${file}: ${name}: unknown member. Did you mean "${holds[name]}"?`);
    return [members.get(name) ?? name, value];
  });
}

/** Options of one object say its members together. */
function join(before: unknown, more: unknown, flag: ShellFlag): unknown {
  const isPart = flag.into !== undefined || flag.names !== undefined;
  const both = isPart ? Object.keys(more as object).filter((name) => Object.hasOwn(before as object, name)) : [];
  if (isPart && both.length === 0) return { ...(before as object), ...(more as object) };
  if (both.length > 0)
    throw new CliError(
      `Name ${both.map((name) => JSON.stringify(name)).join(" and ")} with one option alone, not with ${optionName(flag)}, too.`,
    );
  throw new CliError(`Leave ${optionName(flag)} out, or the other option: they say the same.`);
}

async function readOption(io: Io, flag: ShellFlag, value: unknown): Promise<unknown> {
  const read = await readValue(io, flag, value);
  if (flag.names !== undefined) return Object.fromEntries((read as readonly string[]).map((name) => [checkName(flag, name), flag.names]));
  return flag.into === undefined ? read : { [flag.into]: read };
}

function checkName(flag: ShellFlag, name: string): string {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(name)) return name;
  throw new CliError(`${optionName(flag)} ${JSON.stringify(name)} is no name. Use a-z, 0-9 and "_", at most 63, the first a letter.`);
}

async function readValue(io: Io, flag: ShellFlag, value: unknown): Promise<unknown> {
  if (typeof value === "boolean") return value || flag.kind === "flag" ? value : [];
  const name = optionName(flag);
  // An empty word stands for a list of nothing.
  if (Array.isArray(value)) return Promise.all(value.filter((word) => word !== "").map((word) => readWord(io, flag, name, word)));
  return readWord(io, flag, name, String(value));
}

/** `hint`: what to do where the word is none of those that it could be. */
interface ReadWord extends ShellWord {
  readonly hint?: string;
  readonly about?: string;
}

async function readWord(io: Io, { kind, reads, as, hint, about = "" }: ReadWord, name: string, word: string): Promise<unknown> {
  if (reads === "word") return word;
  if (reads === "lines") return (await import("../../input/read-file.ts")).readLines(io, about, word);
  if (reads === "past") return readPast(name, word);
  if (reads === "future") return readFuture(word, Date.now());
  const reader = fileReaders.get(reads);
  if (reader) return (await import("../../input/read-file.ts"))[reader](io, name, word);
  if (kind === "number" || kind === "numbers") return readNumber(name, word, hint);
  if (kind === "json") return readJson(name, word);
  return as === undefined ? word : as.replace("{}", () => word);
}

/** What reads the file that a word names. */
const fileReaders: ReadonlyMap<Reads, "readText" | "readDocument" | "readPolicy" | "readAgents"> = new Map([
  ["text", "readText"],
  ["document", "readDocument"],
  ["policy", "readPolicy"],
  ["agents", "readAgents"],
]);

/** Readers of policy files. Without a file name, each reads the policy file in force. */
const policyFileReaders: ReadonlyMap<Reads, "readPolicyFile" | "readUntestedPolicyFile" | "readPolicyDocument"> = new Map([
  ["policyFile", "readPolicyFile"],
  ["untestedPolicyFile", "readUntestedPolicyFile"],
  ["wholePolicyFile", "readPolicyDocument"],
]);

/** True where what is wrong in the file that a command reads is its result. */
export const readsPolicyFile = ({ arguments: named }: Pick<GeneratedCommand, "arguments">): boolean =>
  named.some(({ reads }) => reads === "policyFile" || reads === "untestedPolicyFile");

function readNumber(name: string, word: string, hint = ""): number {
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(word)) return Number(word);
  throw new CliError(`${name} is ${JSON.stringify(word)}, which is not a number.${hint}`);
}

function readJson(name: string, word: string): unknown {
  try {
    return JSON.parse(word);
  } catch (cause) {
    throw new CliError(`${name} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}
