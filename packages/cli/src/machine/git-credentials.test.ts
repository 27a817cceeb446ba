import { expect, test } from "vitest";
import { readGitCredentials } from "./git-credentials.ts";

const read = (text: string | undefined, env: Record<string, string> = {}) =>
  readGitCredentials({ env: { TOOLWRIGHT_GIT_CREDENTIALS: text, ...env } });

test("without the variable there are no tokens", () => {
  expect(read(undefined).tokens).toEqual([]);
});

test("each token is bound to one origin, and read from its own variable", async () => {
  const { tokens, secrets } = read("A=https://github.com  B=https://oauth2@gitlab.example:8443/", { A: "one", OTHER: "two" });
  expect(tokens).toEqual([
    { secret: "A", origin: "https://github.com" },
    { secret: "B", origin: "https://gitlab.example:8443", username: "oauth2" },
  ]);
  expect(await secrets.get("local", "A")).toBe("one");
  expect(await secrets.get("local", "B")).toBeUndefined();
  expect(await secrets.get("local", "OTHER")).toBeUndefined();
});

test.each([
  ["a bare token", "ghp_secret"],
  ["plain http", "A=http://github.com"],
  ["a path", "A=https://github.com/owner"],
  ["a password", "A=https://user:ghp_secret@github.com"],
  ["no URL", "A=ghp_secret"],
])("%s is refused, and not repeated (R-GT-1)", (_name, text) => {
  expect(() => read(text)).toThrow("GITHUB_TOKEN=https://github.com");
  expect(() => read(text)).not.toThrow("ghp_secret");
});
