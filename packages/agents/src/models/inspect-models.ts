import type { Clock } from "@toolwright/engine/ports";
import type { ModelInspector } from "../contract/model-inspector.ts";
import type { ModelSource } from "./model-source.ts";
import { testModel } from "./test-model.ts";

/** Milliseconds that a model has for its answers. */
const patienceMs = 60_000;

export interface InspectOptions {
  readonly models: ModelSource;
  readonly clock: Clock;
}

/** Looks at the models of a source, with the keys of whoever is named. */
export function inspectModels({ models, clock }: InspectOptions): ModelInspector {
  const siteOf = ({ tenant, agent }: { readonly tenant: string; readonly agent?: string | undefined }) => ({
    ...{ tenant, agent },
    // Requests of one conversation are kept together at the provider: these belong to none.
    conversation: "models.test",
  });
  return {
    usual: models.usual,
    async providers(owner) {
      const site = siteOf(owner);
      return Promise.all(
        (await models.providers()).map(async ({ name, needs }) => ({
          provider: name,
          needs: await Promise.all(needs.map(async ({ isThere, ...need }) => ({ ...need, isThere: await isThere(site) }))),
        })),
      );
    },
    async test(model, { signal, ...owner }) {
      const timeout = new AbortController();
      const cancel = clock.after(patienceMs, () => timeout.abort());
      try {
        return await testModel(models, model, { ...siteOf(owner), signal: AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]) });
      } finally {
        cancel();
      }
    },
  };
}
