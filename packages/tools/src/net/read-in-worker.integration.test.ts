import { describe, expect, test } from "vitest";
import { readInWorker } from "./read-in-worker.ts";

const options = { url: "https://example.com/", links: true };
const endless = "<b><i><p>".repeat(60_000);

describe("a page is read in a thread of its own", () => {
  test("an honest page comes back", async () => {
    const page = await readInWorker("<title>T</title><p>Hello", { ...options, processorMs: 15_000, signal: new AbortController().signal });
    expect(page).toMatchObject({ extent: "page", markdown: "Hello" });
  });

  test("HTML that would take minutes is given up at the limit, and the event loop runs meanwhile", async () => {
    let turns = 0;
    const counter = setInterval(() => turns++, 1);
    const page = await readInWorker(endless, { ...options, processorMs: 300, signal: new AbortController().signal });
    clearInterval(counter);
    expect(page).toBeUndefined();
    expect(turns).toBeGreaterThan(10);
  });

  test("the end of the call ends the thread", async () => {
    const ending = new AbortController();
    const reading = readInWorker(endless, { ...options, processorMs: 60_000, signal: ending.signal });
    ending.abort();
    expect(await reading).toBeUndefined();
  });
});
