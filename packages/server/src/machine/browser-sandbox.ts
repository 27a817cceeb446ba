import { existsSync } from "node:fs";
import type { Logger } from "@toolwright/engine";
import { type MachineCheck, type SandboxDriver, silentLogger } from "@toolwright/engine/ports";
import { createBwrapDriver } from "@toolwright/sandbox";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where systems put the program itself: a script that starts it may want more than a sandbox has. */
const places = [
  ...["/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/usr/lib64/chromium-browser/chromium-browser"],
  ...["/opt/google/chrome/chrome", "/usr/bin/chromium", "/usr/bin/chromium-browser"],
];
/** What Chromium reads beside the system's folders. */
const readable = ["/etc/fonts", "/etc/chromium", "/etc/chromium.d"];

/** The Chromium that the operator names, or the first that is there. */
export function findChromium({ TOOLWRIGHT_CHROMIUM: named }: Environment): string | undefined {
  return named ? (existsSync(named) ? named : undefined) : places.find((path) => existsSync(path));
}

/** The only sandbox that lets Chromium keep its own inside. */
export function createBrowserDriver(options: { readonly ownHosts: readonly string[]; readonly logger: Logger }): SandboxDriver {
  const { ownHosts, logger } = options;
  const folders = readable.filter((path) => existsSync(path));
  return createBwrapDriver({ warm: 0, readable: folders, innerSandbox: true, egress: { ownHosts }, logger });
}

/** Why there is no Chromium, and what to do. */
export function explainChromium({ TOOLWRIGHT_CHROMIUM: named }: Environment) {
  const reason = named ? `There is no ${named}, which TOOLWRIGHT_CHROMIUM names.` : "There is no Chromium on this machine.";
  return { reason, remedy: "Install it (apt-get install chromium), or name it in TOOLWRIGHT_CHROMIUM." };
}

/** Whether pages can be opened: the sandbox is tried, Chromium is not started. */
export async function checkBrowser(env: Environment): Promise<MachineCheck> {
  const name = "browser";
  const chromium = findChromium(env);
  if (chromium === undefined) {
    const { reason, remedy } = explainChromium(env);
    return { name, state: "missing", detail: reason, remedy };
  }
  const driver = createBrowserDriver({ ownHosts: [], logger: silentLogger });
  try {
    const { available, detail, remedy } = await driver.probe();
    if (available) return { name, state: "ok", detail: `${chromium}, in a sandbox that lets it keep its own inside` };
    return { name, state: "missing", detail: `There is ${chromium}, but not its sandbox. ${detail}`, ...(remedy && { remedy }) };
  } finally {
    await driver.close();
  }
}
