import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { joinHost } from "./join-host.ts";
import { socketOf } from "./socket-of.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase("embedded");
});
afterAll(() => test.cleanup());

const joinTest = async () => {
  const link = await joinHost(socketOf(test.folder as string), () => {});
  if (!link) throw new Error("Nobody answers at the socket.");
  return link;
};
/** Resolves when the process that holds the folder has read what came before on this link. */
const isHeard = (link: Awaited<ReturnType<typeof joinTest>>) =>
  new Promise<void>((resolve) => {
    const stop = test.database.listen("heard", () => {
      stop();
      resolve();
    });
    link.announce([{ topic: "heard", tenant: "acme", id: "1" }]);
  });

it("tells a process what it announced itself, as it tells all others", async () => {
  const heard: string[] = [];
  const both = Promise.withResolvers<void>();
  const listening = async (name: string) => {
    const link = await joinHost(socketOf(test.folder as string), (announcements) => {
      heard.push(...announcements.map(({ id }) => `${name} ${id}`));
      if (heard.length === 2) both.resolve();
    });
    if (!link) throw new Error("Nobody answers at the socket.");
    return link;
  };
  const links = [await listening("first"), await listening("second")] as const;
  links[0].announce([{ topic: "turns", tenant: "acme", id: "1" }]);
  await both.promise;
  expect(heard.toSorted()).toEqual(["first 1", "second 1"]);
  for (const link of links) await link.close();
});

it("is no way to the database where the process at the socket closes before it takes anybody in", async () => {
  const socket = join(await mkdtemp(join(tmpdir(), "toolwright-join-")), "s");
  const closing = createServer((client) => client.destroy());
  await new Promise<void>((resolve) => closing.listen(socket, resolve));
  expect(await joinHost(socket, () => {})).toBeUndefined();
  await new Promise((resolve) => closing.close(resolve));
  await rm(dirname(socket), { recursive: true });
});

it("holds up nobody for a process that went while it waited for its turn to begin", async () => {
  const leaver = await joinTest();
  const other = await joinTest();
  await test.database.asSystem(async () => {
    const beginning = leaver.begin();
    await isHeard(leaver);
    await leaver.close();
    await expect(beginning).rejects.toMatchObject({ code: "TOOLWRIGHT_HOLDER_LOST" });
    for (let round = 0; round < 3; round += 1) await isHeard(other);
  });
  expect(await other.query("select 1 as one", [])).toMatchObject({ rows: [{ one: 1 }] });
  await other.close();
});
