import type { Page } from "playwright-core";
import { Browsers, whyNoBrowser } from "../../test/e2e/browser.ts";
import { seedLog } from "../../test/e2e/console/seed-log.ts";
import { Place } from "../../test/e2e/run-cli.ts";
import { startServer } from "../../test/e2e/served.ts";
import { hashSources } from "../../web/hash-sources.ts";
import { Refusal } from "../refusal.ts";
import { requireConsole } from "./require-console.ts";

export interface BenchConsole {
  readonly origin: string;
  /** A page that shows a path, in a browser of its own. */
  open(path: string): Promise<Page>;
  /** What the REST door answers. */
  ask(path: string, body: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

interface Seed {
  /** Two events each. */
  readonly calls: number;
  /** Events of the one long call, beside its start and end. */
  readonly outputs: number;
}

/** A real server with its console and a log, and a browser. */
export async function openConsole(seed: Seed): Promise<BenchConsole> {
  if (whyNoBrowser !== undefined) throw new Refusal(`The console is measured in a browser: ${whyNoBrowser}.`);
  const place = await Place.make("embedded");
  try {
    const served = await startServer(place, [], { TOOLWRIGHT_CONSOLE: "on", TOOLWRIGHT_STATE: place.path("state") });
    const { origin } = new URL(served.mcp);
    const page = await fetch(`${origin}/tools`, { headers: { accept: "text/html" } });
    requireConsole(await page.text(), hashSources());
    await seedLog(place, seed);
    const browsers = await Browsers.launch();
    return {
      origin,
      async open(path) {
        const page = await browsers.open([origin], { viewport: { width: 1280, height: 800 } });
        await page.goto(new URL(path, origin).href);
        return page;
      },
      async ask(path, body) {
        const response = await fetch(`${origin}/api${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return response.json();
      },
      async stop() {
        await browsers.close();
        await Browsers.end();
        await place.remove();
      },
    };
  } catch (error) {
    await place.remove();
    throw error;
  }
}
