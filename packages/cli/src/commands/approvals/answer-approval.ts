import { type ApprovalOutcome, type GrantProposal, type StoredApproval, ToolwrightError } from "@toolwright/engine";
import type { OperationTypes } from "@toolwright/engine/operations";
import { describeOffer } from "@toolwright/engine/policy";
import type { GrantTerms } from "@toolwright/engine/ports";
import { engineViews } from "@toolwright/engine/views";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { parseObject } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { asPerson, findStored, type Person } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import { openServer, type RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { type Resume, resumeCall } from "../operations/resume-call.ts";
import { refuseSuspended } from "./refuse-suspended.ts";
import { type RememberOptions, readTerms, tellGrant } from "./remember.ts";
import { resumeHere } from "./resume-here.ts";

interface ApproveOptions extends TenantOptions, RemoteOptions, RememberOptions {
  readonly run?: boolean;
  readonly input?: string;
}

export function approve(io: Io, options: ApproveOptions, [id = ""]: readonly string[]): Promise<number> {
  const { run: wanted = io.isInteractive } = options;
  return asPerson(io, { ...options, callsNothing: !wanted && options.remember === undefined }, async (person) => {
    const { operate, here } = person;
    const { record } = await findStored(person, id);
    // A command that asked is over, so a person at a terminal wants its call to run; a client is still there, and repeats it for its result.
    const run = options.run ?? (wanted && record.principal.door === here?.scope.principal.door);
    const remember = readTerms(options);
    if (remember && options.input !== undefined)
      throw new CliError("Another input is approved once and not remembered. Leave out --remember, or --input.");
    if (run && here) await refuseSuspended(here.scope, here.toolwright);
    if (remember) io.err(`${describeOffer({ choices: [], proposal: await proposeGrant(person, id) })}\n`);
    const outcome = await readYes(operate, options, { record, remember });
    const stored = await operate("approvals.answer", { id, outcome, awaitTurn: !run });
    if (remember) await tellGrant(io, person, id);
    if (!run || !stored.answer) return tellAnswer(io, stored, options);
    const resume: Resume = here
      ? (approval, follow) => resumeHere(here, approval, follow)
      : async (approval, follow) => ({ result: await openServer(io, options).resume(approval, follow) });
    return resumeCall(io, resume, { id, options });
  });
}

async function tellAnswer(io: Io, answered: OperationTypes["approvals.answer"]["output"], options: ApproveOptions): Promise<number> {
  const { describeAnswered } = await engineViews.approvals();
  if (options.json) io.out(`${JSON.stringify(answered, null, 2)}\n`);
  for (const sentence of describeAnswered(answered, describeWhereabouts(options))) io.err(`${sentence}\n`);
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
