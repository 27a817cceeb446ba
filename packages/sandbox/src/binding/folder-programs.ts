import { lastPart, type ShellCommand } from "./shell-commands.ts";

/** A program for which a folder in its words stands for all that lies below. */
interface FolderProgram {
  /** Its last word is where the others go; what lies there already stays. */
  readonly lastIsTarget?: boolean;
  /** What the files hold makes no difference to what it does. */
  readonly namesSuffice?: boolean;
  /** Runs what it finds in a folder, and is given the folder that it runs in as a matter of course (`vitest .`). */
  readonly runs?: boolean;
  /** Words with which it takes the folder that it runs in, though no word names it. */
  readonly takesOwn?: readonly string[];
  /** Chooses among what it finds by `-name`. */
  readonly searches?: boolean;
}

const copies: FolderProgram = { lastIsTarget: true };
const packs: FolderProgram = {};
const deletes: FolderProgram = { namesSuffice: true };
const runs: FolderProgram = { runs: true };
const publishes: FolderProgram = { takesOwn: ["pack", "publish", "package", "deploy"] };

const table: readonly (readonly [program: FolderProgram, names: string])[] = [
  [copies, "cp gcp mv gmv install ginstall rsync scp ln ditto cpx copyfiles ncp"],
  [packs, "tar gtar bsdtar zip 7z 7za 7zr cpio pax ar jar gzip xz zstd bzip2 sftp rclone s3cmd gsutil aws az gcloud"],
  [packs, "docker podman nerdctl buildah kubectl oc helm"],
  [deletes, "rm grm rmdir unlink shred srm trash rimraf del-cli chmod chown chgrp setfacl"],
  [runs, "node deno tsx ts-node python pypy ruby perl php pytest py.test mocha jest vitest ava tap rspec phpunit bats run-parts go"],
  [publishes, "npm pnpm yarn bun cargo poetry uv flit hatch vsce ovsx wrangler netlify vercel firebase surge"],
  [{ searches: true }, "find gfind fd fdfind bfs"],
];
const programs: ReadonlyMap<string, FolderProgram> = new Map(
  table.flatMap(([program, names]) => names.split(" ").map((name) => [name, program] as const)),
);

export interface FolderUse extends FolderProgram {
  /** Index of the word that is the program. */
  readonly at: number;
}

/** The first word of a command that is such a program: others may stand before it (`sudo`, `timeout 5`, `xargs`, `git`). */
export function findFolderUse(command: ShellCommand): FolderUse | undefined {
  for (const [at, { text, redirect }] of command.entries()) {
    const name = lastPart(text);
    const program = redirect ? undefined : (programs.get(name) ?? programs.get(name.replace(/-?(?<![\d.])\d[\d.]*$/, "")));
    if (program) return { ...program, at };
  }
  return undefined;
}

/** Indexes of the words that name where a copy goes. */
export function targetsOf(command: ShellCommand, { at, lastIsTarget }: FolderUse): ReadonlySet<number> {
  if (!lastIsTarget) return new Set();
  const option = command.findIndex(({ text }, index) => index > at && /^(?:-[a-zA-Z]*t|--target-directory)$/.test(text));
  if (option !== -1) return new Set([option + 1]);
  if (command.some(({ text }, index) => index > at && /^(?:-t.|--target-directory=)/.test(text))) return new Set();
  return new Set([command.findLastIndex(({ text, redirect }, index) => index > at && !redirect && !text.startsWith("-"))]);
}

/** Names that a search is for; undefined when it is for anything. */
export function searchedNames(command: ShellCommand, { searches }: FolderUse): readonly string[] | undefined {
  if (!searches) return undefined;
  const texts = command.map(({ text }) => text);
  if (texts.some((text) => /^(?:!|-not|,|-i?(?:path|wholename|regex)|-(?:exec|ok)(?:dir)?)$/.test(text))) return undefined;
  const names = texts.flatMap((text, index) => (/^-i?name$/.test(text) ? (texts[index + 1] ?? "*") : []));
  // "-o" may join a name with something that is no name.
  return names.length === 0 || texts.some((text) => /^-o(?:r)?$/.test(text)) ? undefined : names;
}
