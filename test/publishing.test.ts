import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly files: readonly string[];
  readonly publishConfig?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const packages = readdirSync(join(root, "packages")).map((folder) => ({
  folder: `packages/${folder}`,
  manifest: read(`packages/${folder}/package.json`) as Manifest,
}));
const ours = new Map(packages.map(({ manifest }) => [manifest.name, manifest.version]));

test("all packages have one version, and name one another by it", () => {
  expect(new Set(ours.values()).size).toBe(1);
  const other = packages.flatMap(({ manifest }) =>
    Object.entries(manifest.dependencies ?? {}).filter(([name, version]) => ours.has(name) && ours.get(name) !== version),
  );
  expect(other).toEqual([]);
});

test.each(packages)("$folder can be published: files, licence, changelog, provenance", ({ folder, manifest }) => {
  expect(["README.md", "LICENSE", "CHANGELOG.md"].filter((name) => !existsSync(join(root, folder, name)))).toEqual([]);
  expect(manifest).toMatchObject({
    license: "Apache-2.0",
    files: expect.arrayContaining(["dist", "src", "CHANGELOG.md", "!src/**/*.test.ts", "!dist/.tsbuildinfo"]),
    publishConfig: { access: "public", provenance: true },
  });
});

test("what a build remembers goes with its output, so that a removed `dist` is built again", () => {
  const elsewhere = packages.filter(
    ({ folder }) => read(`${folder}/tsconfig.build.json`).compilerOptions.tsBuildInfoFile !== "dist/.tsbuildinfo",
  );
  expect(elsewhere).toEqual([]);
});

test("the changelog links that of every package", () => {
  const page = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  expect(packages.filter(({ folder }) => !page.includes(`](${folder}/CHANGELOG.md)`))).toEqual([]);
});

const changesets = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md") && name !== "README.md");

// The formatter makes a heading of a single package above the closing line: a changeset names two, or the release refuses it.
test.each(changesets)(".changeset/%s names packages and how their versions rise, and says what changes", (name) => {
  const [, head = "", words = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join(root, ".changeset", name), "utf8")) ?? [];
  const lines = head.split("\n").filter((line) => line !== "");
  const named = lines.map((line) => /^"([^"]+)": (?:patch|minor|major)$/.exec(line)?.[1] ?? "");
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((each) => !ours.has(each))).toEqual([]);
  expect(words.trim()).not.toBe("");
});
