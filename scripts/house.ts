// How the house stands, in numbers: `npm run house [-- --json]`. A test holds those that only fall.
import { fileURLToPath } from "node:url";
import { byHand } from "../packages/cli/src/commands/by-hand.ts";
import { isTestFile, readSourceFiles, withoutComments } from "../test/architecture/source-files.ts";

export interface HouseNumbers {
  /** Product files that people write, and their lines; tests, doubles and generated files left out. */
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  /** Casts of a schema to the type that it should have by itself. */
  readonly schemaCasts: number;
  /** Casts that go through unknown, whatever they are for. */
  readonly unknownCasts: number;
  /** Schemas of any JSON in operations, which say less than is known. */
  readonly looseSchemas: number;
  /** Operations that the command line asks for by name, each by hand. */
  readonly operationsByHand: number;
  /** Commands that are made of no operation. */
  readonly commandsByHand: number;
  /** Lines that describe commands by hand. */
  readonly commandLines: number;
  /** Names that a file exports and no other file of the product or its tests reads. */
  readonly unreadExports: number;
}

const isProduct = (path: string) => /^packages\/[^/]+\/src\//.test(path) && !isTestFile(path) && !/\/(?:testing|generated)\//.test(path);
/** Files whose exports are read as a whole. */
const isEntry = (path: string) => /\/(?:index|subjects|[a-z-]*entry)\.tsx?$|\/entries\//.test(path);

export function countHouse(): HouseNumbers {
  const all = readSourceFiles();
  const files = all.filter(({ path }) => isProduct(path)).map(({ path, text }) => ({ path, code: withoutComments(text), text }));
  const count = (expression: RegExp, among = files) => among.reduce((sum, { code }) => sum + (code.match(expression)?.length ?? 0), 0);
  const below = (folder: string) => files.filter(({ path }) => path.startsWith(folder));
  const lengths = files.map(({ text }) => text.split("\n").length - 1).sort((a, b) => a - b);
  const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
  const definitions = below("packages/cli/src/commands/").filter(({ path }) => /\/define-[a-z-]+\.ts$/.test(path));
  return {
    files: files.length,
    lines: total(lengths),
    medianLines: lengths[Math.floor(lengths.length / 2)] ?? 0,
    schemaCasts: count(/\bas (?:unknown as )?z\.Zod\w+/g),
    unknownCasts: count(/\bas unknown as\b/g),
    looseSchemas: count(/\bany(?:Json|Object)(?:<|\()/g, below("packages/engine/src/operations/")),
    operationsByHand: count(/\boperate\(\s*"/g, below("packages/cli/src/")),
    commandsByHand: Object.keys(byHand).length,
    commandLines: total(definitions.map(({ text }) => text.split("\n").length - 1)),
    unreadExports: countUnread(files, all),
  };
}

/** By the words of the code: a name counts as read where any other file has it. */
function countUnread(
  files: readonly { readonly path: string; readonly code: string }[],
  all: readonly { readonly text: string }[],
): number {
  const readers = new Map<string, number>();
  for (const { text } of all) for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) readers.set(word, (readers.get(word) ?? 0) + 1);
  const exported = files
    .filter(({ path }) => !isEntry(path))
    .flatMap(({ code }) =>
      Array.from(code.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) ([\w$]+)/gm), ([, name = ""]) => name),
    );
  return exported.filter((name) => readers.get(name) === 1).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const numbers = countHouse();
  if (process.argv.includes("--json")) console.log(JSON.stringify(numbers, undefined, 2));
  else
    for (const [name, value] of Object.entries(numbers))
      console.log(`${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).padEnd(20)} ${String(value).padStart(8)}`);
}
