import assert from "node:assert/strict";
import type { SecretAdmin, SecretName } from "../ports/secret-admin.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

interface OpenSecretAdmin {
  /** Without secrets, with the tenants `acme` and `other`. */
  readonly secrets: SecretAdmin & SecretStore;
  readonly cleanup: () => Promise<void>;
}

const value = "the value itself";
const key: SecretName = { tenant: "acme", name: "KEY" };

/** What everything that lets people manage secrets must do. */
export function secretAdminConformance(open: () => Promise<OpenSecretAdmin>): readonly ConformanceCase[] {
  const withSecrets = casesOn(open);
  return [
    withSecrets("shows names, owners, bindings, generations and dates, and never a value", async ({ secrets }) => {
      await secrets.set({ ...key, name: "SECOND" }, value);
      await secrets.set({ ...key, agent: "coder" }, value, { hosts: ["API.example"], header: "X-Api-Key" });
      const made = await secrets.set(key, value);
      const listed = await secrets.list("acme");
      assert.deepEqual(
        listed.map(({ tenant, name, agent, origins, header }) => [tenant, name, agent, origins, header]),
        [
          ["acme", "KEY", undefined, [], undefined],
          ["acme", "KEY", "coder", ["https://api.example"], "x-api-key"],
          ["acme", "SECOND", undefined, [], undefined],
        ],
      );
      assert.deepEqual(listed[0], made);
      assert.equal(made.generation, secrets.generation("acme", "KEY"));
      assert.ok(made.createdAt > 0 && made.changedAt >= made.createdAt);
      assert.ok(!JSON.stringify(listed).includes(value));
    }),
    withSecrets("gives tools what was set last, with where it may be sent, and nothing once it is removed", async ({ secrets }) => {
      await secrets.set(key, "an older value", { hosts: ["a.example"] });
      const { createdAt } = await secrets.set(key, value, { hosts: ["b.example"], user: "ann" });
      assert.deepEqual(await secrets.getBound("acme", "KEY"), { value, origins: ["https://b.example"], user: "ann" });
      assert.equal((await secrets.list("acme"))[0]?.createdAt, createdAt);
      assert.equal(await secrets.remove(key), true);
      assert.equal(await secrets.remove(key), false);
      assert.deepEqual([secrets.has("acme", "KEY"), await secrets.get("acme", "KEY"), await secrets.list("acme")], [false, undefined, []]);
    }),
    withSecrets("says when a tool last got a secret and which, and keeps that when the value is replaced", async ({ secrets }) => {
      const { lastUsedAt, lastUsedBy } = await secrets.set(key, value);
      assert.deepEqual([lastUsedAt, lastUsedBy], [undefined, undefined]);
      secrets.noteUse({ ...key, agent: "coder", tool: "mail_send" });
      const [used] = await secrets.list("acme");
      assert.ok(used?.lastUsedAt !== undefined && used.lastUsedAt > 0);
      assert.equal(used.lastUsedBy, "mail_send");
      const replaced = await secrets.set(key, "another value");
      assert.deepEqual([replaced.lastUsedAt, replaced.lastUsedBy], [used.lastUsedAt, "mail_send"]);
      await secrets.remove(key);
      assert.equal((await secrets.set(key, value)).lastUsedBy, undefined, "one that was removed is another");
    }),
    withSecrets(
      "notes a use at the secret that was given: not at the tenant's for an agent's own, at no other tenant's (R-TN-3)",
      async ({ secrets }) => {
        for (const secret of [key, { ...key, agent: "coder" }, { ...key, tenant: "other" }]) await secrets.set(secret, value);
        secrets.noteUse({ ...key, agent: "coder", tool: "mail_send" });
        secrets.noteUse({ ...key, name: "NEVER_SET", tool: "mail_send" });
        const usedBy = async (tenant: string) => (await secrets.list(tenant)).map(({ agent, lastUsedBy }) => [agent, lastUsedBy]);
        assert.deepEqual(await usedBy("acme"), [
          [undefined, undefined],
          ["coder", "mail_send"],
        ]);
        assert.deepEqual(await usedBy("other"), [[undefined, undefined]]);
      },
    ),
    withSecrets("drops the binding of a value that is set without one", async ({ secrets }) => {
      await secrets.set(key, value, { hosts: ["a.example"] });
      await secrets.set(key, value);
      assert.deepEqual(await secrets.boundTo("acme", "https://a.example"), []);
    }),
    withSecrets("keeps the secrets of tenants apart, also of one name (R-TN-3)", async ({ secrets }) => {
      await secrets.set(key, value);
      assert.deepEqual(await secrets.list("other"), []);
      assert.equal(await secrets.remove({ ...key, tenant: "other" }), false);
      await secrets.set({ ...key, tenant: "other" }, "a value of other");
      assert.equal(await secrets.remove({ ...key, tenant: "other" }), true);
      assert.equal(await secrets.get("acme", "KEY"), value);
    }),
    withSecrets("removes an agent's own secret and leaves the tenant's, and the other way round", async ({ secrets }) => {
      await secrets.set(key, value);
      await secrets.set({ ...key, agent: "coder" }, "value of coder");
      assert.equal(await secrets.remove({ ...key, agent: "writer" }), false);
      await secrets.remove(key);
      assert.equal(await secrets.get("acme", "KEY", "coder"), "value of coder");
      await secrets.set(key, value);
      await secrets.remove({ ...key, agent: "coder" });
      assert.equal(await secrets.get("acme", "KEY", "coder"), value);
    }),
    withSecrets("refuses names, values and bindings that are none, tells no value, and changes nothing", async ({ secrets }) => {
      const before = await secrets.set(key, value);
      const attempts = [
        ...["12345", "value\ud800", "x".repeat(65_537)].map((each) => () => secrets.set(key, each)),
        ...["A KEY", "", "1KEY", "__proto__", "../KEY", "K\u0000"].map((name) => () => secrets.set({ ...key, name }, value)),
        ...["../coder", "", "a b"].map((agent) => () => secrets.set({ ...key, agent }, value)),
        ...["*.example", "http://a.example", "a.example/path"].map((host) => () => secrets.set(key, value, { hosts: [host] })),
        () => secrets.set(key, value, { hosts: [], header: "x-api-key" }),
      ];
      for (const attempt of attempts)
        await assert.rejects(attempt, (error: Error & { code?: string }) => {
          assert.equal(error.code, "invalid_input");
          assert.ok(!error.message.includes(value) && !error.message.includes("12345"));
          return true;
        });
      assert.deepEqual(await secrets.list("acme"), [before]);
      assert.equal(await secrets.get("acme", "KEY"), value);
    }),
    withSecrets("finds nothing unreadable where everything can be read", async ({ secrets }) => {
      await secrets.set(key, value);
      await secrets.set({ tenant: "other", name: "THEIRS", agent: "coder" }, value);
      assert.deepEqual((await secrets.check()).unreadable, []);
    }),
  ];
}
