import { expect, test } from "vitest";
import { planForm } from "../../form/form-plan.ts";
import { withoutSecrets } from "./drafts.ts";

test("a draft keeps everything but what is secret, however deep", () => {
  const secret = { type: "string", writeOnly: true } as const;
  const { schema, ui } = planForm({
    type: "object",
    properties: {
      name: { type: "string" },
      key: secret,
      logins: {
        type: "array",
        items: { type: "object", properties: { user: { type: "string" }, password: { type: "string", format: "password" } } },
      },
      way: { oneOf: [{ type: "object", properties: { kind: { const: "token" }, token: secret } }] },
    },
  });
  const input = { name: "a", key: "k", logins: [{ user: "u", password: "p" }], way: { kind: "token", token: "t" }, other: 1 };
  expect(withoutSecrets(input, schema, ui)).toEqual({ name: "a", logins: [{ user: "u" }], way: { kind: "token" }, other: 1 });
});
