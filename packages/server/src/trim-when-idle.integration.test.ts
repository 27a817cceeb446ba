import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("./trim-when-idle.ts", import.meta.url));

test("a process that did much and then nothing gives back the room that V8 keeps for new objects", () => {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { trimWhenIdle } from ${JSON.stringify(source)};
    const room = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
    const kept = [];
    while (room() < 32 * 1024 * 1024 && kept.length < 5_000_000) kept.push({ at: kept.length });
    const before = room();
    kept.length = 0;
    trimWhenIdle({ everyMs: 20 });
    const looking = setInterval(() => {
      if (room() > 16 * 1024 * 1024) return;
      clearInterval(looking);
      console.log(JSON.stringify({ before, after: room() }));
    }, 5);`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", timeout: 30_000 });
  const { before, after } = JSON.parse(told) as { before: number; after: number };
  expect(before).toBeGreaterThanOrEqual(32 * 1024 * 1024);
  expect(after).toBeLessThan(16 * 1024 * 1024);
});
