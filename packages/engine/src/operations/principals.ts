import { z } from "zod";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor } from "./json-parts.ts";
import { whoamiView } from "./views/identity.ts";

const current = z.object({
  tenant: z.string(),
  actor,
  agent: z.string().optional().describe("The agent in whose name calls are made"),
  permissions: z.array(z.string()).describe("What the principal may do, by name"),
  interactive: z.boolean().describe("True where a person may be there, who can answer approvals"),
});

const currentPrincipal = defineOperation({
  name: "principals.current",
  at: "GET /me",
  title: "Get who asks",
  description: "Says for whom the request acts, and what they may do.",
  effect: "read",
  input: z.object({}),
  output: current,
  shell: { form: "whoami", about: "Show for whom commands act, and what they may do", store: true },
  view: whoamiView,
  run: async (_, { principal: { tenant, actor: who, agent, permissions, interactive = false } }) => ({
    ...{ tenant, actor: { kind: who.kind, id: who.id }, permissions, interactive },
    ...(agent !== undefined && { agent }),
  }),
});

export const principalsSubject = defineSubject({
  name: "principals",
  operations: [currentPrincipal],
});
