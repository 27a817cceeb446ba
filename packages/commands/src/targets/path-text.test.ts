import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isProtectedPath, judgePathText, makeVisible, maxPathParts, protectionOf, quotePath } from "./path-text.ts";

describe("judgePathText gives accepted paths in one form", () => {
  test.each([
    ["in.txt", "in.txt"],
    ["./a//b/./c.txt", "a/b/c.txt"],
    [".", "."],
    ["./", "."],
    ["a/", "a/"],
    ["a/.", "a/"],
    ["a/../b", "a/../b"],
    ["/srv//work/in.txt", "/srv/work/in.txt"],
    ["..hidden", "..hidden"],
    ["...", "..."],
    ["routes/$slug.tsx", "routes/$slug.tsx"],
    ["notes.txt~", "notes.txt~"],
    ["100% sure.txt", "100% sure.txt"],
    ["a%20b.txt", "a%20b.txt"],
    ["日本 ½ é.txt", "日本 ½ é.txt"],
    ["log-12:30.txt", "log-12:30.txt"],
    ["\u2764\ufe0f.txt", "\u2764\ufe0f.txt"],
  ])("%j becomes %j", (path, expected) => {
    expect(judgePathText(path)).toEqual({ ok: true, path: expected });
  });
});

describe("judgePathText refuses what is no plain path, and says why", () => {
  test.each([
    ["a number", 7, /not a string/],
    ["an array that prints like a path", ["in.txt"], /not a string/],
    ["a String object", Object("in.txt"), /not a string/],
    ["blank", " \t", /empty/],
    ["NUL", "in.txt\0.png", /NUL/],
    ["an escape sequence", "a\u001b[31m", /control/],
    ["a bidirectional mark", "a\u202egpj.exe", /bidirectional/],
    ["a tag character", "a\u{e0041}", /invisible/],
    ["a filler that shows as nothing", "a\u3164b", /invisible/],
    ["a joiner of graphemes", "a\u034fb", /invisible/],
    ["a noncharacter", "a\ufffe", /invisible/],
    ["a lone surrogate", "\ud800.txt", /surrogate/],
    ["a long part", "é".repeat(128), /255 bytes/],
    ["a long path", "abcdefg/".repeat(513), /4096 bytes/],
    ["many parts", "a/".repeat(maxPathParts + 1), /64 parts/],
    ["a home", "~/.ssh/id_rsa", /"~"/],
    ["a backslash", "..\\out", /backslash/],
    ["a drive", "C:x", /drive/],
    ["a URL", "file:///etc/passwd", /URL/],
    ["a share", "//server/x", /share/],
    ["a stream", "in.txt::$DATA", /stream/],
    ["a variable", `\${HOME}/x`, /variable/],
    ["a bare variable", "$HOME/x", /variable/],
    ["a Windows variable", "%TEMP%/x", /variable/],
    ["encoded dots", "%2e%2e/x", /percent/],
    ["an overlong encoding", "%c0%ae/x", /percent/],
    ["a double encoding", "%252e/x", /percent/],
    ["full-width dots", "\uff0e\uff0e/x", /some systems/],
    ["a climb", "a/../../x", /leaves the workspace/],
  ])("%s", (_, path, reason) => {
    expect(judgePathText(path)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  test.each(["-rf", "--help", "in.txt.", "in.txt ", " in.txt", "CON", "nul.txt", "sub/com1.log", "log:b.txt", "src/-x"])(
    "%j may be read and deleted, not created",
    (path) => {
      expect(judgePathText(path, "write").ok).toBe(false);
      expect(judgePathText(path, "read").ok && judgePathText(path, "delete").ok).toBe(true);
    },
  );

  test("a folder with a dash may be written into", () => expect(judgePathText("posts/-components/x.tsx", "write").ok).toBe(true));
});

describe("laws", () => {
  const text = fc.string({ unit: "binary", maxLength: 80 });
  const parts = fc
    .array(fc.constantFrom("a", ".", "..", "", "b.txt", "~", "%2e", "\\", "c:"), { maxLength: 9 })
    .map((all) => all.join("/"));

  test("judging never throws, and what is accepted is accepted again unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(text, parts), fc.constantFrom("read", "write", "delete"), (path, access) => {
        const first = judgePathText(path, access);
        if (first.ok) expect(judgePathText(first.path, access)).toEqual(first);
      }),
    );
  });

  test("an accepted relative path never climbs above its start", () => {
    fc.assert(
      fc.property(parts, (path) => {
        const judged = judgePathText(path);
        if (!judged.ok || judged.path.startsWith("/")) return;
        let depth = 0;
        for (const part of judged.path.split("/")) {
          if (part === "..") depth -= 1;
          else if (part !== "." && part !== "") depth += 1;
          expect(depth).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test("case, compatibility forms and trailing dots never lift a protection (CVE-2025-59944)", () => {
    const name = fc.constantFrom(".git/config", ".toolwright/x", ".env", ".bashrc", "a/.ssh/id_rsa");
    const disguise = fc.constantFrom<(path: string) => string>(
      (path) => path.toUpperCase(),
      (path) => path.replaceAll("i", "\uff49"),
      (path) => path.replace(/(?<=\w)(?=\/|$)/g, "."),
      (path) => `x/../${path}`,
    );
    fc.assert(
      fc.property(name, disguise, disguise, (path, one, two) => {
        expect(isProtectedPath(one(two(path)), "write")).toBe(true);
      }),
    );
  });
});

describe("R-FS-5 protectionOf", () => {
  test.each([
    [".git/config", "write", "never"],
    [".git/hooks/pre-commit", "write", "never"],
    [".git/info/attributes", "delete", "never"],
    ["sub/.git", "write", "never"],
    ["GIT~1/config", "write", "never"],
    [".git::$INDEX_ALLOCATION/config", "write", "never"],
    [".git/HEAD", "read", "none"],
    [".github/workflows/ci.yml", "write", "none"],
    [".github/copilot-instructions.md", "write", "ask"],
    [".gitignore", "write", "none"],
    [".toolwright", "read", "never"],
    [".toolwright/policy.yaml", "write", "never"],
    [".env", "read", "ask"],
    ["apps/web/.env.production", "write", "ask"],
    [".env.example", "write", "none"],
    ["src/env.ts", "write", "none"],
    [".ssh/config", "read", "ask"],
    ["deploy/server.pem", "read", "ask"],
    ["id_ed25519.pub", "read", "none"],
    [".bashrc", "write", "ask"],
    [".bashrc", "read", "none"],
    [".mcp.json", "write", "ask"],
    [".claude/settings.json", "write", "ask"],
    ["HEAD", "write", "ask"],
    ["HEAD", "delete", "ask"],
    ["src/HEAD/x.ts", "write", "none"],
    ["src/index.ts", "delete", "none"],
  ] as const)("%s, %s: %s", (path, access, expected) => {
    expect(protectionOf(path, access)).toBe(expected);
    expect(isProtectedPath(path, access)).toBe(expected !== "none");
  });
});

test("shown paths are bounded and hold nothing invisible", () => {
  expect(makeVisible("a\u202eb\u001b\ud800")).toBe("a\\u{202e}b\\u{1b}\ufffd");
  expect(quotePath("x".repeat(5000)).length).toBeLessThan(250);
});
