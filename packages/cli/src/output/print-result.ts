import type { CallResult, ContentBlock, DoneResult, InvokeOptions } from "@toolwright/engine";
import { visibleText } from "@toolwright/engine";
import type { Io } from "../io.ts";
import { inTenant } from "./in-tenant.ts";

/** Shows on stderr what happens while a call runs. */
export function followCall(io: Io): InvokeOptions {
  return {
    signal: io.signal,
    onOutput: (words) => io.err(visibleText(words)),
    onProgress: ({ done, total, message }) =>
      io.err(`${total === undefined ? done : `${done}/${total}`}${message ? ` ${visibleText(message)}` : ""}\n`),
    onLog: (level, message) => io.err(`${level}: ${visibleText(message)}\n`),
  };
}

interface PrintOptions {
  readonly json?: boolean;
  /** Of the call, for commands that are suggested. */
  readonly tenant?: string;
}

/** The result on stdout; what else there is to know on stderr. */
export function printResult(io: Io, result: CallResult, options: PrintOptions): void {
  if (options.json) io.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (result.status === "done") printOutput(io, result);
  else io.err(`${describeEnding(result, inTenant(options.tenant))}\n`);
  for (const notice of noticesOf(result)) io.err(`${notice}\n`);
}

function printOutput(io: Io, { content, output }: DoneResult): void {
  const words = content.length === 0 ? JSON.stringify(output, null, 2) : content.map(describeBlock).join("\n");
  // A file's bytes go to a pipe as they are; on a screen nothing may be obeyed.
  const text = io.outIsTerminal ? visibleText(words) : words;
  io.out(text.endsWith("\n") ? text : `${text}\n`);
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    case "resource":
      return block.resource.text ?? `[${block.resource.uri}]`;
  }
}

function describeEnding(result: Exclude<CallResult, DoneResult>, where: string): string {
  switch (result.status) {
    case "failed":
      return `Failed (${result.error.toolCode ?? result.error.code}): ${visibleText(result.error.message)}`;
    case "unknown":
      return `The outcome is unknown: ${visibleText(result.error.message)} Look whether it happened before you try again.`;
    case "denied":
      return `Denied: ${visibleText(result.message ?? result.decision.reason)} (${result.decision.rule})${result.decision.remedy ? `\n${visibleText(result.decision.remedy)}` : ""}`;
    case "cancelled":
      return `Cancelled: ${visibleText(result.reason)}`;
    case "pending":
      return [
        `Waits for a person: ${visibleText(result.approval.reason)}`,
        `  see it   toolwright approvals show ${result.approval.id}${where}`,
        `  run it   toolwright approvals approve ${result.approval.id} --run${where}`,
        `  refuse   toolwright approvals deny ${result.approval.id}${where}`,
      ].join("\n");
  }
}

/** Repairs, cuts, gaps and oddities are said, never silent (law 5). */
function noticesOf(result: CallResult): string[] {
  const cuts = result.status === "done" ? result.truncations : [];
  // Some tools say these themselves.
  const said = result.status === "done" ? result.content.map(describeBlock).join("\n") : "";
  const isNew = (words: string) => !said.includes(words);
  return [
    ...(result.replayed ? [`Nothing ran now: this is how call ${result.callId}, the first with this idempotency key, ended.`] : []),
    ...result.repairs.map(({ path, what }) => `Repaired ${path || "/"}: ${visibleText(what)}`),
    ...cuts.map(
      ({ path, unit, kept, total, artifact }) =>
        `Cut ${path || "/"}: ${kept} of ${total} ${unit} are shown${artifact ? `; the whole: toolwright artifact ${artifact}` : ""}`,
    ),
    ...(result.posture?.gaps ?? []).filter(isNew).map((gap) => `Sandbox: ${gap}`),
    ...result.anomalies
      .map(({ message }) => message)
      .filter(isNew)
      .map((message) => `Noticed: ${visibleText(message)}`),
    ...result.artifacts.map(({ id, name, size }) => `Kept "${visibleText(name)}", ${size} bytes: toolwright artifact ${id}`),
  ];
}
