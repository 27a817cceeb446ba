import { analyseLine } from "@toolwright/commands";
import type { CompiledTool } from "../../catalogue/compile-tool.ts";
import type { Reach } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Principal } from "../../contract/principal.ts";
import { policyOf } from "../../policy/policies-in-force.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { BeforeSite } from "../../ports/capability.ts";
import type { CallPreview, FilePreview } from "../../tool/call-preview.ts";
import { isFailure } from "../../tool/result.ts";
import type { GateParts } from "../gate-parts.ts";
import { fitInput, sensitiveInput } from "../prepare-call.ts";
import { Redactor } from "../redaction/redact.ts";
import { ofApproval, openInput } from "../sealed/sealed-inputs.ts";
import { approvalNotFound, findApproval, mayAnswer } from "./approval-access.ts";

/** One thing that a call would do, as a person judges it. `shows` are members of the input that need not be shown again. */
type PreviewItem =
  | {
      readonly kind: "command";
      readonly command: string;
      /** The whole line in pieces, one a simple command; `source` is what a finding calls it. */
      readonly pieces: readonly { readonly text: string; readonly source?: string }[];
      readonly shows: readonly string[];
    }
  | {
      readonly kind: "file";
      readonly path: string;
      /** The text of the file now; absent where there is none. */
      readonly before?: string;
      /** The text that it would have; absent where it would be gone. */
      readonly after?: string;
      /** Why there is nothing to compare. */
      readonly problem?: string;
      readonly shows: readonly string[];
    }
  | Omit<Extract<CallPreview, { readonly kind: "request" }>, "apply">;

/** What an approval's call would do now. */
interface ApprovalPreview {
  readonly items: readonly PreviewItem[];
}

/** Bytes of a file, before and after, that are compared. */
const mostBytes = 256 * 1024;
const mostItems = 16;

/** What the call of an approval would do, as long as it waits, for a person who may answer it: files are read with the rules of the call. */
export async function previewApproval(
  principal: Principal,
  id: string,
  { parts, signal }: { readonly parts: GateParts; readonly signal: AbortSignal },
): Promise<ApprovalPreview> {
  const stored = await findApproval(principal, id, parts);
  if (!stored) throw approvalNotFound(id);
  const { record } = stored;
  if (!mayAnswer(principal, record))
    throw new ToolwrightError("approval_not_allowed", `Approval ${id} shows files only to a person who may answer it.`);
  // What was answered reads nothing any more.
  if (stored.answer || parts.clock.now() >= record.expiresAt) return { items: [] };
  const tool = parts.snapshot(record.principal.tenant).find(record.tool);
  // Another tool than the one that was asked for would say something else than what was asked.
  const input = await openInput(record, ofApproval(record.principal.tenant, record.id), parts.sealer);
  const parsed = tool && tool.hash === record.binding.definition ? fitInput(tool, record.principal, input) : undefined;
  if (!tool || !parsed || "misfit" in parsed) return { items: [] };
  const reaches = tool.definition.reaches?.(parsed.value as never) ?? [];
  const told = tool.definition.preview?.(parsed.value as never) ?? [];
  const site = siteOf(record, tool, { parts, signal });
  const files = told.filter((each) => each.kind === "file").slice(0, mostItems);
  const items = [
    ...reaches.flatMap((reach) => describeReach(reach, record, told)),
    ...told.flatMap((each) => (each.kind === "request" ? [each] : [])),
    ...(await Promise.all(files.map((file) => compareFile(file, reaches, { tool, site, parts })))),
  ];
  return { items: withoutMembers(items.slice(0, mostItems), sensitiveInput(tool, record.principal)?.valuesIn(parsed.value) ?? []) };
}

/** Characters of a sensitive member that can be taken out of a text; with a shorter one there is no preview. */
const shortestMember = 4;

/** A preview holds nothing of sensitive members, as the card that it stands on. */
function withoutMembers(items: readonly PreviewItem[], members: readonly string[]): readonly PreviewItem[] {
  if (members.some((member) => member.length > 0 && member.length < shortestMember)) return [];
  const redactor = new Redactor();
  for (const member of members) redactor.addMember(member);
  return redactor.redactJson(items);
}

function siteOf(
  { principal, session }: ApprovalRecord,
  tool: CompiledTool,
  { parts, signal }: { readonly parts: GateParts; readonly signal: AbortSignal },
): BeforeSite {
  const policy = policyOf(parts.policy(principal.tenant), principal);
  const judge = (reach: Reach) => policy.judge(tool.facts, reach, parts.machine(policy.sandbox));
  return { principal, session, signal, paths: policy.paths, maxBytes: mostBytes, judge };
}

/** Commands, and requests of which the tool itself says nothing more. */
function describeReach(reach: Reach, { input }: ApprovalRecord, told: readonly CallPreview[]): readonly PreviewItem[] {
  if (reach.kind === "command") {
    const { command } = reach;
    return [{ kind: "command", command, pieces: takeApart(command), shows: membersThatAre(command, input) }];
  }
  if (reach.kind === "path" || told.some(({ kind }) => kind === "request")) return [];
  const { method, url, credential } = reach;
  return [
    { kind: "request", method, url, headers: [], ...(credential !== undefined && { credential }), shows: membersThatAre(url, input) },
  ];
}

function membersThatAre(text: string, input: unknown): readonly string[] {
  return Object.entries(input as object).flatMap(([name, value]) => (value === text ? [name] : []));
}

/** The pieces of a line in order, each with what joins it to the next; together they are the line, character by character. */
function takeApart(command: string): readonly { readonly text: string; readonly source?: string }[] {
  const analysis = analyseLine(command);
  const starts: { readonly at: number; readonly source: string }[] = [];
  for (const source of analysis.ok ? new Set(analysis.commands.map((each) => each.source)) : []) {
    const last = starts.at(-1);
    const at = command.indexOf(source, last ? last.at + last.source.length : 0);
    // What is written otherwise than it is read, as over several lines, is shown as it is written.
    if (at < 0) return [{ text: command }];
    starts.push({ at, source });
  }
  if (starts.length === 0) return [{ text: command }];
  return starts.map(({ at, source }, index) => ({ text: command.slice(index === 0 ? 0 : at, starts[index + 1]?.at), source }));
}

interface Comparing {
  readonly tool: CompiledTool;
  readonly site: BeforeSite;
  readonly parts: GateParts;
}

async function compareFile(
  { path, from = path, shows, apply }: FilePreview,
  reaches: readonly Reach[],
  comparing: Comparing,
): Promise<PreviewItem> {
  const incomparable = (problem: string) => ({ kind: "file", path, problem, shows: [] }) as const;
  const changes = (one: string) => reaches.find((each) => each.kind === "path" && each.path === one && each.access !== "read");
  const source = changes(from);
  if (!source || !changes(path)) return incomparable("The call does not say that it writes this file.");
  try {
    const before = await readBefore(source, comparing);
    if (before === undefined) return incomparable("The file cannot be read here.");
    const after = apply(before.text);
    if (isFailure(after)) return incomparable(`The call would fail: ${after.message}`);
    if (after !== undefined && Buffer.byteLength(after) > mostBytes)
      return incomparable(`The new text has more than ${mostBytes} bytes, too much to be compared.`);
    return {
      ...{ kind: "file", path, shows },
      ...(before.text !== undefined && { before: before.text }),
      ...(after !== undefined && { after }),
    };
  } catch (error) {
    if (ToolwrightError.is(error)) return incomparable(error.message);
    comparing.parts.logger.log("warn", "A preview of an approval failed.", { tool: comparing.tool.name, error: String(error) });
    return incomparable("What the file would hold cannot be told before the call runs.");
  }
}

async function readBefore(reach: Reach, { tool, site, parts }: Comparing): Promise<{ readonly text: string | undefined } | undefined> {
  for (const name of tool.capabilities) {
    const found = await parts.capabilities.get(name)?.before?.(reach, site);
    if (found) return found;
  }
  return undefined;
}
