/**
 * `codeDigest` of the built-in tools in their sources, by name. Undefined where the sources run; `scripts/bundle.mjs` puts them in, since a bundle writes
 * functions otherwise: an approval of one run is good in the other.
 */
export const toolCode: Readonly<Record<string, string>> | undefined = undefined;
