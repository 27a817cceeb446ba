import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@toolwright/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
let id: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-artifact-"));
  store = await holdStore(join(root, "home/.local/state/toolwright"));
  await store.tenants.ensure("acme");
  const writer = await store.artifacts.create(
    { tenant: "acme", session: "one", callId: "call_1" },
    { name: "page.png", mediaType: "image/png" },
  );
  await writer.write(Uint8Array.of(0, 255, 10));
  ({ id } = await writer.finish());
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

async function readWith(...words: readonly string[]) {
  const pieces: Uint8Array[] = [];
  const said = await runIn(root, ["artifact", id, ...words], { outBytes: async (bytes) => void pieces.push(bytes) });
  return { ...said, bytes: Buffer.concat(pieces) };
}

test("an artifact of another tenant is written out byte for byte when its tenant is named", async () => {
  expect(await readWith("--tenant", "acme")).toEqual({ code: exitCodes.done, out: "", err: "", bytes: Buffer.of(0, 255, 10) });
});

test("without its tenant there is no such artifact, and a tenant that is not there is named", async () => {
  expect(await readWith()).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining(id), bytes: Buffer.alloc(0) });
  expect(await readWith("--tenant", "amce")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("amce") });
});

test("an artifact of several parts comes whole, also where JSON is asked for", async () => {
  const whole = Buffer.alloc(2_500_000, "0123456789");
  const writer = await store.artifacts.create(
    { tenant: "default", session: "one", callId: "call_2" },
    { name: "log.txt", mediaType: "text/plain" },
  );
  await writer.write(whole);
  const large = await writer.finish();
  const pieces: Uint8Array[] = [];
  const said = await runIn(root, ["artifact", large.id, "--json"], { outBytes: async (bytes) => void pieces.push(bytes) });
  expect(said).toMatchObject({ code: exitCodes.done, out: "", err: "" });
  expect(pieces.map(({ length }) => length)).toEqual([1_048_576, 1_048_576, 402_848]);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});
