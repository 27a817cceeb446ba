import { expect, it } from "vitest";
import type { ConsoleState } from "./console/serve-console.ts";
import { type Routes, route } from "./route.ts";

const nothing = () => new Response(null, { status: 404 });
const open = async (state: ConsoleState, path: string, accept = "text/html") => {
  const console = { state: () => state, hosts: ["localhost"], facts: { peopleSignIn: false } };
  const routes = { toolwright: {}, mcp: nothing, rest: nothing, clients: "none", console } as unknown as Routes;
  const response = await route(routes)(new Request(`http://localhost${path}`, { headers: { accept } }));
  return { status: response.status, text: await response.text() };
};

it.each([
  { state: { state: "failed", words: "No space <left>." }, words: "The console could not be built: No space &lt;left&gt;." },
  { state: { state: "building" }, words: "The console is being built" },
] as const)("a link to a page says why there is none: $state.state", async ({ state, words }) => {
  for (const path of ["/", "/tools/exec?tab=json"])
    expect(await open(state, path)).toMatchObject({ status: 200, text: expect.stringContaining(words) });
});

it("without a console a link to a page leads nowhere, and so does one that a program follows", async () => {
  expect((await open({ state: "off" }, "/tools")).status).toBe(404);
  expect((await open({ state: "building" }, "/tools", "*/*")).status).toBe(404);
});
