import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const shim = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));
const hook = fileURLToPath(new URL("report-thread-time.mjs", import.meta.url));

/** Milliseconds within which a thread counts as at rest when it takes less than `restedMs` of them. */
const lookMs = 15;
const restedMs = 3;
/** Milliseconds between two questions for documents that wait: a question takes a few of the thread, and a document is read in another one. */
const askMs = 500;
/** Milliseconds until the reading of documents is left out. */
const mostReadMs = 60_000;
/** Looks until what goes on behind an answer is left out. */
const mostLooks = 200;

export interface GrowthRequest {
  readonly method: string;
  /** Of the server, such as `/api/tools`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface Answered {
  /** Undefined when no answer came in time. */
  readonly status: number | undefined;
  readonly body: string;
  /** Milliseconds of processor time of the serving thread, with what goes on behind the answer. */
  readonly ms: number;
}

/** A `toolwright serve` with the embedded store, in a folder of its own, that tells the processor time of its serving thread. */
export class ServedProduct {
  readonly root: string;
  readonly origin: string;
  readonly #child: ChildProcess;

  private constructor(root: string, origin: string, child: ChildProcess) {
    this.root = root;
    this.origin = origin;
    this.#child = child;
  }

  static async start(options: readonly string[] = []): Promise<ServedProduct> {
    const root = await mkdtemp(join(tmpdir(), "toolwright-growth-"));
    await mkdir(join(root, "workspace"));
    await writeFile(join(root, "policy.yaml"), "version: 1\nautonomy: full\n");
    const { PATH, TMPDIR, XDG_CACHE_HOME } = process.env;
    const env = {
      PATH,
      TMPDIR,
      XDG_CACHE_HOME,
      HOME: root,
      TOOLWRIGHT_STATE: join(root, "state"),
      TOOLWRIGHT_CONSOLE: "off",
      TOOLWRIGHT_EMBEDDER: "none",
    };
    const places = ["--workspace", join(root, "workspace"), "--policy", join(root, "policy.yaml")];
    const child = spawn(process.execPath, ["--import", hook, shim, "serve", "--port", "0", ...places, ...options], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    let said = "";
    const listens = new Promise<string>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        said += chunk;
        const origin = /MCP +(http\S+)\/mcp/.exec(said)?.[1];
        if (origin !== undefined && said.includes("Ctrl+C")) resolve(origin);
      };
      child.stdout?.on("data", hear);
      child.stderr?.on("data", hear);
      child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${said}`)));
    });
    return new ServedProduct(root, await listens, child);
  }

  file(path: string): string {
    return join(this.root, "workspace", path);
  }

  /** Sends a request, and waits until the thread has come to rest and no document waits to be read: that is work of the request too. */
  async measure(request: GrowthRequest, mostWaitMs: number): Promise<Answered> {
    const before = await this.#threadMs();
    const answer = await this.send(request, mostWaitMs);
    if (answer.status === undefined) return { ...answer, ms: mostWaitMs };
    return { ...answer, ms: (await this.#restOfAll()) - before };
  }

  async send({ method, path, headers, body }: GrowthRequest, mostWaitMs = 30_000): Promise<Omit<Answered, "ms">> {
    try {
      const signal = AbortSignal.timeout(mostWaitMs);
      const given = { "content-type": "application/json", ...headers };
      const response = await fetch(`${this.origin}${path}`, {
        method,
        headers: given,
        ...(body !== undefined && { body: body as string }),
        signal,
        redirect: "manual",
      });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      return { status: undefined, body: String((error as { cause?: unknown }).cause ?? error) };
    }
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    await rm(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  async #restOfAll(): Promise<number> {
    const most = performance.now() + mostReadMs;
    let ms = await this.#rest();
    while ((await this.#hasWaitingDocuments()) && performance.now() < most) {
      await pause(askMs);
      ms = await this.#rest();
    }
    return ms;
  }

  /** Of the newest documents: a case writes no older one. */
  async #hasWaitingDocuments(): Promise<boolean> {
    const { body } = await this.send({ method: "GET", path: "/api/documents?limit=3" });
    const { items } = JSON.parse(body) as { readonly items: readonly { readonly state: string }[] };
    return items.some(({ state }) => state === "queued" || state === "reading");
  }

  async #rest(): Promise<number> {
    let last = await this.#threadMs();
    for (let look = 0; look < mostLooks; look += 1) {
      await pause(lookMs);
      const now = await this.#threadMs();
      if (now - last < restedMs) return last;
      last = now;
    }
    return last;
  }

  async #threadMs(): Promise<number> {
    const answered = once(this.#child, "message");
    this.#child.send("time");
    const [{ ms }] = (await answered) as [{ ms: number }];
    return ms;
  }
}
