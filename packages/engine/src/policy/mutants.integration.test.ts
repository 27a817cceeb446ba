import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compilePolicy } from "./compile-policy.ts";
import { defaultPolicy } from "./document/policy-document.ts";

const policy = compilePolicy([{ tier: "platform", document: defaultPolicy }]);
const exec = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const facts = { sandbox: { available: true, detail: "" } };
const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" } as const;
const isAllowed = (command: string) => policy.decide(exec, [{ kind: "command", command }], facts, principal).effect === "allow";

const corpus = new URL("../../../../test/corpora/exec-bypass.jsonl", import.meta.url);
const commands = readFileSync(corpus, "utf8")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { command: string }).command)
  .filter((command) => command.length < 300);
const fragments =
  ";touch pwned|$(touch pwned)|`touch pwned`|>pwned|2>pwned|<(touch pwned)|2>(touch pwned)|&touch pwned|\ntouch pwned\n|-exec touch pwned {} +|-delete|-o pwned|--output=pwned|-i|w pwned|e touch pwned|'|\"|\\|\n|{a,b}|$'\\x3b'|#|/out/secret|../out/secret|*|~|!|((|))|$x|&|;|(|)|<|<<E\nx\nE\n|--|-f /out/secret|--pre=./evil.sh|'; touch pwned; '|$(cat /out/secret)|time |env |timeout 5 |xargs |cd src;|cd ..;| -r | -n 1 |[a-z]*|./evil.sh|sh -c 'touch pwned'|a=1 |LC_ALL=C |r /out/secret|\\\n"
    .split("|")
    .concat("|sh", "||touch pwned", "$" + "{IFS}", "|xargs cat", "-printf '/out/secret\\n' | xargs cat");

const splice = fc.record({ at: fc.nat(300), fragment: fc.constantFrom(...fragments), blank: fc.boolean() });
const mutant = fc
  .tuple(
    fc.constantFrom(...commands),
    fc.array(splice, { maxLength: 2 }),
    fc.option(fc.tuple(fc.constantFrom(" | ", " && ", "; "), fc.constantFrom(...commands))),
  )
  .map(([command, splices, tail]) => {
    const spliced = splices.reduce((text, { at, fragment, blank }) => {
      const place = at % (text.length + 1);
      return `${text.slice(0, place)}${blank ? ` ${fragment} ` : fragment}${text.slice(place)}`;
    }, command);
    return tail ? spliced + tail.join("") : spliced;
  })
  .filter(isAllowed);

/** 50,000 for a long run. */
const runs = Number(process.env.TOOLWRIGHT_FUZZ_MUTANTS ?? 300);
const seed = Number(process.env.TOOLWRIGHT_FUZZ_SEED ?? Date.now() % 2 ** 31);

let root = "";
const setUp = `git init -q . && git add README.md src && git -c user.name=a -c user.email=a@b.example commit -qm one && git status >/dev/null`;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-mutants-"));
  mkdirSync(join(root, "work/src"), { recursive: true });
  mkdirSync(join(root, "out"));
  writeFileSync(join(root, "out/secret"), "CANARY\n");
  writeFileSync(join(root, "work/README.md"), "hello\nfoo\nfoo\n");
  writeFileSync(join(root, "work/src/index.ts"), "TODO\n");
  writeFileSync(join(root, "work/evil.sh"), "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
  spawnSync("sh", ["-c", setUp], { cwd: join(root, "work") });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Every file with its size and time, but git's index, which git itself refreshes. */
function listTree(folder: string, prefix = ""): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTree(path, `${prefix}${entry.name}/`);
    const { size, mtimeMs } = statSync(path);
    return prefix === ".git/" && entry.name === "index" ? [] : [`${prefix}${entry.name} ${size} ${mtimeMs}`];
  });
}

const isolation =
  "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dev /dev --proc /proc --tmpfs /tmp --unshare-all --chdir /work --clearenv --setenv PATH /usr/bin:/bin".split(
    " ",
  );

function run(command: string) {
  const binds = ["--bind", join(root, "work"), "/work", "--ro-bind", join(root, "out"), "/out"];
  return spawnSync("timeout", ["5", "bwrap", ...isolation, ...binds, "--", "bash", "--noprofile", "--norc", "-c", command], {
    input: "",
    encoding: "utf8",
  });
}

test.skipIf(spawnSync("bwrap", ["--version"]).status !== 0)(
  `none of ${runs} mutants that the default policy allows writes a file or reads outside the workspace, seed ${seed} (R-EX-9)`,
  { timeout: 60_000 + runs * 100 },
  () => {
    const before = listTree(join(root, "work"));
    expect(run("touch planted; cat /out/secret").stdout).toContain("CANARY");
    expect(listTree(join(root, "work"))).not.toEqual(before);
    rmSync(join(root, "work/planted"));
    fc.assert(
      fc.property(mutant, (command) => {
        const { stdout, stderr } = run(command);
        expect(`${stdout}${stderr}`).not.toContain("CANARY");
        expect(listTree(join(root, "work"))).toEqual(before);
      }),
      { numRuns: runs, seed },
    );
  },
);
