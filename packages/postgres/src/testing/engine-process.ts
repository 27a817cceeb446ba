import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface EngineProcess {
  readonly child: ChildProcess;
  /** The next line that it writes. */
  line(): Promise<string>;
  /** Lets its tool return. */
  release(): void;
  kill(signal: NodeJS.Signals): void;
}

/** A process of its own on the server `url`, named `process`, that makes one call of a tool, which runs until it is released. */
export function startEngineProcess(url: string, process: string, options: { key?: string; idempotent?: boolean } = {}): EngineProcess {
  const source = script(url, process, options);
  const child = spawn(globalThis.process.execPath, ["--conditions=@toolwright/source", "--input-type=module-typescript", "-e", source], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error("The process ended without another line.");
      return value;
    },
    release: () => void child.stdin?.write("go\n"),
    kill: (signal) => void child.kill(signal),
  };
}

/** It shows life every 100 ms and takes others for dead after a second. */
function script(url: string, process: string, { key, idempotent = false }: { key?: string; idempotent?: boolean }): string {
  const here = new URL("../", import.meta.url).href;
  const root = (path: string) => JSON.stringify(new URL(path, here).href);
  return `
    import { once } from "node:events";
    import { createEngine, defaultPolicy, defineTool } from ${root("../../engine/src/index.ts")};
    import { z } from ${root("../../../node_modules/zod/index.js")};
    import { openServer } from ${root("database/open-server.ts")};
    import { createPostgresEventLog } from ${root("events/postgres-event-log.ts")};
    import { createPostgresIdempotencyStore } from ${root("idempotency/postgres-idempotency-store.ts")};
    import { createProcessRegistry } from ${root("recovery/process-registry.ts")};
    const database = await openServer(${JSON.stringify(url)});
    const name = { process: ${JSON.stringify(process)} };
    const registry = await createProcessRegistry(database, { ...name, role: "child", host: "here", beatMs: 100, leaseMs: 1_000 });
    const hold = defineTool({
      name: "hold",
      description: "A tool that runs until it is told to end.",
      input: z.object({}),
      output: z.object({ text: z.string() }),
      effects: { destructive: true, idempotent: ${idempotent} },
      async run() {
        console.log("started");
        await once(process.stdin, "data");
        return { text: "done" };
      },
    });
    const events = createPostgresEventLog(database, name.process);
    const policy = [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }];
    const idempotency = createPostgresIdempotencyStore(database, name);
    const engine = createEngine({ tools: [hold], policy, events: { ...events, keys: idempotency }, idempotency });
    const scope = engine.scope({ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" }, { session: "s1" });
    const result = await scope.invoke("hold", {}, ${JSON.stringify(key === undefined ? {} : { idempotencyKey: key })});
    await events.settle();
    console.log(JSON.stringify(result));
    await registry.close();
    await database.close();
    process.exit();
  `;
}
