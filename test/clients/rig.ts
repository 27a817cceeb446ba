import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ClientHome, RealClient } from "./drive/client.ts";
import type { ModelServer, Played, Step } from "./model-server.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));
export const packages = join(here, "node_modules");

/** Milliseconds that a client may take for one prompt, beside what its calls take. */
const promptMs = 120_000;

const policy = `version: 1
autonomy: full
commands: { mode: full, block_high_risk: false, approve_medium_risk: false }
sandbox: { timeout_seconds: 600 }
`;

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A client that runs, in a process group of its own. */
export interface Running {
  /** What the model has seen so far. */
  readonly seen: () => Played;
  readonly ended: Promise<Ran>;
  /** To the client and all that it started, as a terminal does. */
  signal(signal: NodeJS.Signals): void;
}

/** One client beside one server of ours, in folders of their own. */
export class Rig {
  readonly client: RealClient;
  readonly #root: string;
  readonly #model: ModelServer;
  readonly #key: string;
  #server: ChildProcess | undefined;
  #port = 0;
  readonly #children = new Set<ChildProcess>();

  private constructor(
    client: RealClient,
    { root, model, key }: { readonly root: string; readonly model: ModelServer; readonly key: string },
  ) {
    this.client = client;
    this.#root = root;
    this.#model = model;
    this.#key = key;
  }

  /** With the client's own settings; `key` is the client's path at the model. */
  static async make(client: RealClient, { model, key }: { readonly model: ModelServer; readonly key: string }): Promise<Rig> {
    const rig = new Rig(client, { root: await mkdtemp(join(tmpdir(), `tw-${key}-`)), model, key });
    for (const folder of ["home", "project", "workspace"]) await mkdir(join(rig.#root, folder));
    for (const [path, text] of Object.entries(client.files(rig.#place()))) {
      await mkdir(dirname(join(rig.#root, "home", path)), { recursive: true });
      await writeFile(join(rig.#root, "home", path), text);
    }
    await writeFile(join(rig.#root, "rules.yaml"), policy);
    await writeFile(rig.supervised, "version: 1\n");
    await writeFile(join(rig.#root, "workspace/notes.txt"), "first\nsecond\nthird\n");
    return rig;
  }

  #place(): ClientHome {
    return { home: join(this.#root, "home"), project: join(this.#root, "project"), modelUrl: this.#model.url(this.#key), packages };
  }

  #environment(): NodeJS.ProcessEnv {
    const { PATH = "", TMPDIR } = process.env;
    const home = join(this.#root, "home");
    return {
      PATH: [dirname(process.execPath), PATH].join(delimiter),
      TMPDIR,
      HOME: home,
      USER: "tester",
      TERM: "dumb",
      NO_COLOR: "1",
      TOOLWRIGHT_STATE: join(this.#root, "state"),
      XDG_CACHE_HOME: join(tmpdir(), "toolwright-clients-cache"),
    };
  }

  #start(
    argv: readonly [string, ...string[]],
    env: NodeJS.ProcessEnv = {},
    cwd = this.#root,
  ): { child: ChildProcess; ended: Promise<Ran> } {
    const [command, ...args] = argv;
    const child = spawn(command, args, { cwd, env: { ...this.#environment(), ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#children.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk));
    const ended = new Promise<Ran>((resolve) => {
      child.once("error", (error) => resolve({ code: null, output: error.message }));
      child.once("exit", (code) => setTimeout(() => resolve({ code, output }), 100));
    });
    return { child, ended };
  }

  /** One command of ours, in the place of the server. */
  async run(...words: readonly string[]): Promise<Ran> {
    return this.#start([process.execPath, program, ...words]).ended;
  }

  /** One that uses tools, with those of the server. */
  async ours(...words: readonly string[]): Promise<Ran> {
    return this.run(...words, ...this.#ourArguments);
  }

  get #ourArguments(): readonly string[] {
    return ["--workspace", join(this.#root, "workspace"), "--tools", join(here, "tools"), "--policy", join(this.#root, "rules.yaml")];
  }

  /** The policy that there is without one, as a file. */
  get supervised(): string {
    return join(this.#root, "supervised.yaml");
  }

  /** Starts the server, on the port of last time; resolves when it is ready. */
  async serve(): Promise<void> {
    const { child, ended } = this.#start([process.execPath, program, "serve", "--port", String(this.#port), ...this.#ourArguments]);
    this.#server = child;
    const ready = new Promise<string>((resolve) => {
      let text = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk;
        const [, url] = /MCP +(http\S+)/.exec(text) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
    const url = await Promise.race([ready, ended.then(({ output }) => Promise.reject(new Error(`toolwright serve ended: ${output}`)))]);
    this.#port = Number(new URL(url).port);
  }

  async killServer(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    killGroup(server, "SIGKILL");
    await ended;
  }

  /** Writes the client's configuration as a person would have it written. */
  async install(...words: readonly string[]): Promise<void> {
    const { code, output } = await this.run(
      "install",
      this.client.name,
      "--yes",
      ...words,
      ...(words.includes("--stdio") ? this.#ourArguments : []),
    );
    if (code !== 0) throw new Error(`toolwright install ended with ${code}: ${output}`);
  }

  /** Gives the client a prompt, and the model its script. */
  prompt(steps: readonly Step[]): Running {
    const seen = this.#model.play(this.#key, steps);
    const place = this.#place();
    const { child, ended } = this.#start(this.client.command(place, "Do what has to be done."), this.client.env(place), place.project);
    return { seen, ended, signal: (signal) => killGroup(child, signal) };
  }

  /** The same, to its end; what the model saw. */
  async play(steps: readonly Step[], extraMs = 0): Promise<Played> {
    const running = this.prompt(steps);
    const ran = await Promise.race([running.ended, wait(promptMs + extraMs, undefined, { ref: false })]);
    const played = running.seen();
    if (ran === undefined) {
      running.signal("SIGKILL");
      throw new Error(`the client did not end within ${(promptMs + extraMs) / 1000} s; the model saw ${played.results.length} results`);
    }
    const wanted = steps.filter((step) => "tool" in step).length;
    if (played.results.length < wanted)
      throw new Error(
        `the model saw ${played.results.length} of ${wanted} results; the client ended with ${ran.code}: ${ran.output.slice(-600)}`,
      );
    return played;
  }

  /** How often the tool that pays has run. */
  async payments(): Promise<number> {
    return (await readdir(join(this.#root, "workspace/paid")).catch(() => [])).length;
  }

  /** How often our entry stands in the client's own configuration. */
  async leftEntries(): Promise<number> {
    const files = Object.keys(this.client.files(this.#place()));
    const texts = await Promise.all(files.map((path) => readFile(join(this.#root, "home", path), "utf8").catch(() => "")));
    return texts.reduce((sum, text) => sum + (text.match(/"toolwright": \{|\[mcp_servers\.toolwright\b/g)?.length ?? 0), 0);
  }

  async remove(): Promise<void> {
    for (const child of this.#children) killGroup(child, "SIGKILL");
    await wait(200);
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => {});
  }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

/** True while a process of this machine has that word among its arguments. */
export async function runs(word: string): Promise<boolean> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.some((line) => line.split("\0").includes(word));
}
