import { expect, test } from "vitest";
import { findBlockers, type ReleaseFacts } from "./find-blockers.ts";

const ready: ReleaseFacts = {
  branch: "main",
  changedFiles: [],
  pendingChangesets: [],
  packagesWithoutRepository: [],
  environment: { GITHUB_ACTIONS: "true", ACTIONS_ID_TOKEN_REQUEST_URL: "https://issuer.example" },
};

test("nothing stands against a release from main in CI, with versions raised", () => {
  expect(findBlockers(ready)).toEqual([]);
  expect(findBlockers({ ...ready, environment: { GITLAB_CI: "true", SIGSTORE_ID_TOKEN: "token" } })).toEqual([]);
});

test.each<[string, Partial<ReleaseFacts>, RegExp]>([
  ["another branch", { branch: "next" }, /branch is next. Publish from main/],
  ["a file that no commit holds", { changedFiles: ["README.md"] }, /differs from its commit: README.md\./],
  ["many such files", { changedFiles: ["a", "b", "c", "d", "e", "f", "g"] }, /: a, b, c, d, e and 2 more\./],
  ["a changeset without a version", { pendingChangesets: [".changeset/x.md"] }, /do not include .changeset\/x.md/],
  ["a package without a repository", { packagesWithoutRepository: ["toolwright"] }, /name none: toolwright/],
  ["a machine outside of CI", { environment: {} }, /no identity for provenance/],
  ["CI without an identity", { environment: { GITHUB_ACTIONS: "true" } }, /no identity for provenance/],
  [
    "another provider's variable",
    { environment: { ACTIONS_ID_TOKEN_REQUEST_URL: "https://issuer.example" } },
    /no identity for provenance/,
  ],
])("%s blocks a release", (_, change, sentence) => {
  const blockers = findBlockers({ ...ready, ...change });
  expect(blockers).toHaveLength(1);
  expect(blockers[0]).toMatch(sentence);
});
