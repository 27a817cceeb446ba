import { mkdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./run-cli.ts";
import { callByMcp, startServer } from "./served.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
  await mkdir(place.path("workspace"));
  await writeFile(place.path("policy.yaml"), "version: 1\nautonomy: full\n");
});
afterEach(() => place.remove());

const done = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await place.run(argv);
  expect(code, err).toBe(0);
  return out.trim();
};

test("one server holds the policies of two tenants apart, and takes a change by another process within a second", async () => {
  const keys = new Map<string, string>();
  // The databases of tests have both tenants.
  for (const tenant of ["acme", "other"]) {
    const made = await done("keys", "create", "k", "--tenant", tenant, "--permission", "*.*.*", "--json");
    keys.set(tenant, (JSON.parse(made) as { key: string }).key);
  }
  const { mcp } = await startServer(place, ["--auth", "--policy", "policy.yaml"]);
  const answerTo = async (tenant: string) => {
    const text = await callByMcp({ mcp, key: keys.get(tenant) }, "file_list", { path: "." });
    if (text.includes("tenant.tools.deny[0]")) return "denied";
    return text.includes('"status":"done"') ? "listed" : text;
  };
  const answers = async () => [await answerTo("acme"), await answerTo("other")];
  const withinOneSecond = { timeout: 1_000, interval: 20 };
  expect(await answers()).toEqual(["listed", "listed"]);

  const put = async (text: string, tenant: string) => {
    await writeFile(place.path("tenant.yaml"), text);
    await done("policy", "put", "tenant.yaml", "--tenant", tenant, "--note", "A change by another process");
  };
  await put("tools: { deny: [file_list] }\n", "acme");
  await expect.poll(answers, withinOneSecond).toEqual(["denied", "listed"]);
  await put("tools: { deny: [file_list] }\n", "other");
  await put("{}\n", "acme");
  await expect.poll(answers, withinOneSecond).toEqual(["listed", "denied"]);
});
