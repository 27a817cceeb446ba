import { describe, expect, test } from "vitest";
import { createJudge } from "./create-judge.ts";

describe("a folder beside the workspace that the operator opens", () => {
  const opened = [
    { path: "/srv/data", access: "read" },
    { path: "/srv/out", access: "write" },
  ] as const;
  const setting = { mode: "full", roots: ["/home/ann/shop"], opened } as const;

  test.each([
    ["a file", "cat /srv/data/2026/prices.csv"],
    ["the folder itself", "ls -la /srv/data"],
    ["a pattern below it", "wc -l /srv/data/*.csv"],
    ["as a starting point", "grep -rn total /srv/data/2026 | head -5"],
    ["beside the workspace", "diff src/a.csv /srv/data/a.csv"],
    ["as the input", "sort < /srv/data/a.csv"],
    ["one for writing, to read", "cat /srv/out/report.md"],
    ["inside sh -c", "sh -c 'cat /srv/data/a.csv'"],
  ])("is read like the workspace: %s", (_name, command) => {
    expect(createJudge(setting)(command)).toMatchObject({ effect: "allow" });
  });

  test.each([
    ["one that only begins like it", "cat /srv/database/a", "ask"],
    ["one that climbs out", "cat /srv/data/../secret/a", "ask"],
    ["a protected file", "cat /srv/data/.env", "ask"],
    ["a pattern in the place of its folder", "cat /srv/dat*/a", "ask"],
    ["what lies beside it", "cat /srv/data/a.csv /etc/passwd", "ask"],
    ["a change without a rule", "rm /srv/out/report.md", "ask"],
    ["a change of one for reading", "rm /srv/data/a.csv", "ask"],
    ["output into one for reading", "echo a > /srv/data/a.csv", "ask"],
    ["the whole of it, to remove", "rm -rf /srv/out", "ask"],
    ["a file that a rule denies", "cat /srv/data/private/a.md", "deny"],
  ])("is no reason to run: %s", (_name, command, effect) => {
    expect(createJudge({ ...setting, deny: ["cat /srv/data/private/*"] })(command)).toMatchObject({ effect });
  });

  test("takes what a rule allows, where it is open for writing and no further", () => {
    const rules = { ...setting, allow: ["cp *"] };
    expect(createJudge(rules)("cp report.md /srv/out/report.md")).toMatchObject({ effect: "allow" });
    expect(createJudge(rules)("cp report.md /srv/data/report.md")).toMatchObject({ effect: "ask" });
  });
});
