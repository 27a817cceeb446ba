// A process that makes one call, by default of "five_steps", and stays until it is killed, or one that goes on with such a call. WAITS says which, on which store.
import { type ApprovalOutcome, createEngine } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { codeCapability, codeRun } from "@toolwright/tools";
import { faultTools } from "./fault-tools.ts";

type GoOn = { readonly callId: string; readonly approval: string; readonly outcome?: ApprovalOutcome; readonly by: "resume" | "worker" };

const {
  effects,
  approvalTtlMs,
  program,
  laterMs = 0,
  goOn,
  ...place
} = JSON.parse(process.env.WAITS ?? "") as {
  effects: string;
  url?: string;
  folder: string;
  approvalTtlMs?: number;
  /** Runs that in place of "five_steps". */
  program?: string;
  /** Milliseconds that its clock is ahead: what others hold is over then. */
  laterMs?: number;
  goOn?: GoOn;
};
const store = await openStore({ ...place, process: `prc_${process.pid}`, holder: "wait-main" });
const { events, approvals, callTree, idempotency } = store;
const clock = { ...store.clock, now: () => store.clock.now() + laterMs };
const engine = createEngine({
  tools: [...faultTools(effects), codeRun],
  capabilities: [codeCapability({ clock })],
  policy: [{ tier: "platform", document: { version: 1, autonomy: "full" } }],
  ...{ events, approvals, callTree, clock, idempotency },
  ...(approvalTtlMs !== undefined && { approvalTtlMs }),
});

if (goOn === undefined) {
  const permissions = codeRun.permission === undefined ? [] : [codeRun.permission];
  const bot = { tenant: "default", actor: { kind: "agent", id: "bot" }, onBehalfOf: "ann", permissions } as const;
  const scope = engine.scope(bot, { session: "s1" });
  say(await (program === undefined ? scope.invoke("five_steps", { key: "k" }) : scope.invoke("code_run", { program })));
  setInterval(() => {}, 60_000);
} else {
  say(await goOnWith(goOn));
  await engine.close();
  await store.close();
}

async function goOnWith({ callId, approval, outcome, by }: GoOn) {
  const startedAt = performance.now();
  const worker = by === "worker" ? await store.startWorker({ engine, logger: silentLogger }) : undefined;
  const ann = engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli", interactive: true });
  if (outcome !== undefined) await ann.answer(approval, outcome);
  const result = worker === undefined ? await ann.resume(approval) : await ended(callId);
  await worker?.stop();
  return { ...result, waitedMs: Math.round(performance.now() - startedAt) };
}

/** How the call ended, once the worker has gone on with it. */
async function ended(callId: string) {
  for (;;) {
    const result = (await store.callTree.get({ tenant: "default", callId }, store.clock.now()))?.result;
    if (result !== undefined) return { ...result, callId };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
