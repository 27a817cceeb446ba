import { mkdir, readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseTool } from "./release-tool.ts";
import { Place } from "./run-cli.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make();
  await mkdir(place.path("workspace/runs"), { recursive: true });
  await mkdir(place.path("tools"));
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  await writeFile(place.path("tools/release.tool.ts"), releaseTool);
});
afterEach(() => place.remove());

const runs = () => readdir(place.path("workspace/runs"));

const approvalIn = (text: string) => /apr_[A-Za-z0-9_-]{22}/.exec(text)?.[0] ?? "";

test("a yes that is remembered in one process holds in others, is counted, told in plain words, and ends when it is revoked", async () => {
  const input = '{"version": "1.0"}';
  const id = approvalIn((await place.run(["call", "release", input, "--json"])).out);
  const approved = await place.run(["approvals", "approve", id, "--run", "--remember", "agent", "--for", "1h", "--times", "2"]);
  expect(approved.err).toMatch(/but not +any other input/);
  expect(approved.err).toMatch(/used 0 of 2 times/);
  const calls = await Promise.all(Array.from({ length: 4 }, () => place.run(["call", "release", input, "--json"])));
  expect(calls.map(({ code, out, err }) => (code === 0 || code === 4 ? code : out + err)).sort()).toEqual([0, 0, 4, 4]);
  expect(await runs()).toHaveLength(3);
  expect((await place.run(["call", "release", '{"version": "2.0"}', "--json"])).code).toBe(4);

  const second = approvalIn((await place.run(["call", "release", input, "--json"])).out);
  await place.run(["approvals", "approve", second, "--run", "--remember", "session"]);
  const listed = await place.run(["grants", "list"]);
  expect(listed.out).toMatch(/Allows `the input [0-9a-f]{12}` with the tool release for user \S+ in the session "ses_[\w-]+" until /);
  const grant = /grt_\S+/.exec(listed.out)?.[0] ?? "";
  expect((await place.run(["grants", "revoke", grant])).code).toBe(0);
  expect((await place.run(["grants", "list"])).out).toMatch(/Nothing is remembered/);
  expect((await place.run(["call", "release", input, "--json"])).code).toBe(4);
});

test("options that cannot be read answer nothing", async () => {
  const id = approvalIn((await place.run(["call", "release", '{"version": "1.0"}', "--json"])).out);
  for (const [options, message] of [
    [["--remember", "forever"], /Write --remember session, agent or tenant/],
    [["--remember", "agent", "--for", "soon"], /is not a time/],
    [["--for", "1h"], /belong to --remember/],
  ] as const) {
    const { code, err } = await place.run(["approvals", "approve", id, ...options]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  }
  expect((await place.run(["approvals", "list"])).out).toContain(id);
});
