import type { ArtifactRef, CallResult, DoneResult, Truncation } from "../../contract/call.ts";
import type { ContentBlock } from "../../contract/content.ts";
import type { Decision } from "../../contract/decision.ts";
import { ToolwrightError } from "../../contract/errors.ts";
import { findNonJson, type Json, type JsonObject, wellFormedJson } from "../../contract/json.ts";
import type { ArtifactStore, ArtifactWriter } from "../../ports/artifact-store.ts";
import type { SchemaIssue } from "../../schema/compile-schema.ts";
import type { Call, ParsedCall } from "../call.ts";
import { markForeign } from "../foreign/foreign-content.ts";
import type { GateParts } from "../gate-parts.ts";
import { Spared } from "../redaction/redact.ts";
import { withLoggedOutput } from "../sealed/sealed-results.ts";
import { readOwnArtifact } from "../session-access.ts";
import { boundOutput, defaultMaxOutputBytes } from "./bound-output.ts";

const nothingCut: readonly Truncation[] = [];

/** Checks what the tool returned, takes secrets out, bounds it, and makes the view for the model. */
export function projectOutput(
  parsed: ParsedCall,
  returned: unknown,
  decision: Decision,
  parts: GateParts,
): CallResult | Promise<CallResult> {
  const { call, tool } = parsed;
  const notJson = findNonJson(returned);
  if (notJson) {
    return call.failed({
      code: "output_not_json",
      message: `Tool "${tool.name}" returned a value that JSON cannot carry at ${notJson.path}: ${notJson.problem}. This is a defect of the tool.`,
    });
  }
  const checked = tool.output.parse(returned);
  if (!checked.ok) return call.failed(outputError(tool.name, checked.issues));
  const output = redactOutput(parsed, checked.value as Json);
  const maxBytes = tool.definition.limits?.maxOutputBytes ?? defaultMaxOutputBytes;
  if (isLargerThan(output, maxBytes)) return projectLargeOutput(parsed, { output, maxBytes, decision, parts });
  const text = JSON.stringify(output);
  // A UTF-16 unit is at most three bytes of UTF-8, so a short text needs no counting.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text, "utf8") <= maxBytes) {
    return markForeign(parsed, finish(parsed, { output, text, truncations: nothingCut, decision }), parts);
  }
  return projectLargeOutput(parsed, { output, maxBytes, decision, parts });
}

/** A sensitive member is for the caller, who may have given it: of it secrets alone are taken out. */
function redactOutput({ call: { redactor }, tool }: ParsedCall, output: Json): Json {
  const { sensitive } = tool.output;
  if (!redactor.active || !sensitive) return redactor.redactJson(output);
  const secrets = redactor.ofSecrets;
  return redactor.redactJson(sensitive.map(output, (member) => new Spared(secrets.redactJson(member as Json))) as Json);
}

interface LargeOutput {
  readonly output: Json;
  readonly maxBytes: number;
  readonly decision: Decision;
  readonly parts: GateParts;
}

async function projectLargeOutput(parsed: ParsedCall, large: LargeOutput): Promise<CallResult> {
  const { call, tool } = parsed;
  const artifact = await keepWhole(parsed, large);
  const bounded = boundOutput(large.output, large.maxBytes, artifact);
  if (!bounded || !tool.output.parse(bounded.output).ok) {
    const where = artifact ? `The whole is artifact ${artifact}.` : "The whole could not be kept.";
    return call.failed({
      code: "invalid_output",
      message: `The output of tool "${tool.name}" has more than ${large.maxBytes} bytes, and cannot be cut without breaking its schema. ${where} Ask for less.`,
    });
  }
  const { output, truncations } = bounded;
  const result = finish(parsed, { output, text: JSON.stringify(output), truncations, decision: large.decision });
  return markForeign(parsed, result, large.parts);
}

async function keepWhole({ call, tool }: ParsedCall, { output, parts }: LargeOutput): Promise<string | undefined> {
  try {
    const meta = { name: `${tool.name}-output.json`, mediaType: "application/json" };
    const kept = tool.output.sensitive?.hide(output) ?? output;
    if (kept !== output) call.notes.push("The artifact with the whole output holds the length of its sensitive members alone.");
    return (await writeArtifact(call, meta, { pieces: jsonPieces(kept), parts })).id;
  } catch (error) {
    parts.logger.log("warn", "The whole of a cut output could not be kept.", {
      callId: call.id,
      error: call.redactor.redact(String(error)),
    });
    return undefined;
  }
}

interface Finished {
  readonly output: Json;
  readonly text: string;
  readonly truncations: readonly Truncation[];
  readonly decision: Decision;
}

function finish({ call, tool }: ParsedCall, { output, text, truncations, decision }: Finished): DoneResult {
  const own = ownView(tool.definition.toModel?.(withoutStreamed(output, { call, tool }) as never), call) ?? [
    { type: "text" as const, text: wellFormedJson(output, text) },
  ];
  const content = call.shown.length > 0 ? [...own, ...call.shown] : own;
  const exitCode = tool.definition.exitCode?.(output as never);
  const result: DoneResult = {
    ...call.facts(),
    status: "done",
    output,
    content,
    truncations,
    ...(exitCode !== undefined && { exitCode }),
    decision,
  };
  const logged = tool.output.sensitive?.hide(output) ?? output;
  return logged === output ? result : withLoggedOutput(result, call.redactor.redactJson(logged));
}

/** For a caller whose person has seen it already. */
function withoutStreamed(output: Json, { call, tool }: Pick<ParsedCall, "call" | "tool">): Json {
  const { streamed = [] } = tool.definition;
  if (call.options.showsOutput !== true || !call.hasStreamed || typeof output !== "object" || output === null) return output;
  return { ...output, ...Object.fromEntries(streamed.map((name) => [name, ""])) };
}

/** A tool's own view may hold more than its output did. */
function ownView(content: readonly ContentBlock[] | undefined, { redactor }: ParsedCall["call"]): readonly ContentBlock[] | undefined {
  return redactor.redactJson(content as Json | undefined) as readonly ContentBlock[] | undefined;
}

function outputError(tool: string, issues: readonly SchemaIssue[]): { code: "invalid_output"; message: string; details: Json } {
  const first = issues[0];
  return {
    code: "invalid_output",
    message: `Tool "${tool}" returned a value that its own output schema refuses${first ? ` at ${first.path || "/"}: ${first.message}` : ""}. This is a defect of the tool.`,
    details: issues.map(({ path, message }) => ({ path, message })),
  };
}

/** Characters of a string that are written at once. */
const pieceLength = 64 * 1024;

/** True when a value has surely more than that many bytes as JSON; walks no further than it takes to know, and copies nothing. */
export function isLargerThan(value: Json, maxBytes: number): boolean {
  return leftAfter(value, maxBytes) < 0;
}

function leftAfter(value: Json | undefined, room: number): number {
  if (typeof value === "string") return room - value.length - 2;
  if (typeof value !== "object" || value === null) return room - 1;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = leftAfter(value[index], index === 0 ? left : left - 1);
    return left;
  }
  const members = value as JsonObject;
  for (const key of Object.keys(members)) {
    if (left < 0) return left;
    if (members[key] === undefined) continue;
    left = leftAfter(members[key], left - key.length - 3);
  }
  return left;
}

/** The text that `JSON.stringify` gives, in pieces, so that a value of any size is never there as one text. */
export function* jsonPieces(value: Json): Generator<string> {
  let waiting = "";
  for (const piece of tokensOf(value)) {
    waiting += piece;
    if (waiting.length < pieceLength) continue;
    yield waiting;
    waiting = "";
  }
  if (waiting !== "") yield waiting;
}

function* tokensOf(value: Json): Generator<string> {
  if (typeof value === "string") yield* stringPieces(value);
  else if (typeof value !== "object" || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    yield "[";
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ",";
      yield* tokensOf(item);
    }
    yield "]";
  } else {
    const members = value as JsonObject;
    let before = "{";
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* tokensOf(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function* stringPieces(text: string): Generator<string> {
  if (text.length <= pieceLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + pieceLength - 1);
    // Half of a pair of surrogates would be written as an escape.
    const end = start + pieceLength - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

interface ArtifactFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

/** Bytes of one artifact, unless the engine is told otherwise. */
export const defaultMaxArtifactBytes = 64 * 1024 * 1024;

type Keeping = Pick<GateParts, "artifacts" | "sessions" | "maxArtifactBytes">;

/** The store as one call may use it: what is written is redacted before it is kept and named in the call's result. */
export function callArtifacts(call: Call, parts: Keeping): ArtifactStore {
  const { artifacts, maxArtifactBytes } = parts;
  return {
    async create(owner, meta) {
      const named = { ...meta, name: call.redactor.redact(meta.name), mediaType: call.redactor.redact(meta.mediaType) };
      return new RedactingWriter(await artifacts.create(owner, named), call, maxArtifactBytes);
    },
    read: (_, id, range) => readOwnArtifact(call.principal, id, { range, parts }),
    list: (tenant, session, call) => artifacts.list(tenant, session, call),
  };
}

/** Stores a file with the call. */
export function saveArtifact(call: Call, { content, ...meta }: ArtifactFile, parts: Keeping): Promise<ArtifactRef> {
  return writeArtifact(call, meta, { pieces: [content], parts });
}

/** Writes an artifact from pieces. */
async function writeArtifact(
  call: Call,
  meta: Pick<ArtifactFile, "name" | "mediaType">,
  { pieces, parts }: { readonly pieces: Iterable<string | Uint8Array>; readonly parts: Keeping },
): Promise<ArtifactRef> {
  const owner = { tenant: call.principal.tenant, session: call.session, callId: call.id };
  const writer = await callArtifacts(call, parts).create(owner, meta);
  try {
    for (const piece of pieces) await writer.write(typeof piece === "string" ? Buffer.from(piece, "utf8") : piece);
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Latin-1 carries every byte as one character, so binary files come through as they are and a secret in them is still found. */
class RedactingWriter implements ArtifactWriter {
  readonly #inner: ArtifactWriter;
  readonly #call: Call;
  readonly #stream: ReturnType<Call["redactor"]["stream"]>;

  readonly #maxBytes: number;
  #size = 0;

  constructor(inner: ArtifactWriter, call: Call, maxBytes: number) {
    this.#inner = inner;
    this.#maxBytes = maxBytes;
    this.#call = call;
    this.#stream = call.redactor.stream();
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) return Promise.reject(tooLarge(this.#maxBytes));
    if (!this.#call.redactor.active) return this.#inner.write(chunk);
    return this.#inner.write(Buffer.from(this.#stream.push(Buffer.from(chunk).toString("latin1")), "latin1"));
  }

  async finish(): Promise<ArtifactRef> {
    const rest = this.#stream.flush();
    if (rest !== "") await this.#inner.write(Buffer.from(rest, "latin1"));
    const ref = await this.#inner.finish();
    this.#call.artifacts.push(ref);
    return ref;
  }

  discard(): Promise<void> {
    return this.#inner.discard();
  }
}

function tooLarge(maxBytes: number): ToolwrightError {
  const message = `An artifact holds at most ${maxBytes} bytes, and this one would be larger, so it was not kept. Keep less, or in several artifacts.`;
  return new ToolwrightError("artifact_too_large", message, { details: { limit: maxBytes } });
}
