import type { Frame } from "playwright-core";
import { expect, test } from "vitest";
import { readAtOneHost } from "./read-at-one-host.ts";

/** A page that is elsewhere each time that it was read, until it stays: at each of the places that a read names, one after the other. */
function moving(...reads: readonly (readonly string[])[]) {
  const listeners = new Set<(frame: Frame) => void>();
  const main = {} as Frame;
  let [[at = ""] = []] = reads;
  let count = 0;
  return {
    ...{ url: () => at, mainFrame: () => main },
    on: (_event: string, listener: (frame: Frame) => void) => listeners.add(listener),
    off: (_event: string, listener: (frame: Frame) => void) => listeners.delete(listener),
    async read() {
      const words = `words of ${at}`;
      for (const url of reads[count++] ?? []) {
        at = url;
        for (const listener of listeners) listener(main);
      }
      return words;
    },
    listeners,
  };
}

test("what a page says is never told as another host's, where it leaves while it is read", async () => {
  const page = moving(["http://evil.example/", "http://bank.example/"], []);
  expect(await readAtOneHost(page, page.read)).toBe("words of http://bank.example/");
  expect(page.listeners.size).toBe(0);
});

test("nor where it is back before the end of the read", async () => {
  const page = moving(["http://evil.example/"], ["http://bank.example/", "http://evil.example/"], ["http://evil.example/bye"]);
  await page.read();
  expect(await readAtOneHost(page, page.read)).toBe("words of http://evil.example/");
});

test("a page that changes its own address is read once", async () => {
  const page = moving(["http://shop.example/"], ["http://shop.example/#cart"], ["http://bank.example/"]);
  await page.read();
  expect(await readAtOneHost(page, page.read)).toBe("words of http://shop.example/");
});

test("a page that goes on and on is not read", async () => {
  const page = moving(...Array.from({ length: 9 }, (_, index) => [`http://host${index}.example/`, `http://host${index + 1}.example/`]));
  await expect(readAtOneHost(page, page.read)).rejects.toMatchObject({ code: "browser_refused" });
  expect(page.listeners.size).toBe(0);
});
