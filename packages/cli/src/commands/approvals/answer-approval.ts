import {
  type ApprovalOutcome,
  type CallResult,
  type GrantProposal,
  type Scope,
  type StoredApproval,
  ToolwrightError,
} from "@toolwright/engine";
import { compilePolicy, describeOffer, tiersOfTenant } from "@toolwright/engine/policy";
import type { GrantTerms } from "@toolwright/engine/ports";
import type { Toolwright } from "@toolwright/server";
import { count } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { exitCodeOf } from "../../exit-code-of.ts";
import { parseObject } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { describeAnswer } from "../../output/describe-answer.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { asPerson, findStored, type Person } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import { openServer, type RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { refuseSuspended } from "./refuse-suspended.ts";
import { type RememberOptions, readTerms, tellGrant } from "./remember.ts";
import { findTurn, isStranded, type OpenTurn } from "./turn-of-approval.ts";

/** Whoever comes second reads what the first one said. Gives the approval as it is now. */
async function answer(person: Person, id: string, outcome: ApprovalOutcome): Promise<StoredApproval> {
  try {
    return await person.operate("approvals.answer", { id, outcome });
  } catch (cause) {
    if (!ToolwrightError.is(cause) || cause.code !== "approval_already_answered") throw cause;
    const { answer: first } = await findStored(person, id);
    if (!first) throw cause;
    throw new CliError(`Approval ${id} was answered before: ${describeAnswer(first)}`, { exitCode: exitCodes.failed, cause });
  }
}

interface ApproveOptions extends TenantOptions, RemoteOptions, RememberOptions {
  readonly run?: boolean;
  readonly input?: string;
}

export function approve(io: Io, options: ApproveOptions, [id = ""]: readonly string[]): Promise<number> {
  const { run: wanted = io.isInteractive } = options;
  return asPerson(io, { ...options, callsNothing: !wanted && options.remember === undefined }, async (person) => {
    const { operate, here } = person;
    const asked = await findStored(person, id);
    const { record } = asked;
    // A command that asked is over, so a person at a terminal wants its call to run; a client is still there, and repeats it for its result.
    const run = options.run ?? (wanted && record.principal.door === here?.scope.principal.door);
    const remember = readTerms(options);
    if (remember && options.input !== undefined)
      throw new CliError("Another input is approved once and not remembered. Leave out --remember, or --input.");
    if (run && here) await refuseSuspended(here.scope, here.toolwright);
    if (remember) io.err(`${describeOffer({ choices: [], proposal: await proposeGrant(person, id) })}\n`);
    const turn = await findTurn(person, asked);
    const stored = await answer(person, id, await readYes(operate, options, { record, remember }));
    if (remember) await tellGrant(io, person, id);
    if (run && stored.answer) {
      if (!here) return tell(io, await openServer(io, options).resume(id), options);
      return runApproved(io, here.scope, { options, stored, toolwright: here.toolwright });
    }
    const said = stored.approvals?.length ?? 0;
    if (stored.answer) return tellAnswer(io, person, { options, stored, turn, told: `Approved. ${describeRun(asked, turn, options)}` });
    if (options.json) io.out(`${JSON.stringify(stored, null, 2)}\n`);
    io.err(
      `Approved by ${said} of ${count(record.quorum?.approvers ?? 1, "person", "people")}. It runs when the others approve it, too.\n`,
    );
    return exitCodes.done;
  });
}

/** When an approved call runs. */
function describeRun(
  { record: { id, place, binding } }: StoredApproval,
  turn: OpenTurn | undefined,
  options: TenantOptions & RemoteOptions,
): string {
  if (turn) return `It runs in the turn ${turn.id} of ${turn.agent}, which goes on once all that it waits for is answered.`;
  if (binding.files !== undefined) return "It runs when its caller makes the same call again with the same files.";
  const when = place ? "with toolwright serve or toolwright worker" : "when its caller makes the same call again";
  return `It runs ${when}, or now: toolwright approvals run ${id}${describeWhereabouts(options)}`;
}

interface Told {
  readonly options: TenantOptions & RemoteOptions;
  readonly stored: StoredApproval;
  /** That the call is of. */
  readonly turn: OpenTurn | undefined;
  readonly told: string;
}

/** With the turn of an agent that could go on now, where nobody is there to do it. */
async function tellAnswer(io: Io, person: Person, { options, stored, turn, told }: Told): Promise<number> {
  const stranded = turn && (await isStranded(turn, person)) ? turn : undefined;
  if (options.json)
    io.out(`${JSON.stringify({ ...stored, ...(stranded && { strandedTurn: { id: stranded.id, agent: stranded.agent } }) }, null, 2)}\n`);
  io.err(`${told}\n`);
  if (stranded)
    io.err(
      `The turn ${stranded.id} of ${stranded.agent} waits: no process goes on with it. It goes on with toolwright serve or toolwright worker, or now: toolwright approvals run ${stored.record.id}${describeWhereabouts(options)}\n`,
    );
  return exitCodes.done;
}

interface Asked {
  readonly record: StoredApproval["record"];
  readonly remember: GrantTerms | undefined;
}

async function proposeGrant({ operate }: Person, id: string): Promise<GrantProposal> {
  const offer = await operate("approvals.propose", { id });
  if ("proposal" in offer) return offer.proposal;
  throw new ToolwrightError("grant_refused", offer.reason);
}

async function readYes(operate: Operate, { input }: ApproveOptions, { record, remember }: Asked): Promise<ApprovalOutcome> {
  if (input === undefined) return { kind: "approve", ...(remember && { remember }) };
  const tool = await operate("tools.get", { name: record.tool }).catch(() => undefined);
  return { kind: "edit", input: parseObject(input, record.tool, tool?.inputSchema ?? {}) };
}

type MessageOptions = TenantOptions & RemoteOptions & { readonly message?: string };

export function deny(io: Io, options: MessageOptions, [id = ""]: readonly string[]): Promise<number> {
  const { message } = options;
  return refuse(io, options, {
    id,
    outcome: { kind: "deny", ...(message !== undefined && { message }) },
    told: "Denied. The call will not run.",
  });
}

export function respond(io: Io, options: MessageOptions, [id = ""]: readonly string[]): Promise<number> {
  const { message } = options;
  if (!message) throw new CliError("The answer is missing. Pass it with --message <text>.");
  return refuse(io, options, {
    id,
    outcome: { kind: "respond", message },
    told: "Answered. The call will not run; its caller reads your words.",
  });
}

interface Refusal {
  readonly id: string;
  readonly outcome: ApprovalOutcome;
  readonly told: string;
}

function refuse(io: Io, options: TenantOptions & RemoteOptions, { id, outcome, told }: Refusal): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (person) => {
    const turn = await findTurn(person, await findStored(person, id));
    return tellAnswer(io, person, { options, turn, stored: await answer(person, id, outcome), told });
  });
}

export function run(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, options, async (person) => {
    const stored = await findStored(person, id);
    const { here } = person;
    if (!here) return tell(io, await openServer(io, options).resume(id), options);
    await refuseSuspended(here.scope, here.toolwright);
    return runApproved(io, here.scope, { options, stored, toolwright: here.toolwright });
  });
}

interface Approved {
  readonly options: TenantOptions;
  readonly stored: StoredApproval;
  readonly toolwright: Toolwright;
}

async function runApproved(io: Io, scope: Scope, { options, stored: { record }, toolwright }: Approved): Promise<number> {
  const result = await scope.resume(record.id, followCall(io, options));
  const code = tell(io, result, options);
  if (result.status === "failed" && result.error.code === "approval_void") tellOtherPolicy(io, record, toolwright);
  return code;
}

function tell(io: Io, result: CallResult, options: TenantOptions): number {
  printResult(io, result, options);
  return exitCodeOf(result);
}

/** Each command has the policy that it is given, so an approval of a server is often run under another one by mistake. */
function tellOtherPolicy(io: Io, { binding, principal }: StoredApproval["record"], { policy, store }: Toolwright): void {
  const own = store.policies.current(principal.tenant);
  const tiers = [...policy.tiers, ...(own ? tiersOfTenant(own) : [])];
  const here = compilePolicy(tiers).forPrincipal(principal).revision;
  if (here === binding.policyRevision) return;
  io.err(
    `The call was made under a policy of revision ${binding.policyRevision.slice(0, 12)}; here, ${describePolicyInForce(policy).replace(/^The/, "the")} The approval stays: name the policy of the call with --policy FILE, or let its caller make the same call again.\n`,
  );
}
