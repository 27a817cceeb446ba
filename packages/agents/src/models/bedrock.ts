import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { ToolwrightError } from "@toolwright/engine";
import { imagesOf } from "./files-of-models.ts";
import { markPrompt } from "./mark-prompt.ts";
import { contextWindowOf } from "./model-facts.ts";
import type { FailureWords } from "./model-failure.ts";
import { type ModelKeys, requireKey, secretNeeds } from "./model-keys.ts";
import type { ModelProvider, ModelSite } from "./model-source.ts";
import { textOfOutput } from "./output-text.ts";
import { fetchStream } from "./read-stream.ts";
import { withOptions } from "./with-options.ts";

export interface BedrockOptions {
  readonly keys: ModelKeys;
  /** Default: the public one of the region. */
  readonly url?: string;
}

/** Models on Amazon Bedrock, over the ConverseStream operation. */
export function bedrockModels({ keys, url }: BedrockOptions): ModelProvider {
  return {
    name: "bedrock",
    needs: secretNeeds(keys, ["aws_region", "aws_access_key_id", "aws_secret_access_key"]),
    async open(name, site) {
      const id = `bedrock/${name}`;
      const account = await readAccount(keys, { site, id });
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      // The SDK would read a bearer token and an address from the environment: an empty token and a given address keep it from that.
      const provider = createAmazonBedrock({
        ...account,
        apiKey: "",
        baseURL: url ?? addressOf(account.region),
        fetch: fetchStream({ id }),
      });
      const { accessKeyId, secretAccessKey, sessionToken } = account;
      return {
        ...{ id, model: provider(name), target: "bedrock" as const, contextWindow: contextWindowOf(id) },
        mark: (request) => {
          const { prompt, ...rest } = request.toolChoice?.type === "none" ? withoutTools(request) : request;
          if (!cachesPrompts.test(name)) return { ...rest, prompt };
          return { ...rest, prompt: markPrompt(prompt, (message) => withOptions(message, "bedrock", { cachePoint: { type: "default" } })) };
        },
        files: { ...imagesOf(3_750_000), "application/pdf": 4_500_000 },
        takesFilesInResults: true,
        ...{ words, keys: [accessKeyId, secretAccessKey, sessionToken ?? []].flat() },
      };
    },
  };
}

/** Others refuse a request that holds a mark. */
const cachesPrompts = /(^|[./])(anthropic\.claude|amazon\.nova)-/;

const words: FailureWords = {
  "context-too-long": /input is too long|prompt is too long|exceed context limit|maximum context length|input tokens exceeded/i,
  "key-refused": /security token|signature we calculated|UnrecognizedClient|InvalidSignature|ExpiredToken/i,
  "quota-spent": /tokens per day|ServiceQuotaExceeded/i,
  "model-unknown": /model identifier is invalid/i,
};

async function readAccount(keys: ModelKeys, { site, id }: { site: ModelSite; id: string }) {
  const need = (name: string) => requireKey(keys, name, { site, id });
  const region = await need("aws_region");
  // It becomes part of a host name.
  if (!/^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/.test(region))
    throw new ToolwrightError("model_unavailable", `The model ${id} has no region: set the secret aws_region, such as us-east-1.`);
  const [accessKeyId, secretAccessKey] = await Promise.all([need("aws_access_key_id"), need("aws_secret_access_key")]);
  // Temporary keys have a third part.
  const sessionToken = await keys("aws_session_token", site);
  return { region, accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

const addressOf = (region: string) => `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

/** The operation has no way to keep a model from its tools, and refuses calls in the messages of a request without tools: they become text. */
function withoutTools({ prompt, tools: _, toolChoice: __, ...request }: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return { ...request, prompt: prompt.map(toText) };
}

function toText(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "tool") {
    const text = message.content
      .flatMap((part) => (part.type === "tool-result" ? [`${part.toolName} gave: ${textOfOutput(part.output)}`] : []))
      .join("\n");
    return { role: "user", content: [{ type: "text", text }] };
  }
  if (message.role !== "assistant") return message;
  // Sealed reasoning belongs to the calls that followed it.
  const hasCalls = message.content.some(({ type }) => type === "tool-call");
  const content = message.content.flatMap((part) => {
    if (part.type === "tool-call") return [{ type: "text" as const, text: `Called ${part.toolName} with ${JSON.stringify(part.input)}` }];
    return hasCalls && part.type === "reasoning" ? [] : [part];
  });
  return { ...message, content };
}
