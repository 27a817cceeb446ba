import assert from "node:assert/strict";
import { z } from "zod";
import { toCodeTools } from "../catalogue/code-tools.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { Agent, Author, CatalogueStore } from "../ports/catalogue-store.ts";
import type { TenantTool } from "../ports/tenant-tools.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ConformanceCase } from "./conformance-case.ts";

export interface OpenCatalogueStore {
  /** Without rows, with the tenants `acme`, `other` and `default` and no other. */
  readonly store: CatalogueStore;
  readonly cleanup: () => Promise<void>;
}

const make = (name: string, more: object = {}) =>
  defineTool({ name, description: `The tool ${name}.`, input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const codeTools = [
  make("read"),
  make("write"),
  make("remember", { visibility: { feature: "memory" } }),
  make("picture", { visibility: { optIn: true } }),
  make("mail", { effects: { secrets: ["MAIL_KEY"] } }),
];

export const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["catalogue:explain"],
  door: "cli",
};
export const helper = { tenant: "acme", agent: "helper" };
export const agent: Agent = { agent: "helper", name: "Helper", features: {}, restricted: true, acceptsAgents: false };
export const letters = { skill: "letters", title: "Letters", instructions: "Write.", tools: ["read", "write"] };
export const quote: TenantTool = {
  tool: "quote",
  title: "Quote",
  group: "sales",
  description: "Makes a quote.",
  inputSchema: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"], additionalProperties: false },
  outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  approval: "auto",
  execution: { kind: "prompt" },
};

export function engineOn({ visibility, tenantTools }: CatalogueStore) {
  return createEngine({ tools: codeTools, visibility, tenantTools });
}

export const callerOn = (store: CatalogueStore, by: Partial<Principal> = {}) =>
  engineOn(store).scope({ ...person, ...by }, { session: "s" });

/** Names of the tools that a caller has, the agent `helper` where nobody else is named. */
export function namesFor(store: CatalogueStore, by: Partial<Principal> = { agent: "helper" }): readonly string[] {
  return callerOn(store, by)
    .list()
    .map(({ name }) => name);
}

export const whyFor = (store: CatalogueStore, tool: string) => callerOn(store, { agent: "helper" }).why(tool).text;

export const authorOn = (store: CatalogueStore): Author => ({ tenant: "acme", by: "ann", code: toCodeTools(engineOn(store).snapshot()) });

export async function assertIncludes(text: Promise<string> | string, part: string): Promise<void> {
  const found = await text;
  assert.ok(found.includes(part), `${JSON.stringify(found)} does not hold ${JSON.stringify(part)}`);
}

export function storeCases(
  open: () => Promise<OpenCatalogueStore>,
  cases: Readonly<Record<string, (store: CatalogueStore) => Promise<void>>>,
): readonly ConformanceCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    async run() {
      const { store, cleanup } = await open();
      try {
        await check(store);
      } finally {
        await cleanup();
      }
    },
  }));
}
