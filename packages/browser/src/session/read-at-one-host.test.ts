import { expect, test } from "vitest";
import { readAtOneHost } from "./read-at-one-host.ts";

/** A page that is elsewhere each time that it was read, until it stays. */
function moving(...urls: readonly string[]) {
  let at = 0;
  const url = () => urls[Math.min(at, urls.length - 1)] as string;
  return { url, read: async () => `words of ${urls[Math.min(at++, urls.length - 1)]}` };
}

test("what a page says is never told as another host's, where it leaves while it is read", async () => {
  const page = moving("http://evil.example/", "http://bank.example/", "http://bank.example/");
  expect(await readAtOneHost(page, page.read)).toBe("words of http://bank.example/");
});

test("a page that changes its own address is read once", async () => {
  const page = moving("http://shop.example/", "http://shop.example/#cart");
  expect(await readAtOneHost(page, page.read)).toBe("words of http://shop.example/");
});

test("a page that goes on and on is not read", async () => {
  const page = moving(...Array.from({ length: 9 }, (_, index) => `http://host${index}.example/`));
  await expect(readAtOneHost(page, page.read)).rejects.toMatchObject({ code: "browser_refused" });
});
