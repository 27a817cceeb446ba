// A process that begins a turn of an agent, or goes on with what one that was killed left, and is killed itself where TURNS says so. It says on
// stdout how far the turn is, if it comes to that.
import { appendFileSync } from "node:fs";
import { agentsCapability, agentTools, createModelSource, openAICompatibleModels, resumeLostTurns } from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { createEngine, defineTool, type Engine } from "@toolwright/engine";
import { createRandomIds, type Turns } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { sql } from "kysely";
import { z } from "zod";

/** The moments at which a process kills itself; at others it is killed from outside. */
export type Moment = "once step 2 is stored" | "in cut" | "in again" | "before the end" | "after the end";

export interface TurnOrders {
  readonly url: string;
  readonly folder: string;
  /** Where the tools write what they did. */
  readonly effects: string;
  readonly model: string;
  /** Without it, the process goes on with what is there. */
  readonly begins?: boolean;
  /** Answers what waits. */
  readonly approves?: boolean;
  readonly diesAt?: Moment;
}

const { effects, model, begins, approves, diesAt, ...place } = JSON.parse(process.env.TURNS ?? "") as TurnOrders;

function die(moment: Moment): void {
  if (moment === diesAt) process.kill(process.pid, "SIGKILL");
}

const store = await openStore({ ...place, process: `prc_${process.pid}`, holder: "turn-main" });
const { artifacts, events, approvals, callTree, clock, idempotency, sessions, turnStream } = store;
const turns: Turns = {
  ...store.turns,
  async keep(held, step) {
    const isKept = await store.turns.keep(held, step);
    if (step.step === 2) die("once step 2 is stored");
    return isKept;
  },
  async end(held, ending) {
    die("before the end");
    const queued = await store.turns.end(held, ending);
    die("after the end");
    return queued;
  },
};
const logger = {
  log: (level: string, message: string, facts?: unknown) =>
    void (level !== "info" && process.stderr.write(`turn-main ${level} ${message} ${JSON.stringify(facts ?? {})}\n`)),
};
const ids = createRandomIds();
const models = createModelSource({
  usual: "openai-compatible/scripted",
  providers: new Map([["openai-compatible", async () => openAICompatibleModels({ server: { url: model } })]]),
});
const engine: Engine = createEngine({
  tools: [...agentTools, ...writers()],
  policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
  ...{ events, approvals, callTree, clock, idempotency, sessions, logger },
  administration: { turns, turnStream },
  capabilities: [
    agentsCapability(() => ({
      ...{ engine, turns, stream: turnStream, events, models, clock, ids, logger, sessions, artifacts },
      offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
    })),
  ],
});
const ann = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"], door: "cli", interactive: true } as const;
const scope = engine.scope(ann, { session: "inbox" });

if (begins) await scope.invokeNamed("agent_run", { agent: "assistant", message: "Go." });
else await goOn();
const turn = (await store.turns.list(ann.tenant, {})).find(({ parent }) => parent === undefined);
process.stdout.write(`${JSON.stringify(turn)}\n`);
// A turn that waits needs no process; this one is killed while it does.
if (turn?.state === "waiting") setInterval(() => {}, 60_000);
else {
  await engine.close();
  await store.close();
}

/** As a worker does, once nobody hears of the killed any more. */
async function goOn(): Promise<void> {
  await forgetTheDead();
  if (approves) for (const { record } of await scope.approvals()) await scope.answer(record.id, { kind: "approve" });
  await resumeLostTurns({ engine, turns, clock, logger });
  await engine.resumeDue();
}

/** The leases of those that were killed are over, as they would be half a minute later. Of a turn of a sub-agent it may have been the last to be prolonged. */
async function forgetTheDead(): Promise<void> {
  await store.database.asSystem(async (query) => {
    await sql`update toolwright.processes set seen_at = 'epoch' where process <> ${`prc_${process.pid}`}`.execute(query);
    await sql`update toolwright.turns set held_until = 'epoch' where state = 'running' and parent is null`.execute(query);
    await sql`update toolwright.suspended_calls set held_until = 'epoch'`.execute(query);
  });
  await store.registry.look();
}

/** Tools whose effect can be counted: each run adds a line to a file. */
function writers() {
  const text = z.object({ key: z.string().describe("What is written, once for each time that it runs") });
  const write = (name: string, more: { readonly idempotent?: boolean; readonly moment?: Moment; readonly asks?: boolean } = {}) =>
    defineTool({
      name,
      description: `Writes a line to a file, as ${name} does.`,
      input: text,
      output: text,
      effects: { destructive: true, ...(more.idempotent && { idempotent: true }) },
      ...(more.asks && { approval: "always_ask" as const }),
      run({ key }) {
        appendFileSync(effects, `${name} ${key}\n`);
        if (more.moment) die(more.moment);
        return { key };
      },
    });
  return [
    write("mark"),
    write("cut", { moment: "in cut" }),
    write("again", { idempotent: true, moment: "in again" }),
    write("pay", { asks: true }),
  ];
}
