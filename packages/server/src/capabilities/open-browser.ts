import { existsSync } from "node:fs";
import { type BrowserCapability, browserCapability } from "@toolwright/browser";
import type { Logger } from "@toolwright/engine";
import { type Clock, createRandomIds, type SandboxDriver, type SecretStore } from "@toolwright/engine/ports";
import { createBwrapDriver, takeBoundSecret } from "@toolwright/sandbox";
import type { Machine } from "../machine/machine.ts";

/** Where systems put the program itself: a script that starts it may want more than a sandbox has. */
const places = [
  ...["/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/usr/lib64/chromium-browser/chromium-browser"],
  ...["/opt/google/chrome/chrome", "/usr/bin/chromium", "/usr/bin/chromium-browser"],
];
/** What Chromium reads beside the system's folders. */
const readable = ["/etc/fonts", "/etc/chromium", "/etc/chromium.d"];
/** The only sandbox that lets Chromium keep its own inside. */
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

/** The Chromium that the operator names, or the first that is there. */
export function findChromium({ TOOLWRIGHT_CHROMIUM: named }: BrowserParts["env"]): string | undefined {
  return named ? (existsSync(named) ? named : undefined) : places.find((path) => existsSync(path));
}

/** Pages in Chromium, which runs in a sandbox driver of its own. Neither is made before a page is opened. */
export function openBrowser({ machine, env, secrets, ownHosts = [], clock, logger }: BrowserParts): BrowserCapability {
  let driver: SandboxDriver | undefined;
  let found = findChromium(env);
  const makeDriver = () => {
    const folders = readable.filter((path) => existsSync(path));
    driver ??= createBwrapDriver({ warm: 0, readable: folders, innerSandbox: true, egress: { ownHosts }, logger });
    return driver;
  };
  const browser = browserCapability({
    ...{ clock, logger, ids: createRandomIds() },
    chromium: () => (found = findChromium(env)),
    driver: async () => ((await makeDriver().probe()).available ? driver : undefined),
    takeSecret: async (name, url, site) => (await takeBoundSecret(name, url, { site, secrets })).value,
    problem() {
      if (found === undefined) return noChromium(env.TOOLWRIGHT_CHROMIUM);
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

function noChromium(named: string | undefined) {
  const reason = named ? `There is no ${named}, which TOOLWRIGHT_CHROMIUM names.` : "There is no Chromium on this machine.";
  return { reason, remedy: "Install it (apt-get install chromium), or name it in TOOLWRIGHT_CHROMIUM." };
}
