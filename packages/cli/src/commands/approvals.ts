import { type ApprovalOutcome, describeOffer, type GrantTerms, type Scope, type StoredApproval, visibleText } from "@toolwright/engine";
import { cliScope, localTenant } from "../caller.ts";
import { CliError } from "../cli-error.ts";
import type { ComposeOptions, Toolwright } from "../compose.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { parseObject } from "../input/read-fields.ts";
import type { Io } from "../io.ts";
import { describeApproval } from "../output/ask-person.ts";
import { followCall, printResult } from "../output/print-result.ts";
import { renderTable } from "../output/table.ts";
import type { CommonOptions } from "../settings.ts";
import { type RememberOptions, readTerms, tellGrant } from "./remember.ts";
import { withToolwright } from "./with-toolwright.ts";

type Use = (scope: Scope, toolwright: Toolwright) => Promise<number>;

/** Whoever types one of these commands is the person whom the approval waits for. */
export function asPerson(io: Io, options: CommonOptions & ComposeOptions, use: Use): Promise<number> {
  return withToolwright(io, options, (toolwright) => use(cliScope(toolwright, io, { interactive: true }), toolwright));
}

export function list(io: Io, options: CommonOptions): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (scope) => {
    const open = await scope.approvals();
    if (options.json) io.out(`${JSON.stringify(open, null, 2)}\n`);
    else if (open.length === 0) io.out("No call waits for a person.\n");
    else io.out(`${renderTable(["id", "tool", "until", "what"], open.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

const toRow = ({ record }: StoredApproval) => [
  record.id,
  record.tool,
  new Date(record.expiresAt).toISOString().slice(0, 16),
  visibleText(record.summary),
];

export function show(io: Io, options: CommonOptions, [id = ""]: readonly string[]): Promise<number> {
  // The offer is decided like a call, so the sandbox is looked at.
  return asPerson(io, { ...options, callsNothing: options.json === true }, async (scope, toolwright) => {
    const stored = await findStored(toolwright, id);
    if (options.json) io.out(`${JSON.stringify(stored, null, 2)}\n`);
    else io.out(`${describeApproval(stored.record)}\n  state    ${describeState(stored)}\n${await describeChoices(scope, stored)}`);
    return exitCodes.done;
  });
}

async function describeChoices(scope: Scope, { record, answer }: StoredApproval): Promise<string> {
  if (answer || record.expiresAt <= Date.now()) return "";
  const offer = await scope.offerRemember(record.id);
  const scopes = offer.choices.map((choice) => `  --remember ${choice.scope.padEnd(8)} ${choice.title}`);
  return `\n${[describeOffer(offer), ...scopes].join("\n")}\n`;
}

function describeState({ record, answer, approvals, claimedAt, expiredAt }: StoredApproval): string {
  if (claimedAt !== undefined) return `used at ${new Date(claimedAt).toISOString()}`;
  if (answer)
    return `answered "${answer.outcome.kind}" by ${answer.by.kind} ${visibleText(answer.by.id)} at ${new Date(answer.at).toISOString()}`;
  if (expiredAt !== undefined) return `expired at ${new Date(expiredAt).toISOString()}; nobody answered`;
  if (record.expiresAt <= Date.now()) return "expired";
  return record.quorum ? `open, approved by ${approvals?.length ?? 0} of ${record.quorum.approvers} people` : "open";
}

async function findStored({ approvals }: Toolwright, id: string): Promise<StoredApproval> {
  const stored = await approvals.get(localTenant, id);
  if (!stored) throw new CliError(`There is no approval "${id}". See the open ones with: toolwright approvals list`);
  return stored;
}

interface ApproveOptions extends CommonOptions, RememberOptions {
  readonly run?: boolean;
  readonly input?: string;
}

export function approve(io: Io, options: ApproveOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: options.run !== true && options.remember === undefined }, async (scope, toolwright) => {
    const { record } = await findStored(toolwright, id);
    const remember = readTerms(options);
    if (remember && options.input !== undefined)
      throw new CliError("Another input is approved once and not remembered. Leave out --remember, or --input.");
    if (remember) io.err(`${describeOffer({ choices: [], proposal: await scope.proposeGrant(id) })}\n`);
    await scope.answer(id, options.input === undefined ? yes(remember) : { kind: "edit", input: parseObject(options.input, record.tool) });
    if (remember) await tellGrant(io, scope, id);
    const { answer, approvals } = await findStored(toolwright, id);
    if (!answer) {
      io.err(`Approved by ${approvals?.length ?? 0} of ${record.quorum?.approvers} people. It runs when the others have said yes too.\n`);
      return exitCodes.done;
    }
    if (options.run) return runApproved(io, scope, { id, json: options.json });
    io.err(`Approved. The call runs when whoever made it asks again, or with: toolwright approvals run ${id}\n`);
    return exitCodes.done;
  });
}

const yes = (remember: GrantTerms | undefined): ApprovalOutcome => ({ kind: "approve", ...(remember && { remember }) });

export function deny(io: Io, options: CommonOptions & { readonly message?: string }, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (scope, toolwright) => {
    await findStored(toolwright, id);
    await scope.answer(id, { kind: "deny", ...(options.message !== undefined && { message: options.message }) });
    io.err("Denied. The call will not run.\n");
    return exitCodes.done;
  });
}

export function respond(io: Io, options: CommonOptions & { readonly message?: string }, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (scope, toolwright) => {
    await findStored(toolwright, id);
    const { message } = options;
    if (!message) throw new CliError("Say what the caller should read as the answer: --message <text>.");
    await scope.answer(id, { kind: "respond", message });
    io.err("Answered. The call will not run; its caller reads your words.\n");
    return exitCodes.done;
  });
}

export function run(io: Io, options: CommonOptions, [id = ""]: readonly string[]): Promise<number> {
  return asPerson(io, options, async (scope, toolwright) => {
    await findStored(toolwright, id);
    return runApproved(io, scope, { id, json: options.json });
  });
}

async function runApproved(
  io: Io,
  scope: Scope,
  { id, json = false }: { readonly id: string; readonly json: boolean | undefined },
): Promise<number> {
  const result = await scope.resume(id, followCall(io));
  printResult(io, result, { json });
  return exitCodeOf(result);
}
