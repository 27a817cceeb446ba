import type { CallResult, DoneResult } from "../../contract/call.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { ForeignKind, ForeignMark, ForeignNotice, ForeignSource } from "../../contract/foreign.ts";
import { connects } from "../../policy/after-foreign.ts";
import type { Call, ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { reachesOf } from "../reaches-of.ts";
import { drawBoundary, wrapBlocks } from "./boundary.ts";

/** What is foreign in the output of one call. */
interface Reading {
  readonly kind: ForeignKind;
  readonly sources: readonly ForeignSource[];
  readonly members?: readonly string[] | undefined;
}

/**
 * Marks the session of a call that has read foreign content, before its result leaves, and puts what a model reads of it inside a boundary. At once for
 * any other.
 */
export function markForeign(parsed: ParsedCall, result: DoneResult, parts: GateParts): CallResult | Promise<CallResult> {
  const reading = readingOf(parsed, result);
  return reading && reading.sources.length > 0 ? keepMarks(parsed, { result, reading, parts }) : result;
}

function readingOf(parsed: ParsedCall, { output }: DoneResult): Reading | undefined {
  const { call, tool, input } = parsed;
  const { foreign } = tool.definition;
  if (foreign) {
    const { kind, members } = foreign;
    return { kind, members, sources: foreign.sources?.(output as never, input as never) ?? [{ kind }] };
  }
  return call.posture && call.posture.network !== "none" ? readingOfRun(parsed) : undefined;
}

/** A run that had a network brings what its command names: `curl`, `git fetch`, `npm install`. */
function readingOfRun(parsed: ParsedCall): Reading | undefined {
  const reaches = reachesOf(parsed);
  const isQuiet = reaches.every((reach) => reach.kind === "path" || (reach.kind === "command" && !connects(reach.command)));
  if (isQuiet) return undefined;
  const request = reaches.find((reach) => reach.kind === "request");
  return { kind: "web", sources: [{ kind: "web", place: request?.url }], members: parsed.tool.definition.streamed ?? [] };
}

/**
 * Marks the session of a call that another program ran, by what the call names: its result is not in our hands.
 * @param parsed - undefined where no tool of ours is like it.
 * @param brings - what it is known to read.
 */
export async function markElsewhere(
  call: Call,
  {
    parsed,
    brings,
    as = call.name,
  }: { readonly parsed?: ParsedCall | undefined; readonly brings?: ForeignKind | undefined; readonly as?: string | undefined },
  { foreign, clock }: Pick<GateParts, "foreign" | "clock">,
): Promise<void> {
  const reaches = parsed ? reachesOf(parsed) : [];
  const connected = reaches.some((reach) => reach.kind === "command" && connects(reach.command)) ? "web" : undefined;
  const kind = brings ?? parsed?.tool.definition.foreign?.kind ?? connected;
  if (kind === undefined) return;
  const place = reaches.find((reach) => reach.kind === "request")?.url;
  await foreign.add({ tenant: call.principal.tenant, id: call.session }, [{ kind, place, callId: call.id, tool: as, at: clock.now() }]);
}

interface Keeping {
  readonly result: DoneResult;
  readonly reading: Reading;
  readonly parts: GateParts;
}

async function keepMarks(parsed: ParsedCall, { result, reading, parts }: Keeping): Promise<CallResult> {
  const { call } = parsed;
  try {
    const marks = await marksOf(parsed, reading.sources, parts);
    if (marks.length === 0) return result;
    await parts.foreign.add({ tenant: call.principal.tenant, id: call.session }, marks);
    return wrapResult(result, { ...reading, places: [...new Set(marks.flatMap(({ place }) => place ?? []))] }, parts);
  } catch (error) {
    parts.logger.log("error", "What a session has read could not be written; the result was kept back.", {
      callId: call.id,
      error: String(error),
    });
    const known = ToolwrightError.is(error) ? ` ${error.message}` : "";
    const message = `The output of "${call.name}" comes from elsewhere, and that could not be written down, so it is kept back.${known} Try again when the store answers.`;
    return call.failed({ code: "record_failed", message });
  }
}

/** Those of a session that is named are taken over, with the calls that read them. */
async function marksOf(
  { call }: ParsedCall,
  sources: readonly ForeignSource[],
  { foreign, clock }: GateParts,
): Promise<readonly ForeignMark[]> {
  const at = clock.now();
  const sessions = sources.flatMap((source) => (source.kind === "session" ? [source.session] : []));
  const taken = sessions.length === 0 ? [] : await foreign.of(call.principal.tenant, sessions);
  const own = sources.flatMap((source): ForeignMark[] =>
    source.kind === "session" ? [] : [{ kind: source.kind, place: source.place, callId: call.id, tool: call.name, at }],
  );
  return [...own, ...taken.map((mark) => ({ ...mark, at }))];
}

function wrapResult(
  result: DoneResult,
  { kind, members, places }: Pick<ForeignNotice, "kind" | "members" | "places">,
  { ids }: Pick<GateParts, "ids">,
): DoneResult {
  const boundary = drawBoundary(ids, [result.content, result.output, places]);
  const notice: ForeignNotice = { boundary, kind, places, ...(members && { members }) };
  return { ...result, content: wrapBlocks(result.content, notice), foreign: notice };
}
