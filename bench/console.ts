import type { Page } from "playwright-core";
import { longCall } from "../test/e2e/console/seed-log.ts";
import { openScriptMeter, percentile, scrollPage, settle } from "./console/measure-page.ts";
import { type BenchConsole, openConsole } from "./console/open-console.ts";
import { median, type Row } from "./measure.ts";

const tools = 1_000;
const events = 100_000;
const longEvents = 10_000;
const rounds = 5;
const mostRows = 100;

/** Pages with much on them: a keystroke among a thousand tools, a scroll through 100,000 events, a call with 10,000 of them. */
export async function measure(): Promise<readonly Row[]> {
  const console = await openConsole({ calls: (events - longEvents) / 2, outputs: longEvents - 2 });
  try {
    return [...(await measureSearch(console)), ...(await measureScroll(console)), await measureLongCall(console)];
  } finally {
    await console.stop();
  }
}

interface Limit {
  readonly name: string;
  readonly ours: number;
  readonly most: number;
  readonly unit: string;
}

const against = ({ name, ours, most, unit }: Limit): Row => ({
  ...{ name, ours, peer: most, peerName: "the limit", ratio: ours / most, unit },
  ...{ target: `at most ${most}`, holds: ours <= most },
});

/** The tools of the server, again and again under other names, as far as the page knows. */
async function multiplyTools(page: Page): Promise<void> {
  await page.route("**/api/tools?*", async (route) => {
    const response = await route.fetch();
    const { items } = (await response.json()) as { items: { name: string }[] };
    const many = Array.from({ length: tools }, (_, index) => {
      const item = items[index % items.length] as { name: string };
      return { ...item, name: `${item.name}_${index}` };
    });
    await route.fulfill({ response, json: { items: many } });
  });
}

async function measureSearch(console: BenchConsole): Promise<readonly Row[]> {
  const page = await console.open("/activity");
  await multiplyTools(page);
  await page.goto(`${console.origin}/tools`);
  const search = page.getByLabel("Search tools");
  await search.click();
  await settle(page);
  const meter = await openScriptMeter(page);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const key of "file read") {
      times.push(
        await meter(async () => {
          await page.keyboard.press(key === " " ? "Space" : key);
          await settle(page);
        }),
      );
    }
    await search.fill("");
    await settle(page);
  }
  await page.context().close();
  const name = "a keystroke in the search of 1,000 tools";
  return [
    against({ name: `${name}, p50`, ours: median(times), most: 16, unit: "ms of script" }),
    against({ name: `${name}, p95`, ours: percentile(times, 0.95), most: 16, unit: "ms of script" }),
  ];
}

async function measureScroll(console: BenchConsole): Promise<readonly Row[]> {
  const [full, empty] = [await console.open("/activity"), await console.open("/activity?tool=none")];
  await full.keyboard.press("j");
  for (let page = 0; page < 20; page += 1) {
    await full.keyboard.press("End");
    await settle(full);
  }
  const [frames, peer]: [number[], number[]] = [[], []];
  let most = 0;
  for (let round = 0; round < rounds; round += 1) {
    await full.bringToFront();
    const scrolled = await scrollPage(full, 200);
    frames.push(percentile(scrolled.frames, 0.95));
    most = Math.max(most, scrolled.mostRows);
    await empty.bringToFront();
    peer.push(percentile((await scrollPage(empty, 200)).frames, 0.95));
  }
  const ratio = median(frames.map((frame, round) => frame / (peer[round] ?? Number.NaN)));
  const name = "a frame while scrolling 100,000 events, p95";
  return [
    {
      name,
      ours: median(frames),
      peer: median(peer),
      peerName: "an empty list",
      ratio,
      unit: "ms",
      target: "at most twice",
      holds: ratio <= 2,
    },
    against({ name: "rows in the page meanwhile", ours: most, most: mostRows, unit: "rows" }),
  ];
}

async function measureLongCall(console: BenchConsole): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const page = await console.open("/activity?tool=seeded_long");
    await page.getByRole("link", { name: /seeded_long/ }).click();
    const startedAt = performance.now();
    await page.getByText("Recorded", { exact: true }).waitFor();
    await page.getByRole("list", { name: "Events, in order" }).getByRole("listitem").first().waitFor();
    // The first warms the server up.
    if (round > 0) times.push(performance.now() - startedAt);
    if (!page.url().endsWith(longCall)) throw new Error(`The page shows ${page.url()} instead of the call.`);
    await page.context().close();
  }
  return against({ name: "a call with 10,000 events opens", ours: median(times), most: 1_000, unit: "ms" });
}
