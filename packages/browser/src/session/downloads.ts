import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { type ArtifactRef, type CallSite, ToolwrightError } from "@toolwright/engine";
import { type Clock, pause } from "@toolwright/engine/ports";
import type { BrowserContext, Download } from "playwright-core";

const mostDownloadBytes = 64 * 1024 * 1024;
const mostWaiting = 8;
const chunkBytes = 1024 * 1024;
/** Milliseconds for the browser to name a file that it has begun to fetch in the place of a page. */
const namedMs = 10_000;

type Keeper = Pick<CallSite, "artifacts" | "principal" | "session" | "callId" | "signal">;

/** Files that pages of a session gave, until a call keeps them. */
export class Downloads {
  readonly #waiting: Download[] = [];
  #onFile: () => void = () => undefined;

  constructor(context: BrowserContext) {
    context.on("page", (page) => page.on("download", (download) => this.#add(download)));
  }

  #add(download: Download): void {
    if (this.#waiting.length < mostWaiting) {
      this.#waiting.push(download);
      this.#onFile();
    } else void download.cancel().catch(() => undefined);
  }

  /** Waits for a file that a page said it begins to fetch: the browser names it a moment later. */
  async begun(clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0) return;
    await Promise.race([new Promise<void>((resolve) => (this.#onFile = resolve)), pause(namedMs, clock, signal)]);
  }

  /** Keeps what was downloaded as artifacts of the call, and says of each what became of it. */
  async keep(site: Keeper, news: string[]): Promise<void> {
    for (const download of this.#waiting.splice(0)) news.push(await keepOne(download, site));
  }
}

async function keepOne(download: Download, site: Keeper): Promise<string> {
  const name = nameOf(download);
  const cancel = () => void download.cancel().catch(() => undefined);
  site.signal.addEventListener("abort", cancel, { once: true });
  try {
    const ref = await copy(await download.path(), name, site);
    return `The page downloaded a file of ${ref.size} bytes: it is the artifact ${ref.id}.`;
  } catch (error) {
    const why = ToolwrightError.is(error) ? error.message : ((await download.failure().catch(() => null)) ?? "it could not be read");
    return `A download of the page was not kept: ${why}`;
  } finally {
    site.signal.removeEventListener("abort", cancel);
    await download.delete().catch(() => undefined);
  }
}

function nameOf(download: Download): string {
  const name = basename(download.suggestedFilename()).replace(/[\p{Cc}\p{Cf}/\\]/gu, "_");
  return name.slice(-120) || "download";
}

/** What lies there was written in the sandbox: only a plain file with one name is read, and no link is followed. */
async function copy(path: string, name: string, site: Keeper): Promise<ArtifactRef> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.nlink !== 1) throw new ToolwrightError("browser_refused", "it is not a plain file.");
    if (stats.size > mostDownloadBytes)
      throw new ToolwrightError("artifact_too_large", `it has ${stats.size} bytes, and ${mostDownloadBytes} are kept at most.`);
    const owner = { tenant: site.principal.tenant, session: site.session, callId: site.callId };
    const writer = await site.artifacts.create(owner, { name, mediaType: "application/octet-stream" });
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let left = stats.size; left > 0; ) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, left));
        if (bytesRead === 0) break;
        await writer.write(Buffer.from(buffer.subarray(0, bytesRead)));
        left -= bytesRead;
      }
      return await writer.finish();
    } catch (error) {
      await writer.discard().catch(() => undefined);
      throw error;
    }
  } finally {
    await file.close();
  }
}
