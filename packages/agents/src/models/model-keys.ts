import { ToolwrightError } from "@toolwright/engine";
import { Redactor, type SecretStore } from "@toolwright/engine/ports";
import type { ModelNeed, ModelSite } from "./model-source.ts";

/** Reads what opens a provider's models, by the name of the secret that holds it. */
export type ModelKeys = (name: string, site: ModelSite) => Promise<string | undefined>;

export interface ModelKeysOptions {
  readonly secrets: Pick<SecretStore, "get">;
  /** The operator's own, by the names of the secrets. They are for one tenant: no other spends the operator's money. */
  readonly operator?: { readonly tenant: string; readonly keys: ReadonlyMap<string, string> } | undefined;
}

/** Secrets of the agent, then of its tenant, then the operator's. */
export function modelKeys({ secrets, operator }: ModelKeysOptions): ModelKeys {
  return async (name, { tenant, agent }) => {
    const own = await secrets.get(tenant, name, agent).catch(explainUnreadable);
    return own ?? (operator?.tenant === tenant ? operator.keys.get(name) : undefined);
  };
}

/** A turn ends with it, as with a key that is missing. */
function explainUnreadable(error: unknown): never {
  if (!ToolwrightError.is(error) || error.code !== "secret_unreadable") throw error;
  throw new ToolwrightError("model_unavailable", error.message, { cause: error });
}

/** What a provider needs: keys by these names. */
export function secretNeeds(keys: ModelKeys, names: readonly string[]): readonly ModelNeed[] {
  return names.map((name) => ({ kind: "secret", name, isThere: async (site) => (await keys(name, site)) !== undefined }));
}

/** Rejects with `model_unavailable`, which names the secret. */
export async function requireKey(keys: ModelKeys, name: string, { site, id }: { site: ModelSite; id: string }): Promise<string> {
  const key = await keys(name, site);
  if (key !== undefined) return key;
  throw new ToolwrightError("model_unavailable", `The model ${id} has no key. Set the secret ${name} of the agent or of its tenant.`);
}

/** Shorter ones are words that servers without keys are given, such as `ollama`: answers hold them as words. */
const shortest = 8;
const looksLikeKey = /\b(?:sk-|AKIA|ASIA)[A-Za-z0-9_*-]{6,}/g;

/** Takes keys out of texts, in each of their encodings. */
export function redactorOf(keys: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const key of keys) if (key.length >= shortest) redactor.add(key);
  return redactor;
}

/** Redacts keys in a text for operators, and everything that looks like a key, such as the rest of one that a provider shows. */
export function redactReport(text: string, keys: readonly string[]): string {
  return redactorOf(keys).redact(text).replace(looksLikeKey, "[redacted]");
}
