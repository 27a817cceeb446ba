import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

const most = 4096;

test(`the REST client is at most ${most} bytes for a browser, compressed, and needs nothing else`, async () => {
  const build = await rolldown({
    input: join(root, "packages/doors/src/rest/client/index.ts"),
    platform: "browser",
    resolve: { conditionNames: ["@toolwright/source", "import", "default"] },
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  const [{ code, imports, modules }, ...more] = output;
  expect([imports, more]).toEqual([[], []]);
  expect(Object.keys(modules).filter((path) => /\/(zod|hono|node_modules)\//.test(path))).toEqual([]);
  expect(gzipSync(code).length).toBeLessThanOrEqual(most);
});
