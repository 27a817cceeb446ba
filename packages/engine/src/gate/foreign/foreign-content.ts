import type { CallResult, DoneResult } from "../../contract/call.ts";
import type { Finding, Reach } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import type { ForeignContent, ForeignKind, ForeignMark, ForeignNotice, ForeignSource } from "../../contract/foreign.ts";
import type { Json } from "../../contract/json.ts";
import { connects, findingAfterForeign, mayConnect } from "../../policy/after-foreign.ts";
import { mostForeignMarks } from "../../ports/foreign-marks.ts";
import { type Call, type ParsedCall, reachesOf } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { drawBoundary, explainBoundary, wrapBlocks, wrapMembers } from "./boundary.ts";
import { sessionsOf } from "./sessions-of.ts";

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

/**
 * Marks a failure that the tool foresaw: texts of its details whose members are foreign get the boundary, and the message explains it. The message
 * itself is the tool's own.
 */
export function markForeignFailure(parsed: ParsedCall, failed: CallResult, parts: GateParts): CallResult | Promise<CallResult> {
  const { foreign } = parsed.tool.definition;
  if (failed.status !== "failed" || failed.error.code !== "tool_failed" || !foreign) return failed;
  const { details: given, ...error } = failed.error;
  if (given === undefined) return failed;
  const { kind, members } = foreign;
  const sources = sourcesOfFailure(foreign, parsed, given);
  if (sources.length === 0) return failed;
  const places = sources.flatMap((source) => ("place" in source && typeof source.place === "string" ? [source.place] : []));
  const notice: ForeignNotice = { kind, members, places, boundary: drawBoundary(parts.ids, [given, places]) };
  const details = wrapMembers(given, notice);
  if (JSON.stringify(details) === JSON.stringify(given)) return failed;
  const told = { ...failed, error: { ...error, message: `${error.message} ${explainBoundary(notice)}`, details } };
  return writeMarks(parsed, sources, parts).then(
    () => told,
    (problem: unknown) => keepBack(parsed.call, problem, parts),
  );
}

/** What a tool says of its output may not hold for the details of a failure. */
function sourcesOfFailure({ kind, sources }: ForeignContent, { input }: ParsedCall, details: Json): readonly ForeignSource[] {
  try {
    return sources?.(details as never, input as never) ?? [{ kind }];
  } catch {
    return [{ kind }];
  }
}

function readingOf(parsed: ParsedCall, { output }: DoneResult): Reading | undefined {
  const { tool, input } = parsed;
  const { foreign } = tool.definition;
  if (foreign) {
    const { kind, members } = foreign;
    return { kind, members, sources: foreign.sources?.(output as never, input as never) ?? [{ kind }] };
  }
  return readingOfRun(parsed);
}

/**
 * What runs fetched: the hosts that their gateways counted. A network that nobody counted brings what the call names and what its words hide, and
 * something from anywhere where the call names nothing.
 */
function readingOfRun(parsed: ParsedCall): Reading | undefined {
  const { fetchedFrom, uncountedRuns } = parsed.call;
  if (fetchedFrom.size === 0 && uncountedRuns === 0) return undefined;
  const counted = [...fetchedFrom].map((host): ForeignSource => ({ kind: "web", place: placeOf(host) }));
  const sources = [...counted, ...(uncountedRuns > 0 ? uncountedSources(reachesOf(parsed)) : [])];
  return sources.length > 0 ? { kind: "web", sources, members: parsed.tool.definition.streamed ?? [] } : undefined;
}

function uncountedSources(reaches: readonly Reach[]): readonly ForeignSource[] {
  const isQuiet = (reach: Reach) => reach.kind === "path" || (reach.kind === "command" && !mayConnect(reach));
  if (reaches.length > 0 && reaches.every(isQuiet)) return [];
  const request = reaches.find((reach) => reach.kind === "request");
  return [{ kind: "web", place: request?.url }];
}

/** As a URL, where the port tells the scheme. */
function placeOf(host: string): string {
  const [, name, port] = /^(.*):(\d+)$/.exec(host) ?? [];
  if (port === "443") return `https://${name}/`;
  return port === "80" ? `http://${name}/` : `http://${host}/`;
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
  const connected = reaches.some((reach) => reach.kind === "command" && connects(reach)) ? "web" : undefined;
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
  try {
    const marks = await writeMarks(parsed, reading.sources, parts);
    if (marks.length === 0) return result;
    return wrapResult(result, { ...reading, places: [...new Set(marks.flatMap(({ place }) => place ?? []))] }, parts);
  } catch (error) {
    return keepBack(parsed.call, error, parts);
  }
}

function keepBack(call: Call, error: unknown, { logger }: GateParts): CallResult {
  logger.log("error", "What a session has read could not be written; the result was kept back.", {
    callId: call.id,
    error: String(error),
  });
  const known = ToolwrightError.is(error) ? ` ${error.message}` : "";
  const message = `The output of "${call.name}" comes from elsewhere, and that could not be written down, so it is kept back.${known} Try again when the store answers.`;
  return call.failed({ code: "record_failed", message });
}

async function writeMarks(parsed: ParsedCall, sources: readonly ForeignSource[], parts: GateParts): Promise<readonly ForeignMark[]> {
  const { call } = parsed;
  const marks = await marksOf(parsed, sources, parts);
  if (marks.length > 0) await parts.foreign.add({ tenant: call.principal.tenant, id: call.session }, marks);
  return marks;
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

/**
 * What the policy says of a call once its session has read foreign content; undefined, without a look at the session, where it says nothing.
 * @param findHosts - that the call acts on, where they are known: what was read from there does not count.
 */
export function heedForeign(
  parsed: ParsedCall,
  { foreign, machine }: Pick<GateParts, "foreign" | "machine">,
  findHosts: () => readonly string[] | undefined,
): Promise<readonly Finding[]> | undefined {
  const { call, tool } = parsed;
  const rule = call.policy.afterForeign(tool.facts, () => reachesOf(parsed), machine(call.policy.sandbox));
  if (rule === undefined) return undefined;
  return foreign.of(call.principal.tenant, sessionsOf(call.principal, call.session)).then(
    (marks) => {
      const first = firstElsewhere(marks, findHosts());
      return first ? [findingAfterForeign(rule, tool, first)] : [];
    },
    (): readonly Finding[] => [
      {
        effect: "ask",
        layer: "tool",
        rule: rule.rule,
        risk: "medium",
        reason: "Whether the session has read content that nobody here wrote could not be found out, so a person has to look at this call.",
        remedy: "Approve this call, or make it again.",
        grantable: false,
      },
    ],
  );
}

/** The first place that is another one than a host that is acted on. Where as many are kept as can be, others may have been read. */
function firstElsewhere(marks: readonly ForeignMark[], hosts: readonly string[] | undefined): ForeignMark | undefined {
  if (hosts === undefined) return marks[0];
  if (hosts.length === 0) return undefined;
  const strange = marks.find(({ place }) => hosts.some((host) => URL.parse(place ?? "")?.host !== host));
  return strange ?? (marks.length < mostForeignMarks ? undefined : marks[0]);
}
