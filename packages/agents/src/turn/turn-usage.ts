import type { LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CallUsage } from "@toolwright/engine";
import { estimateTokens } from "@toolwright/engine/schema";
import { costOf } from "../models/cost.ts";

export type Spent = Omit<CallUsage, "models">;

/** One request, and what came of it. */
interface UsedModel {
  /** Id of the model. */
  readonly id: string;
  readonly usage: LanguageModelV4Usage;
  readonly request: { readonly prompt: LanguageModelV4Prompt; readonly tools?: unknown };
  readonly answer: unknown;
}

/** What one request took, in the engine's words. What the provider did not count is estimated, and marked. */
export function usageOf({ id, usage, request, answer }: UsedModel): Spent {
  const [input, output] = [wholeOf(usage.inputTokens.total), wholeOf(usage.outputTokens.total)];
  const isCounted = input !== undefined && output !== undefined;
  const whole: LanguageModelV4Usage = {
    inputTokens: { ...usage.inputTokens, total: input ?? estimateOf([request.tools, request.prompt]) },
    outputTokens: { ...usage.outputTokens, total: output ?? estimateOf(answer) },
  };
  const { total, cacheRead, cacheWrite } = whole.inputTokens;
  const cache = { cachedInputTokens: wholeOf(cacheRead), cacheWriteTokens: wholeOf(cacheWrite) };
  const { outputTokens } = whole;
  const written = { outputTokens: outputTokens.total, reasoningTokens: wholeOf(outputTokens.reasoning) };
  const counted = { inputTokens: total, ...cache, ...written };
  const known = Object.entries({ ...counted, cost: costOf(id, whole) }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...(!isCounted && { estimated: true }) };
}

/** Servers count in many ways: what is no number of tokens is no count. */
const wholeOf = (count: number | undefined) => (Number.isSafeInteger(count) && Number(count) >= 0 ? count : undefined);

/** Tokens that a value takes in a request: of its texts by the kind of text, of its files by the kind of file. */
export function estimateOf(value: unknown): number {
  // A replacer takes longer than all the rest.
  if (!hasFile(value)) return estimateTokens(JSON.stringify(value) ?? "");
  let files = 0;
  const countFiles = (_: string, part: unknown) => {
    if (!isFile(part)) return part;
    files += tokensOfFile(part);
    return undefined;
  };
  return estimateTokens(JSON.stringify(value, countFiles) ?? "") + files;
}

/** A picture of the largest size that providers read as it is. */
const tokensOfPicture = 1_600;
/** A page of a document, which is about so many bytes. */
const tokensOfPage = 2_000;
const bytesOfPage = 50_000;

/** About what a model reads of it: the size of a picture in pixels is known to nobody here. */
function tokensOfFile(file: object): number {
  const { mediaType = "", data, providerOptions } = file as FileFacts;
  if (mediaType.startsWith("image/")) return tokensOfPicture;
  const text = typeof data === "string" ? data : typeof data?.data === "string" ? data.data : "";
  const size = providerOptions?.toolwright?.size ?? Buffer.byteLength(text, "base64");
  return tokensOfPage * Math.max(1, Math.ceil(size / bytesOfPage));
}

interface FileFacts {
  readonly mediaType?: string;
  readonly data?: string | { readonly data?: unknown };
  readonly providerOptions?: { readonly toolwright?: { readonly size?: number } };
}

const isFile = (part: unknown): part is object => typeof part === "object" && part !== null && "type" in part && part.type === "file";

const hasFile = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (isFile(value) || Object.values(value).some(hasFile));

const counts = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"] as const;
const billion = 1_000_000_000;

/** Both together; a count that neither knows stays away. */
export function addUsage(one: CallUsage, other: CallUsage): CallUsage {
  const models = [...new Set([...(one.models ?? []), ...(other.models ?? [])])];
  const sums = counts.flatMap((name) => {
    const [a, b] = [one[name], other[name]];
    return a === undefined && b === undefined ? [] : [[name, (a ?? 0) + (b ?? 0)]];
  });
  const costs = [one.cost, other.cost].filter((cost) => cost !== undefined);
  return {
    ...(models.length > 0 && { models }),
    ...Object.fromEntries(sums),
    // In whole billionths: a sum of decimal fractions would drift.
    ...(costs.length > 0 && { cost: costs.reduce((sum, cost) => sum + Math.round(cost * billion), 0) / billion }),
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}
