import { expect, test } from "vitest";
import { requireConsole } from "../bench/console/require-console.ts";

const console = (build: string) => `<!doctype html><html><head><meta name="toolwright-build" content="${build}"></head></html>`;

test("the console of these sources is measured", () => {
  expect(() => requireConsole(console("1a2b"), "1a2b")).not.toThrow();
});

test.each([
  ["the page of a server without a console", "<!doctype html><title>Toolwright 1.0.0</title>", /a page that is not the console/],
  ["an answer of something else", '{"status":404}', /a page that is not the console/],
  ["no answer", "", /a page that is not the console/],
  ["a console of other sources", console("0f0f"), /a console that was built from other sources/],
  ["a console without a build", console(""), /a console that was built from other sources/],
])("%s is refused, with what to run", (_what, page, words) => {
  const measure = () => requireConsole(page, "1a2b");
  expect(measure).toThrow(words);
  expect(measure).toThrow("nothing was measured. Run node web/build.ts, then measure again.");
});
