import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import type { PendingResult, Principal } from "@toolwright/engine";
import { type Clock, systemClock } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { productArguments } from "../../product-arguments.ts";
import {
  browserWords,
  call,
  html,
  openBrowserPlace,
  type Place,
  problemOf,
  refOf,
  type Shown,
  whyNoBrowser,
} from "./open-browser-place.ts";

const main = new URL("./browse-main.ts", import.meta.url).pathname;
const person: Principal = {
  tenant: "t",
  actor: { kind: "user", id: "u" },
  permissions: ["approvals:answer"],
  door: "cli",
  interactive: true,
};

/** Sandboxes of browsers that the process started: each names the folder of its run. They begin with the process that ends all others. */
function browsersOf(pid: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const words = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0") : [];
      return words[0]?.endsWith("bwrap") && words.some((word) => word.includes(`toolwright-browser-${pid}-`)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

describe.skipIf(whyNoBrowser)(`how browsers end${browserWords}`, () => {
  let place: Place;
  afterEach(() => place?.close());

  const button = "<h1>Shop</h1><button onclick=\"this.textContent += '!'\">Buy</button><input aria-label=Field>";

  test("a person is asked once for each host and session before something is done there", async () => {
    place = await openBrowserPlace((_request, response) => html(response, button), {
      policy: { autonomy: "supervised", network: { allow: ["shop.example", "other.example"] } },
    });
    const scope = place.scope();
    const page = await call(scope, "open", { url: "http://shop.example/" });
    const input = { snapshotId: page.snapshotId, ref: refOf(page.snapshot, "button") };
    const asked = (await scope.invokeNamed("browser_click", input)) as PendingResult;
    expect(asked).toMatchObject({ status: "pending", decision: { rule: "default.browser.host", subject: "shop.example" } });
    await place.engine.scope(person).answer(asked.approval.id, { kind: "approve" });
    const clicked = await scope.resume(asked.approval.id);
    expect(clicked).toMatchObject({ status: "done" });
    const { snapshotId } = (clicked as { output: unknown }).output as Shown;
    const again = await scope.invokeNamed("browser_type", { snapshotId, ref: refOf(page.snapshot, "textbox"), text: "x" });
    expect(again.status).toBe("done");
    const elsewhere = await call(scope, "open", { url: "http://other.example/" });
    const other = { snapshotId: elsewhere.snapshotId, ref: refOf(elsewhere.snapshot, "button") };
    expect((await scope.invokeNamed("browser_click", other)).status).toBe("pending");
    const session = place.scope("another");
    const there = await call(session, "open", { url: "http://shop.example/" });
    const fresh = { snapshotId: there.snapshotId, ref: refOf(there.snapshot, "button") };
    expect((await session.invokeNamed("browser_click", fresh)).status).toBe("pending");
  });

  test("a browser that crashed is told, the next page opens in a new one, and without use it ends by itself", async () => {
    // Short waits are real: a page takes its time.
    const manual = createManualClock();
    const clock: Clock = {
      now: manual.now,
      monotonic: systemClock.monotonic,
      after: (ms, ...rest) => (ms < 60_000 ? systemClock : manual).after(ms, ...rest),
    };
    place = await openBrowserPlace((_request, response) => html(response, button), { clock });
    const scope = place.scope();
    await call(scope, "open", { url: "http://shop.example/" });
    const [zygote] = browsersOf(process.pid);
    process.kill(zygote as number, "SIGKILL");
    await vi.waitFor(async () => expect(problemOf(await scope.invokeNamed("browser_snapshot", {})).code).toMatch(/^browser_/));
    await call(scope, "open", { url: "http://shop.example/" });
    await manual.advance(9 * 60_000);
    await call(scope, "snapshot", {});
    await manual.advance(9 * 60_000);
    expect((await call(scope, "snapshot", {})).url).toBe("http://shop.example/");
    await manual.advance(11 * 60_000);
    await expect.poll(() => browsersOf(process.pid)).toEqual([]);
    expect(problemOf(await scope.invokeNamed("browser_snapshot", {})).code).toBe("browser_refused");
  });

  test("a ninth session of a person waits until one was not used for a minute; another tenant's takes the place of the one that rests longest", async () => {
    const manual = createManualClock();
    // Looks for what may make room are every second.
    const clock: Clock = {
      ...{ now: manual.now, monotonic: systemClock.monotonic },
      after: (ms, ...rest) => (ms === 1_000 ? manual : systemClock).after(ms, ...rest),
    };
    place = await openBrowserPlace((_request, response) => html(response, button), { clock });
    for (let index = 1; index <= 8; index++) await call(place.scope(`s${index}`), "open", { url: "http://shop.example/" });
    await manual.advance(10);
    await call(place.scope("s1"), "snapshot", {});
    await call(place.scope("s9", "other"), "open", { url: "http://shop.example/" });
    const isClosed = async (session: string) =>
      problemOf(await place.scope(session).invokeNamed("browser_snapshot", {})).code === "browser_refused";
    expect(await isClosed("s2")).toBe(true);
    let isOpen = false;
    const ninth = call(place.scope("s10"), "open", { url: "http://shop.example/" }).then(() => {
      isOpen = true;
    });
    await manual.advance(59_000);
    expect(isOpen).toBe(false);
    await manual.advance(2_000);
    await ninth;
    expect(await isClosed("s3")).toBe(true);
  });

  test("kill -9 of the process leaves no Chromium", async () => {
    const child = spawn(process.execPath, [...productArguments, main], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");
    const marker = `toolwright-browser-${child.pid}-`;
    expect(browsersOf(child.pid as number).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(() => browsersOf(child.pid as number)).toEqual([]);
    // What it left on the disk goes when the next browser starts.
    place = await openBrowserPlace((_request, response) => html(response, button));
    await call(place.scope(), "open", { url: "http://shop.example/" });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(marker))).toEqual([]);
  });

  test("a missing Chromium is one sentence, and what to do", async () => {
    place = await openBrowserPlace((_request, response) => html(response, button), { chromium: () => undefined });
    const problem = problemOf(await place.scope().invokeNamed("browser_open", { url: "http://shop.example/" }));
    expect(problem.code).toBe("browser_unavailable");
    expect(problem.message).toMatch(/There is no Chromium .* TOOLWRIGHT_CHROMIUM/);
    await place.close();
    place = await openBrowserPlace((_request, response) => html(response, button), { chromium: () => "/bin/false" });
    const broken = problemOf(await place.scope().invokeNamed("browser_open", { url: "http://shop.example/" }));
    expect(broken).toMatchObject({ code: "browser_unavailable" });
    expect(broken.message).toContain("The browser did not start. Chromium ended before it answered.");
  });
});
