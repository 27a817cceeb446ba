import { ToolwrightError } from "@toolwright/engine";
import { defaultTenant, type Embedder, type SecretStore } from "@toolwright/engine/ports";

/** What an embedder that asks a server needs of this one. */
export interface EmbedderSite {
  readonly fetch: typeof fetch;
  /** The operator's, by its name, for this origin. Rejects where it may not be sent there. */
  secret(name: string, origin: string): Promise<string | undefined>;
}

export type OpenEmbedder = (site: EmbedderSite) => Promise<Embedder>;

/** What makes vectors of memories and of documents. Each is opened when it is first used. */
export interface Embedders {
  readonly memoryEmbedder: (() => Promise<Embedder>) | undefined;
  readonly knowledgeEmbedder: (() => Promise<Embedder>) | undefined;
}

export interface EmbedderSettings {
  /** The embedder for memories. Default: words and names find them. */
  readonly memoryEmbedder?: OpenEmbedder;
  /** The embedder for documents. Default: words find them. */
  readonly knowledgeEmbedder?: OpenEmbedder;
}

/** Opens embedders when they are first used: one for both where both are opened in the same way. A failed opening is tried again the next time. */
export function openEmbedders(
  { memoryEmbedder, knowledgeEmbedder }: EmbedderSettings,
  secrets: SecretStore,
): { readonly embedders: Embedders; close(): Promise<void> } {
  const site: EmbedderSite = { fetch, secret: (name, origin) => readKey(secrets, name, origin) };
  const opened = new Map<OpenEmbedder, Promise<Embedder>>();
  const once = (open: OpenEmbedder) => async () => {
    const opening = opened.get(open) ?? open(site);
    opened.set(open, opening);
    opening.catch(() => opened.delete(open));
    return opening;
  };
  return {
    embedders: {
      memoryEmbedder: memoryEmbedder && once(memoryEmbedder),
      knowledgeEmbedder: knowledgeEmbedder && once(knowledgeEmbedder),
    },
    async close() {
      for (const each of opened.values()) await (await each.catch(() => undefined))?.close?.();
    },
  };
}

async function readKey(secrets: SecretStore, name: string, origin: string): Promise<string | undefined> {
  const secret = await secrets.getBound(defaultTenant, name);
  if (!secret)
    throw new ToolwrightError(
      "secret_missing",
      `There is no secret ${name} for the embeddings server. Run: toolwright secrets set ${name} --host ${origin}`,
    );
  if (!secret.origins.includes(origin))
    throw new ToolwrightError(
      "secret_missing",
      `The secret ${name} may not be sent to ${origin}. Run: toolwright secrets set ${name} --host ${origin}`,
    );
  return secret.value;
}
