import { expect, test } from "vitest";
import type { DialTarget } from "../http/dial.ts";
import { openRelay } from "./open-relay.ts";

async function relayTo(url: string) {
  const dialled: DialTarget[] = [];
  const dial = (target: DialTarget) => {
    dialled.push(target);
    return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  };
  const target = { url: new URL(url), host: "git.example", port: 443, addresses: ["93.184.216.34"], authorization: "Basic secret" };
  const relay = await openRelay(target, { dial, maxBytes: 1_000, signal: new AbortController().signal, onData: () => {} });
  return { relay, dialled };
}

test.each([
  ["a push is announced", "GET", "BASE/info/refs?service=git-receive-pack"],
  ["a push", "POST", "BASE/git-receive-pack"],
  ["the older protocol, which reads any file", "GET", "BASE/HEAD"],
  ["another query", "GET", "BASE/info/refs?service=git-upload-pack&x=1"],
  ["another repository", "GET", "BASE/../other/info/refs?service=git-upload-pack"],
  ["another method", "PUT", "BASE/git-upload-pack"],
  ["whoever does not know the way", "GET", "ROOT/info/refs?service=git-upload-pack"],
])("R-GT-3 the relay does not forward: %s", async (_name, method, pattern) => {
  const { relay, dialled } = await relayTo("https://git.example/a.git");
  const url = pattern.replace("BASE", relay.base).replace("ROOT", new URL(relay.base).origin);
  expect((await fetch(url, { method })).status).toBe(404);
  expect(dialled).toEqual([]);
  relay.close();
});

test("R-NW-2 the relay dials the checked address, and keeps why it failed", async () => {
  const { relay, dialled } = await relayTo("https://git.example/a.git");
  expect((await fetch(`${relay.base}/info/refs?service=git-upload-pack`)).status).toBe(502);
  expect(dialled).toEqual([{ address: "93.184.216.34", host: "git.example", port: 443, secure: true }]);
  expect(relay.problem()).toEqual({ kind: "unreachable", why: "ECONNREFUSED" });
  relay.close();
  await expect(fetch(relay.base)).rejects.toThrow();
});
