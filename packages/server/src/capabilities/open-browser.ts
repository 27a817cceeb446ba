import { type BrowserCapability, browserCapability } from "@toolwright/browser";
import type { Logger } from "@toolwright/engine";
import { type Clock, createRandomIds, type SandboxDriver, type SecretStore } from "@toolwright/engine/ports";
import { takeBoundSecret } from "@toolwright/sandbox";
import { createBrowserDriver, explainChromium, findChromium } from "../machine/browser-sandbox.ts";
import type { Machine } from "../machine/machine.ts";

/** The driver of commands that is made of the same. */
const runtime = "bwrap";

interface BrowserParts {
  readonly machine: Pick<Machine, "found" | "look">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretStore;
  /** Names under which others reach this server, which no page does. */
  readonly ownHosts?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pages in Chromium, which runs in a sandbox driver of its own. Neither is made before a page is opened. */
export function openBrowser({ machine, env, secrets, ownHosts = [], clock, logger }: BrowserParts): BrowserCapability {
  let driver: SandboxDriver | undefined;
  let found = findChromium(env);
  const makeDriver = () => {
    driver ??= createBrowserDriver({ ownHosts, logger });
    return driver;
  };
  const browser = browserCapability({
    ...{ clock, logger, ids: createRandomIds() },
    chromium: () => (found = findChromium(env)),
    driver: async () => ((await makeDriver().probe()).available ? driver : undefined),
    takeSecret: async (name, url, site) => (await takeBoundSecret(name, url, { site, secrets })).value,
    problem() {
      if (found === undefined) return explainChromium(env);
      const sandbox = machine.found.find((each) => each.driver.name === runtime);
      if (sandbox === undefined || sandbox.probe.available) return undefined;
      const { detail, remedy = "Run `toolwright doctor`." } = sandbox.probe;
      return { reason: `The browser runs in bubblewrap only. ${detail}`, remedy };
    },
  });
  return {
    ...browser,
    close: async () => {
      await browser.close?.();
      await driver?.close();
    },
  };
}
