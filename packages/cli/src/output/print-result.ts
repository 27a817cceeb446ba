import type { CallResult, ContentBlock, DoneResult, InvokeOptions } from "@toolwright/engine";
import { isProtectionNote, visibleText } from "@toolwright/engine/visible-text";
import type { RemoteOptions } from "../commands/context/operate-remotely.ts";
import type { TenantOptions } from "../commands/context/with-store.ts";
import type { Io } from "../io.ts";
import { describeOptions } from "./describe-options.ts";
import { programName } from "./program-name.ts";

/** Shows on stderr what happens while a call runs. On a screen that shows the result, too, output is not shown again with it. */
export function followCall(io: Io, { json = false }: { readonly json?: boolean }): InvokeOptions {
  const { errIsTerminal = io.isInteractive } = io;
  return {
    signal: io.signal,
    onOutput: (words) => io.err(visibleText(words)),
    showsOutput: !json && io.outIsTerminal && errIsTerminal,
    onProgress: ({ done, total, message }) =>
      io.err(`${total === undefined ? done : `${done}/${total}`}${message ? ` ${visibleText(message)}` : ""}\n`),
    onLog: (level, message) => io.err(`${level}: ${visibleText(message)}\n`),
  };
}

/** Options of the command that called, for commands that are suggested. */
interface PrintOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
}

/** The result alone on stdout, so that a program can read it; what else there is to know on stderr. */
export function printResult(io: Io, result: CallResult, options: PrintOptions): void {
  if (options.json) io.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (result.status === "done") printOutput(io, result);
  else
    io.err(
      `${describeEnding(result, { program: programName(io), where: describeOptions(options), isRemote: options.server !== undefined })}\n`,
    );
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

interface Suggesting {
  /** How this program is typed here. */
  readonly program: string;
  readonly where: string;
  /** Where the call is made elsewhere, to approve and to run it are two commands. */
  readonly isRemote: boolean;
}

function describeEnding(result: Exclude<CallResult, DoneResult>, { program, where, isRemote }: Suggesting): string {
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
        `  see it   ${program} approvals show ${result.approval.id}${where}`,
        ...(isRemote ? [`  approve  ${program} approvals approve ${result.approval.id}${where}`] : []),
        `  run it   ${program} approvals ${isRemote ? `run ${result.approval.id}` : `approve ${result.approval.id} --run`}${where}`,
        `  refuse   ${program} approvals deny ${result.approval.id}${where}`,
      ].join("\n");
  }
}

/** The notes of the gate, which every door shows, and what a person at a terminal can do about them (law 5). */
function noticesOf(result: CallResult): string[] {
  const { notes: all = [], posture } = result;
  const notes = all.filter((note) => !isProtectionNote(note)).map((note) => `Note: ${visibleText(note)}`);
  // In full, and as often as the gate says it in short: once a session.
  const gaps = notes.length < all.length ? (posture?.gaps ?? []) : [];
  const said = result.status === "done" ? result.content.map(describeBlock).join("\n") : "";
  return [
    ...(result.replayed ? [`Nothing ran now: call ${result.callId} had ended, and this is its result.`] : []),
    ...notes,
    ...gaps.filter((gap) => !said.includes(gap)).map((gap) => `Sandbox: ${gap}`),
    ...result.artifacts.map(({ id, name, size }) => `Kept "${visibleText(name)}", ${size} bytes: toolwright artifact ${id}`),
  ];
}
