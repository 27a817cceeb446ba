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

test("the same change is told once, and that of another tenant or topic beside it", async () => {
  const sent: Announcement[] = [];
  const announcer = createAnnouncer(async (announcements) => void sent.push(...announcements));
  const some = [changed("1"), { ...changed("1"), tenant: "other" }, { ...changed("1"), topic: "identity" }];
  for (const announcement of [...some, ...some]) announcer.announce(announcement);
  await announcer.close();
  expect(sent).toEqual(some);
});
