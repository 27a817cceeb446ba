import assert from "node:assert/strict";
import type { SecretBinding, SecretStore } from "../ports/secret-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

export interface OpenSecretStore {
  readonly store: SecretStore;
  /** Sets a secret of the tenant `acme` or `other`, or of an agent of it; undefined removes it. */
  set(tenant: string, name: string, value: string | undefined, of?: SecretOwner): Promise<void>;
  readonly cleanup: () => Promise<void>;
}

interface SecretOwner {
  readonly agent?: string;
  readonly binding?: SecretBinding;
}

/** What every store of secrets must do. */
export function secretStoreConformance(open: () => Promise<OpenSecretStore>): readonly ConformanceCase[] {
  const withStore = casesOn(open);
  return [
    withStore("gives back what was set, and nothing for what was not", async ({ store, set }) => {
      assert.equal(store.has("acme", "KEY"), false);
      assert.equal(await store.get("acme", "KEY"), undefined);
      await set("acme", "KEY", "first value ü\u0000");
      assert.equal(store.has("acme", "KEY"), true);
      assert.equal(await store.get("acme", "KEY"), "first value ü\u0000");
    }),
    withStore("has nothing under a name that no store can hold", async ({ store }) => {
      for (const name of ["K\u0000", "\ud800"]) {
        assert.equal(store.has("acme", name), false);
        assert.equal(await store.get("acme", name), undefined);
        assert.equal(await store.getBound("acme", name), undefined);
      }
    }),
    withStore("shows no tenant the secrets of another (R-TN-3)", async ({ store, set }) => {
      await set("acme", "KEY", "value of acme");
      assert.equal(store.has("other", "KEY"), false);
      assert.equal(await store.get("other", "KEY"), undefined);
      assert.equal(store.generation("other", "KEY"), store.generation("other", "NEVER_SET"));
    }),
    withStore("lets an agent's own secret win over the tenant's, for that agent alone", async ({ store, set }) => {
      await set("acme", "KEY", "value of acme");
      await set("acme", "KEY", "value of coder", { agent: "coder" });
      await set("acme", "OWN", "only of coder", { agent: "coder" });
      assert.equal(await store.get("acme", "KEY", "coder"), "value of coder");
      assert.equal(await store.get("acme", "KEY", "writer"), "value of acme");
      assert.equal(await store.get("acme", "KEY"), "value of acme");
      assert.deepEqual(
        [store.has("acme", "OWN", "coder"), store.has("acme", "OWN", "writer"), store.has("acme", "OWN")],
        [true, false, false],
      );
      await set("acme", "KEY", undefined, { agent: "coder" });
      assert.equal(await store.get("acme", "KEY", "coder"), "value of acme");
    }),
    withStore(
      "never gives a generation twice: not for the same value, not after a removal, not for an agent's own",
      async ({ store, set }) => {
        const seen = [store.generation("acme", "KEY", "coder")];
        const steps: [string | undefined, SecretOwner?][] = [
          ["one value"],
          ["one value"],
          ["own value", { agent: "coder" }],
          [undefined, { agent: "coder" }],
        ];
        for (const [value, of] of steps) {
          await set("acme", "KEY", value, of);
          seen.push(store.generation("acme", "KEY", "coder"));
        }
        assert.equal(seen[4], seen[2], "the tenant's value is read again, and it is the same");
        await set("acme", "KEY", undefined);
        assert.equal(store.generation("acme", "KEY", "coder"), seen[0]);
        await set("acme", "KEY", "one value");
        seen.push(store.generation("acme", "KEY", "coder"));
        assert.equal(new Set(seen).size, 5);
      },
    ),
    withStore("gives a secret with where it may be sent, an agent's own in place of the tenant's", async ({ store, set }) => {
      const binding = { origins: ["https://api.example", "http://127.0.0.1:81"], header: "x-api-key" };
      await set("acme", "KEY", "value of acme", { binding });
      await set("acme", "KEY", "value of coder", { agent: "coder" });
      const bound = await store.getBound("acme", "KEY", "writer");
      assert.deepEqual({ ...bound }, { ...binding, value: "value of acme" });
      assert.deepEqual((await store.getBound("acme", "KEY", "coder"))?.origins, []);
      assert.equal(await store.getBound("other", "KEY"), undefined);
    }),
    withStore("names the secrets that may be sent to an origin, by tenant and agent (R-NW-5, R-TN-3)", async ({ store, set }) => {
      const binding = { origins: ["https://api.example"] };
      await set("acme", "SECOND", "a value", { binding });
      await set("acme", "FIRST", "a value", { binding });
      await set("acme", "FIRST", "another value", { agent: "coder" });
      await set("acme", "OWN", "a value", { agent: "coder", binding });
      await set("acme", "ELSEWHERE", "a value", { binding: { origins: ["https://api.example:8443"] } });
      assert.deepEqual(await store.boundTo("acme", "https://api.example"), ["FIRST", "SECOND"]);
      assert.deepEqual(await store.boundTo("acme", "https://api.example", "coder"), ["OWN", "SECOND"]);
      assert.deepEqual(await store.boundTo("other", "https://api.example"), []);
    }),
    withStore("gives another generation to the same value that may be sent elsewhere", async ({ store, set }) => {
      await set("acme", "KEY", "one value");
      const before = store.generation("acme", "KEY");
      await set("acme", "KEY", "one value", { binding: { origins: ["https://api.example"] } });
      assert.notEqual(store.generation("acme", "KEY"), before);
    }),
  ];
}
