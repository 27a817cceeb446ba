import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  database = await createServerDatabase();
  root = mkdtempSync(join(tmpdir(), "toolwright-rooms-"));
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  await database.drop();
});

const run = (argv: readonly string[]) => runIn(root, argv, { env: { DATABASE_URL: database.url } });

it("toolwright rooms makes a room, shows what is in it, takes events, and closes and deletes", async () => {
  const { out: made } = await run(["rooms", "create", "Orders of today", "--agent", "assistant", "--people", "bob"]);
  const id = made.trim();
  expect(id).toMatch(/^room_/);
  expect((await run(["rooms", "post", id, "Order", "4711", "was paid."])).err).toContain("It is event 1.");
  expect((await run(["rooms", "list"])).out).toMatch(/Orders of today +assistant +1 +0 +0/);
  expect((await run(["rooms", "resolve", id, "1", "--outcome", "By phone."])).code).toBe(exitCodes.done);
  const shown = await run(["rooms", "show", id]);
  expect(shown.out).toMatch(/^room_\S+: Orders of today, assistant\nPeople: .*bob\n\n1 resolved: Order 4711 was paid\. \| By phone\.$/m);
  const foreign = { kind: "web", place: "https://a.example/\n", callId: "call_1", tool: "web_fetch", at: 1 } as const;
  const store = await openStore({ url: database.url, folder: join(root, "store"), process: "test", holder: "a test" });
  await store.rooms.say({ tenant: "default", id }, { text: "Sent.", to: "bob", at: 1 });
  await store.rooms.say({ tenant: "default", id }, { text: "Paid.", at: 2, foreign });
  await store.close();
  expect(JSON.parse((await run(["rooms", "show", id, "--json"])).out)).toMatchObject({
    id,
    events: [{ event: 1, state: "resolved" }],
    messages: [{ text: "Paid.", foreign }, { text: "Sent." }],
  });
  expect((await run(["rooms", "show", id])).out).toContain(
    "\nassistant (read content from https://a.example/<U+000A> before): Paid.\nassistant to bob: Sent.\n",
  );
  expect((await run(["rooms", "resolve", id, "1"])).err).toContain("no event 1 that a person can resolve");
  expect((await run(["rooms", "set", id, "--title", "Orders", "--people", "eve", "dan"])).err).toBe("The room is changed.\n");
  expect((await run(["rooms", "show", id])).out).toMatch(/: Orders, assistant\nPeople: .*[^b], eve, dan\n/);
  await run(["rooms", "set", id, "--people", ""]);
  expect((await run(["rooms", "show", id])).out).toMatch(/: Orders, assistant\nPeople: [^,]*\n/);
  expect((await run(["rooms", "set", id])).code).toBe(exitCodes.usage);
  expect((await run(["rooms", "delete", id])).err).toBe("The room is deleted.\n");
});

it("a room outlives its agent: deleting that names it, and the room says that its events go to people", async () => {
  for (const agent of ["sales", "other"]) await run(["agents", "create", agent]);
  const { out: made } = await run(["rooms", "create", "Orders", "--agent", "sales"]);
  const id = made.trim();
  const { out, err } = await run(["agents", "delete", "sales", "--yes"]);
  expect(out).toContain("Deleted the agent sales");
  expect(err).toBe(`1 room (${id}) stays, and its events go to people.\n`);
  expect((await run(["rooms", "list"])).out).toMatch(/Orders +sales \(gone\) +0 +0 +0/);
  expect((await run(["rooms", "show", id])).out).toContain("Agent sales was deleted: events go to people.");
});
