import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";

/** Adds options of one provider to a request, a message or a part. Options of other providers stay. */
export function withOptions<Marked extends { readonly providerOptions?: SharedV4ProviderOptions | undefined }>(
  marked: Marked,
  provider: string,
  options: JSONObject,
): Marked {
  const { providerOptions } = marked;
  return { ...marked, providerOptions: { ...providerOptions, [provider]: { ...providerOptions?.[provider], ...options } } };
}
