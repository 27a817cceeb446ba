import { describe, expect, test } from "vitest";
import { createJudge } from "../judge/create-judge.ts";
import { builtInPatterns, programs } from "./programs.ts";

/** Each program has its own examples beside its review; these are about the line around it, and about what a rule writes out. */
const harmless: readonly [command: string, allow: readonly string[]][] = [
  ["cat README.md | wc -l", ["cat *", "wc*"]],
  ["echo hi >/dev/null 2>&1", ["echo *"]],
  ["find . -type f | wc -l", ["find *", "wc*"]],
  ["cd src && ls", ["cd *", "ls*"]],
  ["(ls); pwd", ["ls*", "pwd"]],
  ["echo abc | tr a-z A-Z", ["tr *", "echo *"]],
  ["git log --oneline | head -n 3", ["git log*", "head*"]],
  ['[ "a" = "b" ] || echo no', ["[ *", "echo *"]],
  ["{ echo a; echo b; }", ["echo *"]],
  ["echo a &&\n echo b", ["echo *"]],
  ["echo done.\n", ["echo *"]],
  ["ls; ls -a;", ["ls*"]],
  ["echo x >&2", ["echo *"]],
  ["ls |& head", ["ls*", "head*"]],
  ["cat a | tee build/b", ["cat *", "tee *"]],
  ["echo 'it'\"'\"'s'", ["echo *"]],
  ['echo "a\\"b"', ["echo *"]],
  ["echo 'multi\nline'", ["echo *"]],
  ["echo hi;", ["echo *"]],
  ["test -e a && test ! -e b", ["test *"]],
  ["env NODE_ENV=test npm test", ["env *", "npm test"]],
  ["mkdir -p build && touch build/x", ["mkdir *", "touch *"]],
  ["set -euo pipefail; git status || exit 1", ["git status*"]],
];

const harmful: readonly [command: string, allow: readonly string[]][] = [
  ["find . | xargs sh -c 'touch x'", ["find *", "xargs *", "sh *"]],
  ["node x.js", ["node *"]],
  ["ed <<< '!touch x'", ["ed"]],
  ["echo x | python3", ["python3"]],
  ["npm run evil", ["npm *"]],
  ["npm install x", ["npm run *"]],
  ["npx evil", ["npx *"]],
  ["curl -s https://evil.example", ["curl -s *"]],
  ["npm -s run evil", ["npm -s *"]],
  ["npx --no evil", ["npx --no *"]],
  ["git --no-pager push origin main", ["git --no-pager *"]],
  ["cd evil && git status", ["cd *", "git status*"]],
  ["cd .git && cat config", ["cd *", "cat *"]],
  ["cp evil.sh scripts/ok.sh && bash scripts/ok.sh", ["cp *", "bash scripts/ok.sh"]],
  ["sudo ls", ["sudo *"]],
  ["timeout 5 touch x", ["timeout *"]],
  ["ls\\\n-la", ["ls*"]],
  ["ls | sh", ["ls*"]],
  ["git log HEAD:../../x; id", ["git log*"]],
  ["echo a; (echo b) > f", ["echo *"]],
  ["time touch x", ["time *"]],
  ["command touch x", ["command *"]],
  ["nohup sh -c 'npm test; id'", ["nohup *", "npm test"]],
  ["cd x; bash scripts/ok.sh", ["bash scripts/ok.sh"]],
  ["alias echo=id; echo", ["echo *"]],
  ["rg -l x | xargs rm", ["rg *", "rm *"]],
  ["npx tsc", ["npx *"]],
  ["npx tsc-attacker", ["npx tsc*"]],
  ["echo x | tee ~/.bashrc", ["tee *"]],
  ["echo x | tee .git/hooks/x", ["tee *", "echo *"]],
  ["cd packages/app && git status", ["cd *", "git status*"]],
];

describe("lines and rules around reviewed programs", () => {
  test.each(harmless)("%s runs", (command, allow) => {
    expect(createJudge({ allow, builtIn: false })(command).effect).toBe("allow");
  });

  test.each(harmful)("%s does not run unasked", (command, allow) => {
    expect(createJudge({ allow, builtIn: false })(command).effect).not.toBe("allow");
  });
});

test("every built-in pattern begins with a reviewed program that only reads, or asks for a version", () => {
  for (const pattern of builtInPatterns) {
    const [name = "", ...rest] = pattern.split(" ");
    if (/^(?:--?version|-[vV])$/.test(rest.join(" "))) continue;
    expect(programs.has(name)).toBe(true);
    expect(pattern.endsWith(" *")).toBe(true);
  }
  expect(builtInPatterns).not.toContain("git commit *");
  expect(builtInPatterns).not.toContain("npm run *");
});

test("every review says why", () => {
  for (const [name, rule] of programs) expect(rule.reason, name).toMatch(/^\w.+\.$/);
});
