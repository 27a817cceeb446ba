import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Child, Place, waitForText } from "./run-cli.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make();
  await writeFile(place.path("policy.yaml"), "version: 1\ntools: { deny: [exec] }\n");
});
afterEach(() => place.remove());

const policy = (text: string) => writeFile(place.path("policy.yaml"), text);

async function expectReload(child: Child): Promise<void> {
  const refused = waitForText(child, /stays in force/);
  await policy("version: 1\ntols: {}\n");
  expect(await refused).toContain('policy.yaml:2:1: tols is not a member (did you mean "tools"?)');
  const loaded = waitForText(child, /Policy loaded: .*policy\.yaml \(revision [0-9a-f]{12}\)/);
  await policy("version: 1\ntools: { deny: [file_write] }\n");
  await loaded;
}

test("a server takes a changed policy without a restart, and refuses a broken one with file, line and what to write", async () => {
  const child = place.start(["serve", "--port", "0", "--policy", "policy.yaml"]);
  await waitForText(child, /Stop it with Ctrl\+C/);
  await expectReload(child);
});

test("so does the server of one client on stdin and stdout", async () => {
  const child = place.start(["mcp", "--policy", "policy.yaml"]);
  await waitForText(child, /Tools loaded/);
  await expectReload(child);
});
