import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";

/** The same with options of a provider: of a request, a message or a part. What it has of others stays. */
export function withOptions<Marked extends { readonly providerOptions?: SharedV4ProviderOptions | undefined }>(
  marked: Marked,
  provider: string,
  options: JSONObject,
): Marked {
  const { providerOptions } = marked;
  return { ...marked, providerOptions: { ...providerOptions, [provider]: { ...providerOptions?.[provider], ...options } } };
}
