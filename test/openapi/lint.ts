import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

interface RedoclyProblem {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}
interface Redocly {
  createConfig(config: object): Promise<object>;
  lintFromString(options: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: object;
  }): Promise<readonly RedoclyProblem[]>;
}
interface SpectralProblem {
  readonly code: string | number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}
interface Spectral {
  readonly Spectral: new () => { setRuleset(ruleset: object): void; run(document: object): Promise<readonly SpectralProblem[]> };
}

/** What Redocly's `recommended-strict` says against a document, warnings too; empty for a good one. */
export async function lintByRedocly(source: string): Promise<readonly string[]> {
  const { createConfig, lintFromString } = (await import(import.meta.resolve("@redocly/openapi-core"))) as Redocly;
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems.map(({ ruleId, severity, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** What Spectral's `spectral:oas` says, hints too. */
export async function lintBySpectral(source: string): Promise<readonly string[]> {
  const { Spectral } = require("@stoplight/spectral-core") as Spectral;
  const { oas } = require("@stoplight/spectral-rulesets") as { readonly oas: object };
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas] });
  const problems = await spectral.run(JSON.parse(source) as object);
  return problems.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`);
}
