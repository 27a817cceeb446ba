import { describe, expect, test } from "vitest";
import { type BindingChoice, toSecretBinding } from "./secret-admin.ts";

describe("R-NW-5 a secret is bound", () => {
  test.each<[string, BindingChoice, unknown]>([
    ["to nothing", { hosts: [] }, { origins: [] }],
    [
      "to hosts, each once",
      { hosts: ["a.example", "A.example", "b.example:81"] },
      { origins: ["https://a.example", "https://b.example:81"] },
    ],
    ["with a header", { hosts: ["a.example"], header: "X-Api-Key" }, { origins: ["https://a.example"], header: "x-api-key" }],
    ["with a user", { hosts: ["a.example"], user: "ann" }, { origins: ["https://a.example"], user: "ann" }],
  ])("%s", (_name, choice, binding) => expect(toSecretBinding(choice)).toEqual(binding));

  test.each<[string, BindingChoice, RegExp]>([
    ["to a wildcard", { hosts: ["*.github.com"] }, /cannot be bound to "\*\.github\.com"/],
    ["to plain http", { hosts: ["http://github.com"] }, /plain http only for a loopback/],
    ["to more hosts than anybody reads", { hosts: Array.from({ length: 51 }, (_, index) => `h${index}.example`) }, /at most 50/],
    ["with a header but no host", { hosts: [], header: "x-api-key" }, /at least one host/],
    ["with a header and a user", { hosts: ["a.example"], header: "x-api-key", user: "ann" }, /choose one/],
    ["with a header that is none", { hosts: ["a.example"], header: "x: y" }, /no name of a header/],
    ["with a user name that holds a colon", { hosts: ["a.example"], user: "a:b" }, /colon/],
    ["with an empty user name", { hosts: ["a.example"], user: "" }, /not empty/],
  ])("not %s", (_name, choice, message) => expect(() => toSecretBinding(choice)).toThrow(message));
});
