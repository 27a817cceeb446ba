import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createServerDatabase } from "@toolwright/postgres/testing";

export const shim = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A folder of its own in which the product is used from outside, as a stranger would. */
export class Place {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #children = new Set<Child>();
  readonly #dropDatabase: () => Promise<void>;

  private constructor(root: string, database?: { readonly url: string; drop(): Promise<void> }) {
    this.root = root;
    this.#dropDatabase = database?.drop ?? (async () => {});
    const { PATH, TMPDIR } = process.env;
    // What a new store starts with takes seconds to make, and is the same for every test.
    this.env = {
      PATH,
      TMPDIR,
      HOME: join(root, "home"),
      XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE,
      USER: "tester",
      TOOLWRIGHT_STATE: join(root, "state"),
      // Pages are looked at where they are tested.
      TOOLWRIGHT_CONSOLE: "off",
      TOOLWRIGHT_EMBEDDER: "none",
    };
    if (database) this.env.DATABASE_URL = database.url;
  }

  /** With a store of its own: on the server of the test run, which opens faster, or embedded, as it is when nobody says anything. */
  static async make(store: "server" | "embedded" = "server"): Promise<Place> {
    const root = await mkdtemp(join(tmpdir(), "toolwright-e2e-"));
    return new Place(root, store === "server" ? await createServerDatabase() : undefined);
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  start(args: readonly string[], options: { readonly node?: string; readonly env?: NodeJS.ProcessEnv } = {}): Child {
    return this.startNode([shim, ...args], options);
  }

  /** A program of the test's own in this place. */
  startNode(args: readonly string[], options: { readonly node?: string; readonly env?: NodeJS.ProcessEnv } = {}): Child {
    const child = spawn(options.node ?? process.execPath, args, {
      cwd: this.root,
      env: { ...this.env, ...options.env },
      stdio: "pipe",
    });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  async run(
    args: readonly string[],
    options: { readonly stdin?: string; readonly node?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ran> {
    const child = this.start(args, options);
    child.stdin.end(options.stdin ?? "");
    return finish(child);
  }

  async remove(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await rm(this.root, { recursive: true, force: true });
    await this.#dropDatabase();
  }
}

export async function finish(child: Child): Promise<Ran> {
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    texts.out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    texts.err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...texts };
}

/** Resolves with the output from now on once it matches; rejects with it when the process ends, or has ended, before. */
export function waitForText(child: Child, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const onData = (chunk: Buffer) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    };
    child.stdout.on("data", onData);
    child.stderr.on("data", onData);
    const onClose = (code: number | null) => reject(new Error(`ended with ${code} before it said ${pattern}:\n${text}`));
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded && child.stdout.closed && child.stderr.closed) onClose(child.exitCode);
    else child.once("close", onClose);
  });
}
