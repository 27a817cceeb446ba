import { expect, test } from "vitest";
import { createAnnouncer } from "./announcer.ts";
import type { Announcement } from "./database.ts";

const changed = (id: string): Announcement => ({ topic: "catalogue", tenant: "acme", id });

test("what was announced just before the end is sent before the end", async () => {
  const sent: string[] = [];
  const announcer = createAnnouncer(async (announcements) => {
    await Promise.resolve();
    sent.push(...announcements.map(({ id }) => id));
  });
  announcer.announce(changed("1"));
  announcer.announce(changed("1"));
  announcer.announce(changed("2"));
  await announcer.close();
  expect(sent).toEqual(["1", "2"]);
});
