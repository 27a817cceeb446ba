import { linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorkplace, type Workplace } from "./support/open-workplace.ts";
import { findSandboxes } from "./support/sandboxes.ts";

/** A value that stands nowhere else; taken apart by some readers, so that no redaction of the whole would find it. */
const canary = "k7Qz2Wx9Vb4N";
const files: readonly (readonly [path: string, text: string])[] = [
  [".env", `API_TOKEN=${canary}\n`],
  [".env.local", `OTHER: ${canary}\n`],
  ["packages/app/.env.production", `export DEEP='${canary}'\n`],
  ["packages/app/PROD.ENV", `${canary}\n`],
  [".aws/credentials", `aws_secret_access_key = ${canary}\n`],
  [".ssh/config", `${canary}\n`],
  ["deploy/id_rsa", `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary}\n-----END OPENSSH PRIVATE KEY-----\n`],
  ["certs/server.pem", `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----\n`],
  [".npmrc", `//registry.npmjs.org/:_authToken=${canary}\n`],
  [".netrc", `machine host.example login me password ${canary}\n`],
  [".git-credentials", `https://me:${canary}@host.example\n`],
  // Named by a link, deploy/.env.live, alone.
  ["config/live.txt", "p3Rt8Ys6Lm1X\n"],
];

/** Programs that read files which they are not told by name, or by another name. */
const readers = [
  "grep -r . .",
  "grep -rn API_TOKEN",
  "grep -rh --include=* . .",
  "grep -rc k7Qz2 .",
  "rg -. --no-ignore .",
  "rg -uuu k7",
  "find . -type f | xargs head",
  "find . -type f -print0 | xargs -0 cat",
  "find . -name '*.production' -exec cat {} +",
  "find . -size -2 -exec head -c 40 {} ';'",
  "diff -rN . empty",
  "diff -r --unified=9 empty .",
  "cat notes.txt",
  "head -n 5 notes.txt copy.txt",
  "cat config/live.txt",
  "tail -n +1 config/live.txt notes.txt",
  "sort notes.txt",
  "cut -c1-20 notes.txt",
  "rev notes.txt | rev",
  "base64 notes.txt",
  "wc -c notes.txt && od -c copy.txt",
  "awk '{ print }' notes.txt",
  "sed -n p copy.txt",
  "strings copy.txt",
  "tar c .",
  "tar czf - . | base64",
  "zip -r - .",
  "git grep -h -I --untracked .",
  "git diff --stat",
  "jq -R . notes.txt",
  "sh read.sh",
  "node read.mjs",
  "python3 read.py",
  "npm run read",
] as const;
/** Interpreters and scripts that somebody allowed by a rule. */
const allowed = ["sh read.sh", "node read.mjs", "python3 read.py", "npm run read", "tar c .", "zip -r - ."];

describe.each(await findSandboxes())("R-SB-12 credential files in $name", (sandbox) => {
  const { missing } = sandbox;
  let place: Workplace;
  const use = (name: string, body: () => Promise<void>) =>
    test.skipIf(missing !== undefined)(missing ? `${name} (${missing})` : name, body);

  beforeAll(() => {
    if (missing !== undefined) return;
    place = openWorkplace(sandbox, allowed);
    for (const [path, text] of files) place.write(path, text);
    place.write("empty/.keep", "");
    place.write("read.sh", "cat .env* .aws/* deploy/* certs/* copy.txt | rev\n");
    place.write(
      "read.py",
      "import os\nfor d, _, names in os.walk('.'):\n  for n in names: print(open(os.path.join(d, n), 'rb').read()[::-1])\n",
    );
    place.write(
      "read.mjs",
      'import { readdirSync, readFileSync } from "node:fs";\nfor (const e of readdirSync(".", { recursive: true, withFileTypes: true })) if (!e.isDirectory()) console.log([...readFileSync(e.parentPath + "/" + e.name, "utf8")].reverse().join(""));\n',
    );
    place.write("package.json", JSON.stringify({ scripts: { read: "node read.mjs" } }));
    symlinkSync(".env", join(place.workspace, "notes.txt"));
    symlinkSync("../config/live.txt", join(place.workspace, "deploy/.env.live"));
    linkSync(join(place.workspace, ".env.local"), join(place.workspace, "copy.txt"));
    place.settle();
  });
  afterAll(() => place?.[Symbol.asyncDispose]());

  const reversed = [...canary].reverse().join("");
  const parts = [canary, "p3Rt8Y", "X1mL6s", reversed, canary.slice(0, 6), reversed.slice(0, 6), "k   7   Q   z", "azdRejJXeDlW"];
  const leaks = (text: string) => parts.filter((part) => text.includes(part));

  let ran = 0;
  test.skipIf(missing !== undefined).each(readers)("are not shown unasked by: %s", async (command) => {
    const { result, text } = await place.run(command);
    expect(leaks(text)).toEqual([]);
    if (result.status === "done") ran += 1;
  });

  use("are read in vain by twenty readers and more, which run without a question", async () => expect(ran).toBeGreaterThan(19));

  use("are what a person sees who approved the call as a whole", async () => {
    const { text } = await place.runApproved("cat .env packages/app/PROD.ENV .aws/credentials");
    expect(text.split(canary).length).toBeGreaterThan(3);
  });

  use("are named in the result of a run that finds them empty", async () => {
    const { result } = await place.run("node read.mjs");
    expect(result.anomalies?.map(({ kind, message }) => [kind, message])).toEqual([
      ["credentials_hidden", expect.stringMatching(/^\d+ credential files were empty for this command.*"\.aws".* Have the call approved/)],
    ]);
  });

  use("are not searched by the file tools, through links and further names neither", async () => {
    for (const input of [
      { type: "grep", pattern: canary },
      { type: "grep", pattern: ".", path: "deploy" },
      { type: "grep", pattern: "k7", path: "." },
    ])
      expect(leaks(JSON.stringify(await place.scope.invokeNamed("file_search", input)))).toEqual([]);
    for (const path of ["notes.txt", "copy.txt", "deploy/.env.live", ".env", "packages/app/prod.env"])
      expect(leaks(JSON.stringify(await place.scope.invokeNamed("file_read", { path })))).toEqual([]);
  });

  use("stay as they were", async () => {
    await place.run("sh read.sh");
    const { text } = await place.runApproved("cat .env config/live.txt; ls -A");
    expect(leaks(text)).toEqual(expect.arrayContaining([canary, "p3Rt8Y"]));
  });
});

const gitCommands = "add commit switch stash".split(" ").map((subcommand) => `git ${subcommand} *`);

describe.each(await findSandboxes())("R-SB-12 credentials that git keeps in $name", (sandbox) => {
  const { missing } = sandbox;
  const here = test.skipIf(missing !== undefined);
  const [first, second, token] = ["q8Lw3Rt6Zx1M", "v5Bn9Kj2Hg7P", "ghp_a1B2c3D4e5F6g7H8i9J0"];
  let place: Workplace;

  beforeAll(async () => {
    if (missing !== undefined) return;
    place = openWorkplace(sandbox, [...gitCommands, "git stash push *", "git config *"]);
    place.write(".env", `API_TOKEN=${first}\n`);
    place.write(".npmrc", "save-exact=true\nregistry=https://registry.npmjs.org/\n");
    place.write("src/a.txt", "one\n");
    place.settle();
    await place.runApproved(
      `git init -q -b main && git config user.name a && git config user.email a@b.example && git add -A && git commit -qm one && git remote add origin https://me:${token}@host.example/a/b.git && git remote add other https://${token}@host.example/a/c.git`,
    );
  });
  afterAll(() => place?.[Symbol.asyncDispose]());
  const parts = [first, second, token, first.slice(0, 6), second.slice(0, 6), token.slice(4, 12)];
  const leaks = (text: string) => parts.filter((part) => text.includes(part));

  const printing = [
    "git log -p",
    "git show HEAD",
    "git show",
    "git diff HEAD~0",
    "git log -p | head -40",
    "git show HEAD | rev",
    "git log -p | cut -c1-17",
    "git log -p | tr a-z b-za",
    "git show HEAD | base64",
    "git log -p | grep -o API_TOKEN=q8Lw3",
    "git log -G'API_TOKEN=q8' --oneline -p",
    "git log -S q8Lw3 --oneline",
    "git grep -h q8 HEAD",
    "git grep -c q8 --cached",
    "git grep q8",
    "git show HEAD:.env",
    "git cat-file -p HEAD:.env",
    "git blame .env",
    "git log -p -- .env",
    "git log -p --word-diff-regex=.",
    "git diff --no-index /dev/null .env",
    "git remote -v",
    "git remote get-url origin",
    "git config --get remote.origin.url",
    "git config --list",
    "cat .git/config",
    "grep -r url .git",
    "grep -rh . .git/config",
    "rg -uu url .",
    "find .git -name config | xargs cat",
  ];
  here.each(printing)("are not shown unasked by: %s", async (command) => {
    expect(leaks((await place.run(command)).text)).toEqual([]);
  });

  here.each(["git diff", "git diff | cat", "git diff --stat -p", "git log -p", "git show HEAD"])(
    "are not shown unasked by %s when the file has changed since",
    async (command) => {
      place.write(".env", `API_TOKEN=${second}\n`);
      const { text, result } = await place.run(command);
      place.write(".env", `API_TOKEN=${first}\n`);
      expect([leaks(text), result.status]).toEqual([[], "pending"]);
    },
  );

  here.each([".git/config", ".git/FETCH_HEAD"])("are not shown by the file tools out of %s", async (path) => {
    place.write(".git/FETCH_HEAD", `branch 'main' of https://me:${token}@host.example/a/b\n`);
    const read = await place.scope.invokeNamed("file_read", { path });
    expect(JSON.stringify(read)).toContain("host.example");
    expect(leaks(JSON.stringify(read))).toEqual([]);
  });

  here("do not make ordinary work ask, and come through it unchanged", async () => {
    const commands = [
      "git status --short",
      "git status | head -20",
      "git diff | head -100",
      "git status --short | grep -c M",
      "git diff",
      "git add -A",
      "git commit -qm two",
      "git switch -qc topic",
      "git log --oneline -5",
      "git log -p -3 -- src",
      "git show --stat HEAD",
      "git diff main..topic -- src",
      "git stash push -m x",
      "git ls-files",
    ];
    place.write("src/a.txt", "one\ntwo\n");
    place.settle();
    const changed: string[] = [];
    for (const command of commands) {
      const { result, text } = await place.run(command);
      expect([command, result.status]).toEqual([command, "done"]);
      if (/status|diff(?: \||$)/.test(command)) changed.push(text);
    }
    expect(changed.join("")).toContain("src/a.txt");
    expect(changed.join("")).not.toMatch(/\.env|\.npmrc/);
    const npmrc = "save-exact=true\nregistry=https://registry.npmjs.org/\n";
    const { result } = await place.runApproved("git show HEAD:.env; git show HEAD:.npmrc; cat .env .npmrc");
    expect(result).toMatchObject({ output: { stdout: `API_TOKEN=${first}\n${npmrc}`.repeat(2) } });
    expect(readFileSync(join(place.workspace, ".env"), "utf8")).toBe(`API_TOKEN=${first}\n`);
  });
});
