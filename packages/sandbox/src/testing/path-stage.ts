import { spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
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
  mkdirSync(place(stage, "$W"), { recursive: true });
  return stage;
}

export function closeStage({ base, servers }: PathStage): void {
  for (const server of servers) server.close();
  rmSync(base, { recursive: true, force: true });
}

/** Puts the real folders in the place of `$W` and the others. */
export function place({ base }: PathStage, text: string): string {
  const folders: Readonly<Record<string, string>> = { W: "p/work", O: "p/out", S: "p/work2", P: "p" };
  return text.replace(/\$([WOSP])(?=\/|$)/g, (_, token: string) => join(base, folders[token]!));
}

const fill = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

const actions: Readonly<Record<string, (a: string, b: string, stage: PathStage) => unknown>> = {
  file: (path, content) => writeFileSync(fill(path), content),
  dir: (path) => mkdirSync(path, { recursive: true }),
  symlink: (path, target) => symlinkSync(target, fill(path)),
  hardlink: (path, target) => linkSync(target, fill(path)),
  fifo: (path) => runProgram("mkfifo", fill(path)),
  socket: (path, _, stage) =>
    new Promise<void>((resolve, reject) => {
      stage.servers.push(createServer().on("error", reject).listen(fill(path), resolve));
    }),
  sparse: (path, size) => {
    writeFileSync(fill(path), "");
    truncateSync(path, Number(size));
  },
  rm: (path) => rmSync(path, { recursive: true, force: true }),
  rename: (from, to) => renameSync(from, fill(to)),
  chmod: (path, mode) => chmodSync(path, Number.parseInt(mode, 8)),
};

/** Does one step. Throws for one that it does not know; a promise only for a socket. */
export function perform(stage: PathStage, step: PathStep): unknown {
  const [[name, operands] = []] = Object.entries(step);
  const action = name === undefined || !Object.hasOwn(actions, name) ? undefined : actions[name];
  if (!action) throw new Error(`The corpus has a step that is not known here: ${JSON.stringify(step)}`);
  const [first = "", second = ""] = [operands].flat().map((operand) => place(stage, String(operand)));
  return action(first, second, stage);
}

function runProgram(...[program, ...args]: [string, ...string[]]): void {
  if (spawnSync(program, args).status !== 0) throw new Error(`${program} failed`);
}
