import { defineOperation, defineSubject, listOf } from "@toolwright/engine/operations";
import { MANAGE_CATALOGUE } from "@toolwright/engine/ports";
import { z } from "zod";
import { modelsPort } from "../contract/model-inspector.ts";
import { modelChecksView, modelsView } from "./views/models.ts";

const need = z.object({
  kind: z.enum(["secret", "setting"]).describe("A secret of the agent or its tenant, or a setting of the server"),
  name: z.string(),
  isThere: z.boolean(),
});

const provider = z.object({
  provider: z.string().describe("Before the slash of a model's name"),
  needs: z.array(need),
});

const check = z.object({
  name: z.enum(["reach", "streaming", "tools", "usage"]),
  ok: z.boolean(),
  message: z.string().describe("What was seen, or what to do"),
});

const managed = { permission: MANAGE_CATALOGUE, needs: [modelsPort] } as const;
const agent = z.string().min(1).optional().describe("With the secrets of this agent, then those of the tenant");

const listModels = defineOperation({
  ...managed,
  name: "models.list",
  at: "GET /models",
  title: "List providers of models",
  description: "Lists providers of models with what each needs, and the usual model. Needs the permission catalogue:manage.",
  effect: "read",
  input: z.object({ agent }),
  output: z.object({ usual: z.string().describe("Name of the model for agents that name none"), items: z.array(provider) }),
  shell: { form: "models list", about: "List providers of models and what each needs", options: { agent: { flags: "--agent <id>" } } },
  view: modelsView,
  async run({ agent: of }, { principal: { tenant }, ports: { models } }) {
    return { usual: models.usual, items: [...(await models.providers({ tenant, agent: of }))] };
  },
});

export const testModel = defineOperation({
  ...managed,
  name: "models.test",
  at: "POST /models/test",
  title: "Test a model",
  description:
    "Asks a model twice, which costs tokens, and says whether it answers, streams, calls tools and counts tokens. Needs the permission catalogue:manage.",
  effect: "write",
  input: z.object({ model: z.string().min(1).describe("As provider/name"), agent }),
  output: listOf(check),
  shell: {
    form: "models test <model>",
    about: "Ask a model twice, and say whether agents can work with it",
    options: { agent: { flags: "--agent <id>" } },
    notes: "Exit code 69 when it does not answer, 1 when it calls no tools. It costs a few tokens.",
    examples: ["models test anthropic/claude-opus-5-5"],
  },
  view: modelChecksView,
  async run({ model, agent: of }, { principal: { tenant }, ports: { models }, signal }) {
    return { items: await models.test(model, { tenant, agent: of, signal }) };
  },
});

export const modelsSubject = defineSubject({
  name: "models",
  errors: {
    model_unavailable: { kind: "unready", means: "The model does not exist, has no key, or does not answer." },
  },
  store: [modelsPort],
  shell: { models: { about: "See which models there are, and test one" } },
  operations: [listModels, testModel],
});
