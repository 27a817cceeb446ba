import { resolve } from "node:path";
import type { StoredEvent } from "@toolwright/engine";
import { type Anchor, type ExportReport, verifyExport } from "@toolwright/engine/ports";
import { localTenant } from "@toolwright/server/local";
import { describeSystemError, jsonLine, oneLine, readLines } from "@toolwright/server/text";
import { z } from "zod";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";

const storedEvent = z.looseObject({
  event: z.looseObject({ tenant: z.string(), session: z.string() }),
  sequence: z.int().min(1),
  previous: z.string(),
  hash: z.string(),
});

interface FileOptions {
  readonly session?: string | undefined;
  readonly anchor?: Anchor | undefined;
  readonly json?: boolean;
}

/** Verifies what `log export` wrote; neither the store nor its key is needed. Exit code 1 when something was found. */
export async function verifyFile(io: Io, file: string, { session, anchor, json = false }: FileOptions): Promise<number> {
  const reports = await verifyExport(readEvents(resolve(io.cwd, file), file), { session, anchor });
  const sum = (number: (report: ExportReport) => number) => reports.reduce((total, report) => total + number(report), 0);
  const count = { sessions: reports.length, events: sum(({ events }) => events), faults: sum(({ faults }) => faults.length) };
  if (count.sessions === 0)
    throw new CliError(`${file} has no events${session === undefined ? "" : ` of the session "${oneLine(session)}"`}.`);
  for (const report of reports) tell(io, report, json);
  if (json) io.out(`${jsonLine({ file, ...count })}\n`);
  else io.out(`${count.sessions} sessions, ${count.events} events: ${count.faults === 0 ? "whole" : `${count.faults} faults`}.\n`);
  if (!anchor && !json) io.err("Without --anchor, an export whose end was cut off looks whole. Make one with: toolwright log anchor\n");
  return count.faults === 0 ? exitCodes.done : exitCodes.failed;
}

function tell(io: Io, report: ExportReport, json: boolean): void {
  const { tenant, session, from, faults } = report;
  if (json) {
    if (faults.length > 0 || from > 1) io.out(`${jsonLine(report)}\n`);
    return;
  }
  const place = oneLine(tenant === localTenant ? session : `${tenant}/${session}`);
  if (from > 1) io.out(`${place}: the file begins with event ${from}; what was before it is not checked.\n`);
  for (const { kind, sequence, message } of faults) io.out(`${place} #${sequence} ${kind}: ${message}\n`);
}

async function* readEvents(path: string, file: string): AsyncGenerator<StoredEvent> {
  let line = 0;
  try {
    for await (const text of readLines(path)) {
      line += 1;
      if (text.trim() !== "") yield readEvent(text, { file, line });
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(`The log ${file} cannot be read: ${describeSystemError(cause)}. Name a file that toolwright log export wrote.`, {
      cause,
    });
  }
}

function readEvent(text: string, { file, line }: { readonly file: string; readonly line: number }): StoredEvent {
  const parsed = storedEvent.safeParse(parseJson(text));
  if (parsed.success) return parsed.data as unknown as StoredEvent;
  throw new CliError(`Line ${line} of ${file} is no event of a log. Name a file that toolwright log export wrote, as it was written.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
