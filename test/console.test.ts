import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { usualLimits } from "../packages/agents/src/agent/agent-profile.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("web/src/**/*.{ts,tsx}", { cwd: root }).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("pages can do what a program can: they import the REST client, in one folder, and of all else of ours no more than types", () => {
  const imports = sources.flatMap(({ path, text }) =>
    // What pages write for people to copy imports nothing here, and an import of types without names adds those of operations.
    [...text.replaceAll(/`[^`]*`|import type \{\} from "@toolwright\/\w+\/subjects";/g, "").matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(
      ([, specifier = ""]) => ({ path, specifier }),
    ),
  );
  expect(imports.length).toBeGreaterThan(100);
  const ours = imports.filter(({ specifier }) => /^(?:@toolwright\/|toolwright$)|(?:^|\/)packages\//.test(specifier));
  expect(ours.filter(({ path, specifier }) => !path.startsWith("web/src/api/") || specifier !== "@toolwright/doors/rest/client")).toEqual(
    [],
  );
  expect(imports.filter(({ specifier }) => /^zod\b/.test(specifier))).toEqual([]);
});

test("the server knows the pages that the router has, and the module of each", () => {
  const router = readFileSync(join(root, "web/src/app/router.tsx"), "utf8");
  const routed = [...router.matchAll(/page\("([^"]+)", \(\) => import\("\.\.\/([^"]+)"\)/g)].map(([, path, module]) => [
    path,
    `src/${module}`,
  ]);
  expect(Object.entries(JSON.parse(readFileSync(join(root, "web/routes.json"), "utf8")))).toEqual(routed);
});

test("nothing makes markup from text", () => {
  const markup = /dangerouslySetInnerHTML|\.(?:innerHTML|outerHTML|insertAdjacentHTML)\b|document\.write|\beval\(|new Function\(/;
  expect(sources.filter(({ text }) => markup.test(text)).map(({ path }) => path)).toEqual([]);
});

test("the form of an agent shows the limits that hold where it says nothing", () => {
  const form = sources.find(({ path }) => path.endsWith("admin/agent-limits.ts"))?.text;
  for (const [name, value] of Object.entries(usualLimits))
    expect(form).toMatch(new RegExp(`name: "${name}",[^}]*placeholder: "${value.toLocaleString("en")}"`));
});
