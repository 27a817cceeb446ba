import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./run-cli.ts";
import { canSandbox } from "./sandbox-here.ts";

const sandboxed = await canSandbox();

let place: Place;
beforeEach(async () => {
  place = await Place.make();
  await mkdir(place.path("workspace"));
});
afterEach(() => place.remove());

/** Makes a call that waits for a person, and gives the id of its approval. */
async function askFor(command: string): Promise<string> {
  const { code, out } = await place.run(["call", "exec", "--command", command, "--json"]);
  expect(code).toBe(4);
  return (JSON.parse(out) as { approval: { id: string } }).approval.id;
}

const made = () => readFile(place.path("workspace/made.txt"), "utf8");

test.runIf(sandboxed)("pain 3: an approval survives its process; another one lists, shows, approves and runs it", async () => {
  const id = await askFor("echo ran >> made.txt");
  expect((await place.run(["approvals", "list"])).out).toContain(id);
  const shown = await place.run(["approvals", "show", id]);
  expect(shown.out).toMatch(/command: echo ran >> made\.txt\n/);
  expect(shown.out).toMatch(/state +open/);
  const early = await place.run(["approvals", "run", id]);
  expect(early.code).toBe(4);
  const approved = await place.run(["approvals", "approve", id]);
  expect(approved.err).toContain(`toolwright approvals run ${id}`);
  expect(existsSync(place.path("workspace/made.txt"))).toBe(false);
  expect((await place.run(["approvals", "run", id])).code).toBe(0);
  expect(await made()).toBe("ran\n");
  expect((await place.run(["approvals", "list"])).out).toBe("No call waits for a person.\n");
});

test.runIf(sandboxed)("R-AP-4: processes that run one approval at the same time run it once", async () => {
  const id = await askFor("echo ran >> made.txt");
  await place.run(["approvals", "approve", id]);
  const runs = await Promise.all(Array.from({ length: 4 }, () => place.run(["approvals", "run", id])));
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1]);
  expect(await made()).toBe("ran\n");
  expect((await place.run(["approvals", "run", id])).err).toMatch(/approval_used/);
});
