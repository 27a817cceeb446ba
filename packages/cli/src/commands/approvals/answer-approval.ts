import { type ApprovalOutcome, describeOffer, type GrantTerms, type Scope, type StoredApproval, ToolwrightError } from "@toolwright/engine";
import { createIdentity } from "@toolwright/postgres";
import { CliError } from "../../cli-error.ts";
import type { Toolwright } from "../../compose.ts";
import { exitCodeOf, exitCodes } from "../../exit-code.ts";
import { parseObject } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { describeAnswer } from "../../output/describe-answer.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { asPerson, findStored } from "../context/as-person.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { type RememberOptions, readTerms, tellGrant } from "./remember.ts";

/** Whoever comes second reads what the first one said. Gives the approval as it is now. */
async function answer(scope: Scope, toolwright: Toolwright, id: string, outcome: ApprovalOutcome): Promise<StoredApproval> {
  try {
    await scope.answer(id, outcome);
  } catch (cause) {
    if (!ToolwrightError.is(cause) || cause.code !== "approval_already_answered") throw cause;
    const { answer: first } = await findStored(scope, toolwright, id);
    if (!first) throw cause;
    throw new CliError(`Approval ${id} was answered before: ${describeAnswer(first)}`, { exitCode: exitCodes.failed, cause });
  }
  return findStored(scope, toolwright, id);
}

interface ApproveOptions extends TenantOptions, RememberOptions {
  readonly run?: boolean;
  readonly input?: string;
}

export function approve(io: Io, options: ApproveOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: options.run !== true && options.remember === undefined }, async (scope, toolwright) => {
    const { record } = await findStored(scope, toolwright, id);
    const remember = readTerms(options);
    if (remember && options.input !== undefined)
      throw new CliError("Another input is approved once and not remembered. Leave out --remember, or --input.");
    if (options.run) await refuseSuspended(scope, toolwright);
    if (remember) io.err(`${describeOffer({ choices: [], proposal: await scope.proposeGrant(id) })}\n`);
    const outcome = options.input === undefined ? yes(remember) : { kind: "edit" as const, input: parseObject(options.input, record.tool) };
    const stored = await answer(scope, toolwright, id, outcome);
    if (remember) await tellGrant(io, scope, id);
    if (options.run && stored.answer) return runApproved(io, scope, { id, json: options.json });
    if (options.json) io.out(`${JSON.stringify(stored, null, 2)}\n`);
    if (!stored.answer)
      io.err(
        `Approved by ${stored.approvals?.length ?? 0} of ${record.quorum?.approvers} people. It runs when the others have said yes too.\n`,
      );
    else
      io.err(
        `Approved. The call runs when whoever made it asks again, or with: toolwright approvals run ${id}${inTenant(scope.principal.tenant)}\n`,
      );
    return exitCodes.done;
  });
}

const yes = (remember: GrantTerms | undefined): ApprovalOutcome => ({ kind: "approve", ...(remember && { remember }) });

type MessageOptions = TenantOptions & { readonly message?: string };

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
  if (!message) throw new CliError("Say what the caller should read as the answer: --message <text>.");
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

function refuse(io: Io, options: TenantOptions, { id, outcome, told }: Refusal): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (scope, toolwright) => {
    await findStored(scope, toolwright, id);
    const stored = await answer(scope, toolwright, id, outcome);
    if (options.json) io.out(`${JSON.stringify(stored, null, 2)}\n`);
    io.err(`${told}\n`);
    return exitCodes.done;
  });
}

export function run(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, options, async (scope, toolwright) => {
    await findStored(scope, toolwright, id);
    await refuseSuspended(scope, toolwright);
    return runApproved(io, scope, { id, json: options.json });
  });
}

/** Nothing runs for a tenant that is suspended, whoever starts it. */
async function refuseSuspended({ principal: { tenant } }: Scope, { store }: Toolwright): Promise<void> {
  const tenants = await createIdentity(store.database).listTenants();
  if (tenants.find((each) => each.tenant === tenant)?.suspendedAt === undefined) return;
  throw new CliError(`The tenant ${tenant} is suspended, so nothing runs for it. It goes on with: toolwright tenants resume ${tenant}`, {
    exitCode: exitCodes.failed,
  });
}

async function runApproved(
  io: Io,
  scope: Scope,
  { id, json = false }: { readonly id: string; readonly json: boolean | undefined },
): Promise<number> {
  const result = await scope.resume(id, followCall(io));
  printResult(io, result, { json, tenant: scope.principal.tenant });
  return exitCodeOf(result);
}
