import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { judgeExecCase } from "@toolwright/engine/testing";
import { createHostDriver, execCapability } from "@toolwright/sandbox";
import { builtinPermissions, runtimeTools } from "@toolwright/tools";
import { describe, expect, test } from "vitest";

/** What an operator allows for daily work; nothing in it covers `sneak`. */
const allow =
  `ls*;cat *;cat;echo *;grep *;head *;tail *;find *;sort *;sed *;rg *;cd *;git status*;git log*;git diff*;git commit*;npm test*;npm run *;
  make*;cargo test*;go test*;pytest*;bash scripts/ok.sh;./run.sh;bash *;sh *;node *;python3 *;node scripts/count.js *;tee *;cp *;xargs *;env *;timeout *`
    .split(";")
    .map((pattern) => pattern.trim());
const judge = (command: string) => judgeExecCase({ command, allow });

describe("a backslash at the end of a line hides nothing (R-EX-3, R-EX-4)", () => {
  test.each([
    ["a command behind a separator", "ls \\\n; sneak"],
    ["a command behind an operator", "ls &&\\\nsneak"],
    ["a command behind a pipe", "ls \\\n | \\\n sneak"],
    ["a command behind a comment, which is not continued", "ls # docs \\\nsneak"],
    ["a command behind a comment at the beginning", "# docs \\\nsneak"],
    ["a command behind a comment after a joined line", "ls \\\n # docs \\\nsneak"],
    ["a command behind a quote that looks like a comment", "ls '\n#' ; sneak \\\n x"],
    ["a command that an escaped backslash ends the line before", "ls \\\\\nsneak"],
    ["the parts of a name", "sne\\\nak"],
    ["the parts of an option", "sort --comp\\\nress-program=./sneak a"],
    ["an option on the next line", "sort a \\\n -o out"],
    ["a path on the next line", "cat \\\n/etc/passwd"],
    ["a redirect on the next line", "echo a \\\n> out"],
    ["the parts of a substitution", "echo $\\\n(sneak)"],
    ["a substitution in double quotes", 'echo "a $\\\n(sneak)"'],
    ["a command in a here-document that goes to a shell", "cat <<'A' \\\n| sh\nsneak\nA"],
    ["a marker in parts", "cat <<A\nx\nA\\\n\nsneak"],
    ["a blank that is part of a word", "echo \\ \\\nsneak; sneak"],
  ])("%s", (_name, command) => {
    expect(judge(command)).not.toBe("allow");
  });

  test("a carriage return before the end of the line is refused", () => expect(judge("ls \\\r\n -la")).toBe("deny"));

  test.each([
    "ls \\\n  -la \\\n  src",
    "git commit -m 'a' \\\n  -m 'b'",
    "npm test && \\\n  npm run build",
    "find . \\\n -name '*.ts' \\\n | head -5",
    "ls \\\n",
    "git commit \\\n -m \"$(cat <<'E'\nfeat: x\nE\n)\"",
  ])("honest: %j runs", (command) => {
    expect(judge(command)).toBe("allow");
  });
});

describe("a here-document that does not end is refused (R-EX-3)", () => {
  test.each([
    "cat <<EOF\nx",
    "cat <<EOF",
    "cat <<'EOF'\nx\nEOF;",
    "cat <<'EOF'\nx\n EOF",
    "cat <<-EOF\n\tx\n \tEOF",
    "cat <<A <<B\nx\nA\ny",
    'git commit -m "$(cat <<EOF\nx)"',
    "if true; then cat <<EOF\nx\nfi",
    "sh -c 'cat <<EOF\nx'",
  ])("%j", (command) => {
    expect(judge(command)).toBe("deny");
  });

  test.each(["cat <<'EOF'\nx\nEOF", "cat <<-E\n\tx\n\tE", "cat <<'A' | grep x\nx\nA\n"])("honest: %j runs", (command) => {
    expect(judge(command)).toBe("allow");
  });
});

describe("a change of folder lends no command what was meant for the root (R-EX-4, R-SB-1)", () => {
  test.each([
    ["it leaves the workspace", "cd .. && npm test"],
    ["it leaves it later", "cd src && cd ../.. && npm test"],
    ["it may have left it", "cd src; cd ..; npm test"],
    ["it goes back to where nobody knows", "cd - && npm test"],
    ["it goes home", "cd && npm test"],
    ["a variable decides", 'cd "$X" && npm test'],
    ["a pattern decides", "cd s* && npm test"],
    ["another list of folders is searched", "CDPATH=/tmp cd src && npm test"],
    ["it is kept in the background", "cd src & npm test"],
    ["the folder holds what others wrote", "cd node_modules/left-pad && npm test"],
    ["it may hold what others wrote", "cd src; cd vendor; make"],
    ["make obeys the Makefile there", "cd src && make"],
    ["the rule names a script of the root", "cd src && bash scripts/ok.sh"],
    ["the rule names a program of the root", "cd src && ./run.sh"],
    ["the repository there has settings of its own", "cd evil && git status"],
    ["a path climbs out again", "cd src && cat ../../etc/passwd"],
    ["a hidden folder is entered", "cd .git && cat config"],
    ["a script is put in place first", "cd src && cp a package.json && npm test"],
  ])("when %s", (_name, command) => {
    expect(judge(command)).not.toBe("allow");
  });

  test.each([
    "cd src && npm test",
    "cd ./packages/app/ && npm run build 2>&1 | tail -20",
    "cd src; npm test",
    "(cd src && npm test)",
    "cd src && cd lib && npm test",
    "cd . && npm test",
    "cd crates/x && cargo test",
    "cd src && \\\n npm test",
  ])("honest: %s runs", (command) => {
    expect(judge(command)).toBe("allow");
  });

  test("a folder that is a link out of the workspace is not entered", async () => {
    const base = mkdtempSync(join(tmpdir(), "toolwright-attack-"));
    const workspace = join(base, "work");
    mkdirSync(workspace);
    mkdirSync(join(base, "out"));
    writeFileSync(join(base, "out", "package.json"), JSON.stringify({ scripts: { test: "echo planted" } }));
    symlinkSync(join(base, "out"), join(workspace, "src"));
    const driver = createHostDriver();
    const engine = createEngine({
      tools: runtimeTools,
      capabilities: [execCapability({ workspaceOf: () => workspace, drivers: [driver] })],
      machine: () => ({ sandbox: { available: true, detail: "host" } }),
      policy: [
        {
          tier: "platform",
          document: policyDocument.parse({
            version: 1,
            sandbox: { mode: "host", network: "host" },
            commands: { mode: "allowlist", rules: [{ pattern: "npm test", effect: "allow" }] },
          }),
        },
      ],
    });
    const principal: Principal = { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" };
    const result = await engine.scope(principal, { session: "s" }).invokeNamed("exec", { command: "cd src && npm test" });
    await engine.close();
    await driver.close();
    rmSync(base, { recursive: true });
    expect(result.status).toBe("failed");
    expect(JSON.stringify(result)).not.toContain("planted");
    expect(JSON.stringify(result)).toContain("leads out of the workspace");
  });
});

describe("a pattern does not choose the file that an interpreter runs (R-AP-12)", () => {
  const runners =
    "bash;sh;/bin/sh;dash;zsh;source;.;node;python3;python3.12;ruby;perl;php;deno run;bun;tsx;bash -x;sh -e;node --import tsx;python3 -u;env bash;timeout 5 sh;xargs sh;exec bash;sudo bash;X=1 bash;find . -exec sh".split(
      ";",
    );
  const files = "*;*.x;jj*.x;./x?.x;a/*/b.x;[ab].x;'a'*.x;{a,b}.x;a{1..3}.x;./{a,b}/c.x".split(";");

  test.each(runners)("%s before each kind of pattern is refused", (runner) => {
    const other = files.filter((file) => judge(`${runner} ${file}`) !== "deny");
    expect(other).toEqual([]);
  });

  test.each([
    "(bash *.sh)",
    "ls && bash *.sh",
    "cat a | bash *.sh",
    "bash < *.sh",
    "sh -c 'bash *.sh'",
    "for i in 1; do bash *.sh; done",
    "if true; then sh x?.sh; fi",
    "echo $(bash *.sh)",
    "./*.sh",
    "/usr/bin/py* a.py",
    "f() { node *.js; }; f",
  ])("also in %s", (command) => {
    expect(judge(command)).toBe("deny");
  });

  test.each([
    "grep -l bash *.sh",
    "ls *.sh",
    "cat scripts/*.sh",
    "node scripts/count.js src/*.ts",
    "head -5 python3/*.py",
    "echo bash '*.sh'",
  ])("honest: %s runs", (command) => {
    expect(judge(command)).toBe("allow");
  });

  test.each(["python3 -m pytest tests/*.py", "node --test test/*.test.js", "bash -c 'ls *.sh'"])("%s is no such line", (command) => {
    expect(judge(command)).not.toBe("deny");
  });
});
