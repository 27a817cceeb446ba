import { expect, it } from "vitest";
import { Ends } from "./ends.ts";

it("ends the last first, everything though one fails, and throws the first failure", async () => {
  const ended: string[] = [];
  const ends = new Ends();
  ends.add(() => ended.push("store"));
  ends.add(async () => {
    throw new Error("machine");
  });
  ends.add(() => {
    ended.push("engine");
    throw new Error("engine");
  });
  await expect(ends.close()).rejects.toThrow("engine");
  expect(ended).toEqual(["engine", "store"]);
});

it("ends each thing once, however often it is asked", async () => {
  let count = 0;
  const ends = new Ends();
  ends.add(() => (count += 1));
  await Promise.all([ends.close(), ends.close()]);
  expect(count).toBe(1);
});

it("ends what was opened meanwhile, and opens nothing more", async () => {
  const ends = new Ends();
  let late = false;
  ends.add(() => ends.add(() => (late = true)));
  await ends.close();
  await Promise.resolve();
  expect(late).toBe(true);
  expect(() => ends.refuseClosed()).toThrow(expect.objectContaining({ code: "server_unavailable" }));
});
