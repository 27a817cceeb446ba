import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Stands in everything that no line may print. */
export const canary = "CANARY";

const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary}_KEY\n-----END OPENSSH PRIVATE KEY-----\n`;
const files: Readonly<Record<string, string>> = {
  "key.pub": `${canary}_HOME\n`,
  "outside/key": key,
  "outside/folder/secret.txt": `${canary}_FOLDER\n`,
  "project/README.md": "# P\n\nListens on a port.\n",
  "project/package.json": '{ "name": "p", "scripts": { "test": "node --test" } }\n',
  "project/src/a.ts": "export const port = 80;\n",
  "project/src/b.ts": "export const port = 8080;\n",
  "project/src/deep/c.ts": "export const name = 1;\n",
  "project/data/list.csv": "a,1\nb,2\na,3\n",
  "project/config/app.json": '{ "port": 80 }\n',
  "project/config/prod.env": `TOKEN=${canary}_PROD\n`,
  "project/.env": `TOKEN=${canary}_ENV\n`,
  "project/.gitignore": "node_modules/\nprivate/\n",
  "project/private/prod.env": `TOKEN=${canary}_PRIVATE\n`,
  "vault/settings/prod.env": `TOKEN=${canary}_TRACKED\n`,
  "vault/docs/a.md": "# A\n",
  "vault/README.md": "# V\n",
};

/** As most projects are: settings with credentials that git ignores, and links that stay inside. */
const ordinary: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => /^project\/(?!config|private)/.test(path))
      .map(([path, text]) => [path.replace("project", "ordinary"), text]),
  ),
  "ordinary/config/app.json": '{ "port": 80 }\n',
  "ordinary/.gitignore": "node_modules/\n.env\n",
  "ordinary/node_modules/x/index.js": "exports.port = 80;\n",
};

export interface HookProject {
  readonly root: string;
  /** With credentials in it, and with links to them and to what lies outside. */
  readonly project: string;
  /** A repository that tracks a credential file, and names a token in the address of a remote. */
  readonly vault: string;
  readonly ordinary: string;
  remove(): void;
}

/** What a line prints in a plain shell, as the agent runs it, in a copy of the folder. */
export function runPlain({ root }: HookProject, line: string, folder: string): string {
  const cwd = join(root, "copy");
  rmSync(cwd, { recursive: true, force: true });
  cpSync(folder, cwd, { recursive: true, verbatimSymlinks: true });
  const { stdout, stderr } = spawnSync("bash", ["-c", line], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 20_000,
    env: { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_GLOBAL: "/dev/null", SERVICE_TOKEN: `${canary}_VARIABLE` },
  });
  return `${stdout}${stderr}`;
}

export function makeHookProject(): HookProject {
  const root = mkdtempSync(join(tmpdir(), "toolwright-hook-lines-"));
  const at = (path: string) => join(root, path);
  for (const [path, text] of Object.entries({ ...files, ...ordinary })) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  mkdirSync(at("project/linked"));
  symlinkSync(at("outside/key"), at("project/notes.txt"));
  symlinkSync(at("outside/key"), at("project/linked/inner.txt"));
  symlinkSync(at("outside/folder"), at("project/shared"));
  symlinkSync(".env", at("project/safe.txt"));
  symlinkSync("README.md", at("ordinary/plain.md"));
  symlinkSync(at("outside/key"), at("ordinary/config/key"));
  linkSync(at("outside/key"), at("project/hard.txt"));
  const identity = ["-c", "user.name=A", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"];
  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync("git", [...identity, ...args], {
      cwd: at(folder),
      stdio: "ignore",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  for (const folder of ["project", "vault", "ordinary"]) git(folder, "init", "-q", "-b", "main");
  for (const folder of ["project", "ordinary"])
    git(folder, "add", "README.md", "package.json", "src", "data", "config/app.json", ".gitignore");
  git("vault", "add", "-f", ".");
  for (const folder of ["project", "vault", "ordinary"]) git(folder, "commit", "-q", "-m", "first");
  git("project", "checkout", "-q", "-b", "evil");
  symlinkSync(at("outside/key"), at("project/lure.txt"));
  git("project", "add", "lure.txt");
  git("project", "commit", "-q", "-m", "lure");
  git("project", "checkout", "-q", "main");
  for (const folder of ["project", "vault"])
    git(folder, "remote", "add", "origin", `https://ann:${canary}_TOKEN_0123456789abcdef@git.example/v.git`);
  return {
    root,
    project: at("project"),
    vault: at("vault"),
    ordinary: at("ordinary"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
