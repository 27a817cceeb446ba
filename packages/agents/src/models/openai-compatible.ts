import { ToolwrightError } from "@toolwright/engine";
import { z } from "zod";
import { imagesOf, soundsOf } from "./files-of-models.ts";
import type { ModelKeys } from "./model-keys.ts";
import type { ModelProvider, ModelSite } from "./model-source.ts";
import { fetchStream, type StreamOptions } from "./read-stream.ts";

export interface OpenAICompatibleOptions {
  /** The operator's server: trusted, so that it may be on loopback. Its key goes nowhere else. */
  readonly server?: ModelServer | undefined;
  /** Lets agents and tenants name a server of their own, by the secrets `openai_compatible_url` and `openai_compatible_api_key`. */
  readonly own?: OwnServers | undefined;
}

export interface ModelServer {
  /** Up to and with `/v1`. */
  readonly url: string;
  /** Left out for a server that wants none. */
  readonly key?: string | undefined;
  /** Tokens that fit into a request to its models. Default: 8,192, which is what such servers usually run them with. */
  readonly window?: number | undefined;
}

export interface OwnServers {
  readonly keys: ModelKeys;
  /** *Contract:* reaches public addresses and what the policy opens, and nothing else: whoever sets the secret does not reach the server's own network. */
  readonly fetch: (site: Pick<ModelSite, "network">) => typeof fetch;
}

/** Models of a server that speaks Chat Completions: Ollama, llama.cpp, vLLM. */
export function openAICompatibleModels(options: OpenAICompatibleOptions): ModelProvider {
  return {
    name: "openai-compatible",
    needs: [{ kind: "setting", name: "TOOLWRIGHT_MODEL_URL", isThere: async (site) => (await findServer(options, site)) !== undefined }],
    async open(name, site) {
      const id = `openai-compatible/${name}`;
      const server = await findServer(options, site);
      if (server && !URL.canParse(server.url))
        throw new ToolwrightError(
          "model_unavailable",
          `The model ${id} has a server whose address is no URL. Set the secret openai_compatible_url to one, such as https://models.example.org/v1.`,
        );
      if (!server)
        throw new ToolwrightError(
          "model_unavailable",
          `The model ${id} has no server. Set TOOLWRIGHT_MODEL_URL, such as http://127.0.0.1:11434/v1, or the secret openai_compatible_url of the agent or of its tenant.`,
        );
      const { url: baseURL, key, window = usualWindow, fetch } = server;
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        ...{ baseURL, includeUsage: true },
        ...(key !== undefined && { apiKey: key }),
        fetch: fetchChat({ id, fetch }),
      });
      return {
        ...{ id, model: provider(name), target: "openai" as const, contextWindow: window },
        files: { ...imagesOf(10_000_000), ...soundsOf(10_000_000) },
        ...{ refusesFiles, words, keys: key === undefined ? [] : [key] },
      };
    },
  };
}

const usualWindow = 8_192;

/** llama.cpp answers 500 for a model without eyes or ears. */
const refusesFiles = /\b(image|audio|video|multimodal) input is not supported/i;

/** Servers of this protocol are many: vLLM, llama.cpp, LM Studio, gateways. */
const words = {
  "context-too-long": /context[ _](length|window|size)|exceed_context_size|prompt is too long|too many tokens in the prompt/i,
  "no-tools":
    /does not support (tools|tool calling|functions?)|support tool use|--enable-auto-tool-choice|tool[ _](use|calling) is not supported/i,
  "quota-spent": /insufficient_quota|insufficient credits|credit balance/i,
};

async function findServer(
  { server, own }: OpenAICompatibleOptions,
  site: ModelSite,
): Promise<(ModelServer & { readonly fetch?: typeof fetch }) | undefined> {
  const [url, key] = (await Promise.all([own?.keys("openai_compatible_url", site), own?.keys("openai_compatible_api_key", site)])) ?? [];
  if (own && url !== undefined) return { url, key, fetch: own.fetch(site) };
  return server && { ...server, key: key ?? server.key };
}

const choice = z.looseObject({
  message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }).optional(),
  delta: z.looseObject({}).optional(),
  finish_reason: z.string().nullish(),
});
const answer = z.looseObject({ choices: z.array(choice) });
const refusal = z.looseObject({ error: z.union([z.string(), z.looseObject({})]) });

/** Sends requests of Chat Completions to servers that ignore `stream`, or leave out why an answer ended. */
function fetchChat({ id, fetch }: Pick<StreamOptions, "id" | "fetch">): typeof globalThis.fetch {
  return fetchStream({
    ...{ id, fetch, toPieces },
    ending: {
      last: /^data:\s*\[DONE\]/m,
      said: /"delta"\s*:/,
      reason: /"finish_reason"\s*:\s*"/,
      piece: { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    },
  });
}

/** An answer whole, a piece of one, or an error in its place. */
function toPieces(value: unknown): readonly unknown[] | undefined {
  const refused = refusal.safeParse(value).data;
  if (refused) return [typeof refused.error === "string" ? { error: { message: refused.error } } : refused];
  const { choices, ...rest } = answer.safeParse(value).data ?? {};
  if (!choices) return undefined;
  return [{ ...rest, choices: choices.map(toDelta) }];
}

function toDelta({ message, delta = message, ...rest }: z.output<typeof choice>) {
  if (!message) return { ...rest, delta };
  const calls = message.tool_calls?.map((call, index) => ({ ...call, index })) ?? [];
  return {
    ...rest,
    delta: { ...message, tool_calls: calls },
    finish_reason: rest.finish_reason ?? (calls.length > 0 ? "tool_calls" : "stop"),
  };
}
