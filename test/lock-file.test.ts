import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const packages = Object.entries<Locked>(read("package-lock.json").packages).filter(([path]) => path.includes("node_modules/"));
const fromRegistry = packages.filter(([, entry]) => !entry.link);
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

/** Programs of other platforms that were in no registry when the file was written; npm finds them by their version. */
const withoutContent = /^@biomejs\/cli-(android|darwin|win32)-|^@biomejs\/cli-linux-(arm64|x64)-musl$/;

test("the lock file names the content of every package from the registry (R-SC-1)", () => {
  expect(fromRegistry.length).toBeGreaterThan(100);
  const open = fromRegistry.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ""));
  expect(open.filter(([path, { optional }]) => !optional || !withoutContent.test(nameOf(path)))).toEqual([]);
});

test("install scripts are allowed to packages of the lock file that have one, and to no others (R-SC-1)", () => {
  const scripts = new Set(fromRegistry.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)));
  const { allowScripts } = read("package.json") as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts).filter((name) => !scripts.has(name))).toEqual([]);
  const ours = read("package.json").scripts as Record<string, string>;
  expect(Object.keys(ours).filter((name) => /^(pre|post)?(install|prepare|prepublish)$/.test(name))).toEqual([]);
});

test("the package files of the product run nothing when somebody installs them (R-SC-1)", () => {
  const folders = readdirSync(join(root, "packages"));
  const running = folders.flatMap((folder) =>
    Object.keys((read(`packages/${folder}/package.json`).scripts ?? {}) as Record<string, string>)
      .filter((name) => /^(pre|post)?install$/.test(name))
      .map((name) => `${folder}: ${name}`),
  );
  expect(running).toEqual([]);
});
