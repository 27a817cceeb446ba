import { ToolwrightError } from "@toolwright/engine/errors";
import type { Embedder } from "@toolwright/engine/ports";

export interface OpenAIEmbedderOptions {
  /** Up to and with `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Length of the vectors, for models that can shorten them. */
  readonly dimensions?: number | undefined;
  /** Asked before each request, so that a new key is taken up. Left out for a server that wants none. */
  readonly key?: (() => Promise<string | undefined>) | undefined;
  readonly fetch: typeof fetch;
}

/** Texts of one request, and milliseconds that it may take. */
const [atOnce, limitMs] = [96, 60_000];
/** Characters of a text that count: models refuse what is beyond their window, which is 512 tokens for the smallest. */
const longest = 8_000;

/**
 * Makes an embedder that asks a server which speaks `/v1/embeddings`: OpenAI, Ollama, llama.cpp, vLLM, and gateways to others. It asks for one vector, to
 * know how long they are. Rejects with `model_unavailable`.
 */
export async function openOpenAIEmbedder(options: OpenAIEmbedderOptions): Promise<Embedder> {
  const { model, url } = options;
  const ask = createAsk(options);
  const [probe] = await ask(["dimensions"], undefined);
  const dimensions = probe?.length ?? 0;
  return {
    // Other dimensions are another model: their vectors are never compared.
    model: `openai/${new URL(url).host}/${model}@${dimensions}`,
    dimensions,
    languages: [],
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += atOnce) vectors.push(...(await ask(texts.slice(at, at + atOnce), signal)));
      const odd = vectors.find(({ length }) => length !== dimensions);
      if (odd)
        throw unavailable(
          options,
          `answers with ${odd.length} numbers a text, and with ${dimensions} before. Restart Toolwright, which then makes all vectors anew`,
        );
      return vectors;
    },
  };
}

type Ask = (texts: readonly string[], signal: AbortSignal | undefined) => Promise<readonly Float32Array[]>;

function createAsk(options: OpenAIEmbedderOptions): Ask {
  const { url, model, dimensions, key, fetch } = options;
  return async (texts, signal) => {
    const token = await key?.();
    const limit = AbortSignal.timeout(limitMs);
    const body = { model, input: texts.map(toInput), encoding_format: "float", ...(dimensions !== undefined && { dimensions }) };
    try {
      const response = await fetch(`${url.replace(/(?<!\/)\/+$/, "")}/embeddings`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (!response.ok) throw unavailable(options, `answered with ${response.status}${adviceOn(response.status, url)}`);
      return (
        readVectors(await response.json(), texts.length) ?? Promise.reject(unavailable(options, "answered with no vector for each text"))
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (ToolwrightError.is(error)) throw error;
      throw unavailable(options, limit.aborted ? `did not answer in ${limitMs / 1000} s` : "cannot be reached, or gave no JSON", error);
    }
  };
}

/** A server refuses an empty text. */
const toInput = (text: string) => text.slice(0, longest).toWellFormed().replaceAll("\u0000", " ").trim() || "-";

function adviceOn(status: number, url: string): string {
  if (status === 401 || status === 403)
    return ". Name a secret that holds its key with TOOLWRIGHT_EMBEDDINGS_KEY, and set it for this server";
  if (status === 404) return `. Check TOOLWRIGHT_EMBEDDINGS_URL, which is ${url} and ends in /v1 for most, and the name of the model`;
  return status === 429 ? ", which means that it is asked too often" : "";
}

const unavailable = ({ url, model }: OpenAIEmbedderOptions, what: string, cause?: unknown) =>
  new ToolwrightError("model_unavailable", `The embeddings server ${new URL(url).host} ${what} (model ${model}).`, { cause });

/** One vector a text, of length 1, in their order; undefined for anything else. */
function readVectors(answer: unknown, count: number): readonly Float32Array[] | undefined {
  const data = typeof answer === "object" && answer !== null && "data" in answer && Array.isArray(answer.data) ? answer.data : [];
  const vectors = new Map<number, Float32Array>();
  for (const [at, item] of data.entries()) {
    const vector = readVector((item as { embedding?: unknown } | null)?.embedding);
    const index: unknown = (item as { index?: unknown } | null)?.index ?? at;
    if (vector && typeof index === "number") vectors.set(index, vector);
  }
  const ordered = Array.from({ length: count }, (_, at) => vectors.get(at));
  return data.length === count && ordered.every((vector) => vector !== undefined) ? ordered : undefined;
}

function readVector(given: unknown): Float32Array | undefined {
  if (!Array.isArray(given) || given.length === 0 || !given.every((value) => Number.isFinite(value))) return undefined;
  const length = Math.hypot(...(given as number[]));
  return length > 0 ? new Float32Array((given as number[]).map((value) => value / length)) : undefined;
}
