import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One action on the disk: its name, then one or two operands in which `$W`, `$O`, `$S`, `$P` stand for folders. */
export type PathStep = Readonly<Record<string, unknown>>;

/** The folders of one case of the path corpus: the workspace `$W`, outside `$O`, a sibling `$S`, and `$P` that holds them. */
export interface PathStage {
  /** Real path of the folder that holds everything of the case. */
  readonly base: string;
  readonly servers: Server[];
}

export function openStage(): PathStage {
  const stage = { base: realpathSync(mkdtempSync(join(tmpdir(), "tw-"))), servers: [] };
  mkdirSync(expandStage(stage, "$W"), { recursive: true });
  return stage;
}

export function closeStage({ base, servers }: PathStage): void {
  for (const server of servers) server.close();
  rmSync(base, { recursive: true, force: true });
}

/** Puts the real folders in the place of `$W` and the others. */
export function expandStage({ base }: PathStage, text: string): string {
  const folders: Readonly<Record<string, string>> = { W: "p/work", O: "p/out", S: "p/work2", P: "p" };
  return text.replace(/\$([WOSP])(?![A-Za-z_])/g, (_, token: string) => join(base, folders[token]!));
}

const fill = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

interface Action {
  /** How many operands it takes. */
  readonly takes: 1 | 2;
  readonly act: (a: string, b: string, stage: PathStage) => unknown;
}

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["file", { takes: 2, act: (path, content) => writeFileSync(fill(path), content) }],
  ["bytes", { takes: 2, act: (path, digits) => writeFileSync(fill(path), fromHexadecimal(digits)) }],
  ["append", { takes: 2, act: (path, content) => appendFileSync(fill(path), content) }],
  ["touch", { takes: 1, act: (path) => appendFileSync(fill(path), "") }],
  ["dir", { takes: 1, act: (path) => mkdirSync(path, { recursive: true }) }],
  ["symlink", { takes: 2, act: (path, target) => symlinkSync(target, fill(path)) }],
  ["hardlink", { takes: 2, act: (path, target) => linkSync(target, fill(path)) }],
  ["fifo", { takes: 1, act: (path) => runProgram("mkfifo", fill(path)) }],
  ["socket", { takes: 1, act: (path, _, stage) => listen(fill(path), stage) }],
  ["sparse", { takes: 2, act: makeSparse }],
  ["truncate", { takes: 2, act: (path, size) => truncateSync(path, Number(size)) }],
  ["rm", { takes: 1, act: (path) => rmSync(path, { recursive: true, force: true }) }],
  ["rmdir", { takes: 1, act: (path) => rmdirSync(path) }],
  ["copy", { takes: 2, act: (from, to) => cpSync(from, fill(to), { recursive: true, verbatimSymlinks: true }) }],
  ["rename", { takes: 2, act: (from, to) => renameSync(from, fill(to)) }],
  ["exchange", { takes: 2, act: exchange }],
  ["chmod", { takes: 2, act: (path, mode) => chmodSync(path, Number.parseInt(mode, 8)) }],
]);
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      write: "file",
      mkdir: "dir",
      mkfifo: "fifo",
      pipe: "fifo",
      link: "hardlink",
      unlink: "rm",
      delete: "rm",
      remove: "rm",
      rmtree: "rm",
    },
    ...{ move: "rename", mv: "rename", cp: "copy", swap: "exchange" },
  }),
);

function makeSparse(path: string, size: string): void {
  writeFileSync(fill(path), "");
  truncateSync(path, Number(size));
}

function fromHexadecimal(digits: string): Buffer {
  if (/^(?:[0-9a-f]{2})*$/i.test(digits)) return Buffer.from(digits, "hex");
  throw new Error(`The step bytes takes a path and hexadecimal digits, two for each byte, not ${JSON.stringify(digits)}.`);
}

function listen(path: string, { servers }: PathStage): Promise<void> {
  return new Promise((resolve, reject) => {
    servers.push(createServer().on("error", reject).listen(path, resolve));
  });
}

function exchange(a: string, b: string): void {
  renameSync(a, `${a}.exchanged`);
  renameSync(b, a);
  renameSync(`${a}.exchanged`, b);
}

/** Does one step. Throws for one that it does not know; a promise only for a socket. */
export function perform(stage: PathStage, step: PathStep): unknown {
  const [[name = "", operands] = [], ...others] = Object.entries(step);
  const action = actions.get(synonyms.get(name) ?? name);
  const texts = [operands].flat().map((operand) => expandStage(stage, String(operand)));
  if (!action || others.length > 0) throw new Error(`The corpus has a step that is not known here: ${JSON.stringify(step)}`);
  if (texts.length !== action.takes) throw new Error(`The step ${JSON.stringify(step)} must have ${action.takes} operand(s).`);
  return action.act(texts[0]!, texts[1] ?? "", stage);
}

function runProgram(...[program, ...args]: [string, ...string[]]): void {
  if (spawnSync(program, args).status !== 0) throw new Error(`${program} failed`);
}
