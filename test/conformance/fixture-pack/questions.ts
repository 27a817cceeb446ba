import type { ConnectedClient } from "@toolwright/doors/mcp";

type Elicitation = Parameters<ConnectedClient["elicit"]>[0];

const text = { type: "string" } as const;

export const asking = (key: string, message: string, properties: Elicitation["schema"]["properties"]): Elicitation => ({
  key,
  message,
  schema: { type: "object", properties, required: Object.keys(properties) },
});

export const userName = asking("user_name", "What is your name?", { name: text });
export const confirmation = asking("confirm", "Please confirm", { ok: { type: "boolean" } });
export const stepOne = asking("step1", "Step 1: What is your name?", { name: text });
export const stepTwo = asking("step2", "Step 2: What is your favorite color?", { color: text });

export const sampling = (key: string, text: string, maxTokens = 100): Parameters<ConnectedClient["sample"]>[0] => ({
  key,
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens,
});
