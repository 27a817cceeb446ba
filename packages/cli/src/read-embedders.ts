import type { Embedder } from "@toolwright/engine/ports";
import type { OpenEmbedder, Settings } from "@toolwright/server/settings";
import { CliError } from "./cli-error.ts";
import type { Io } from "./io.ts";

/** What finds tools, memories and documents by their meaning. Nothing is loaded before it is asked. */
export function readEmbedders(env: Io["env"]): Pick<Settings, "openEmbedder" | "memoryEmbedder" | "knowledgeEmbedder"> {
  const tools = readChoice(env, "TOOLWRIGHT_EMBEDDER", { choices: ["local", "none"], usual: "local" });
  const choices = ["local", "openai", "none"] as const;
  const memory = readChoice(env, "TOOLWRIGHT_MEMORY_EMBEDDER", { choices, usual: "local" });
  const knowledge = readChoice(env, "TOOLWRIGHT_KNOWLEDGE_EMBEDDER", { choices, usual: "none" });
  const openOpenAI = memory === "openai" || knowledge === "openai" ? readOpenAI(env) : undefined;
  const openers = { local: openLocal, openai: openOpenAI, none: undefined };
  const { [memory]: memoryEmbedder, [knowledge]: knowledgeEmbedder } = openers;
  return {
    ...(tools === "local" && { openEmbedder: openLocal }),
    ...(memoryEmbedder && { memoryEmbedder }),
    ...(knowledgeEmbedder && { knowledgeEmbedder }),
  };
}

function readChoice<Choice extends string>(
  env: Io["env"],
  name: string,
  { choices, usual }: { readonly choices: readonly Choice[]; readonly usual: NoInfer<Choice> },
): Choice {
  const given = env[name] || usual;
  const choice = choices.find((each) => each === given);
  if (choice !== undefined) return choice;
  const others = choices.slice(0, -1).join(", ");
  throw new CliError(`${name} is "${given}". Set it to ${others} or to ${choices.at(-1)}, or leave it out for ${usual}.`);
}

let local: Promise<Embedder> | undefined;

/** One thread and one model in this process, whoever asks. */
function openLocal(): Promise<Embedder> {
  local ??= import("@toolwright/embeddings").then(({ createLocalEmbedder }) => createLocalEmbedder());
  return local;
}

function readOpenAI(env: Io["env"]): OpenEmbedder {
  const { TOOLWRIGHT_EMBEDDINGS_URL: url = "", TOOLWRIGHT_EMBEDDINGS_MODEL: model = "", TOOLWRIGHT_EMBEDDINGS_KEY: name } = env;
  if (!(/^https?:\/\//.test(url) && URL.canParse(url)))
    throw new CliError(
      `TOOLWRIGHT_EMBEDDINGS_URL is "${url}". Write the address of an embeddings server up to and with /v1, such as http://127.0.0.1:11434/v1.`,
    );
  if (model === "")
    throw new CliError("TOOLWRIGHT_EMBEDDINGS_MODEL is not set. Name a model of the embeddings server, such as text-embedding-3-small.");
  return async ({ fetch, secret }) => {
    const { openOpenAIEmbedder } = await import("@toolwright/embeddings");
    return openOpenAIEmbedder({ url, model, fetch, ...(name && { key: () => secret(name, new URL(url).origin) }) });
  };
}
