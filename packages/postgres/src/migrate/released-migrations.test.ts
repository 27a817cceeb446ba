import { expect, test } from "vitest";
import { readMigrations } from "./read-migrations.ts";

/** Databases out there have these as they are: a released file never changes, and what changes is a new file with the next number. */
test("released migrations are what they were", async () => {
  const lines = readMigrations().map(({ name, breaking, checksum }) => `${name} ${breaking ? "breaking" : "not breaking"} ${checksum}\n`);
  await expect(lines.join("")).toMatchFileSnapshot("../../migrations/released.txt");
});
