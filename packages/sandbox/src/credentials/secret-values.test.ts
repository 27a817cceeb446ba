import { expect, test } from "vitest";
import { secretsInConfiguration, secretValues } from "./secret-values.ts";

test.each([
  ["API_TOKEN=sk-live-1234abcd", ["sk-live-1234abcd"]],
  ["export DB_PASSWORD='p4ss word'", []],
  ['PASSWORD: "hunter22-x9" # mine', ["hunter22-x9"]],
  ["DATABASE_URL=postgres://me:s3cretpw@db.example/app", ["s3cretpw"]],
  ["//registry.npmjs.org/:_authToken=npm_A1b2C3d4E5", ["npm_A1b2C3d4E5"]],
  ["machine h.example login me password k7Qz2Wx9Vb4N", ["k7Qz2Wx9Vb4N"]],
  ["https://me:ghp_a1B2c3D4e5@host.example", ["ghp_a1B2c3D4e5"]],
  ['  "client_secret": "a1b2c3d4e5f6",', ["a1b2c3d4e5f6"]],
  ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", ["wJalrXUtnFEMI/K7MDENG"]],
  ["MIIEpAIBAAKCAQEA7b+x1y2z", ["MIIEpAIBAAKCAQEA7b+x1y2z"]],
])("finds what is secret in %j", (line, values) => expect(secretValues(line)).toEqual(values));

test.each([
  "NODE_ENV=development",
  "API_URL=http://localhost:3000/api/v1",
  "registry=https://registry.npmjs.org/",
  "APP_NAME=my-application",
  "LOG_LEVEL=information",
  "PORT=30000000",
  "DATA_DIR=/var/lib/application",
  "DATABASE_URL=postgres://postgres:postgres@localhost/test",
  "# SECRET=k7Qz2Wx9Vb4N",
  "HOST=api2.internal.example",
  "EMPTY=",
])("leaves ordinary words in %j alone, which stand in every output", (line) => expect(secretValues(line)).toEqual([]));

test("keeps to a bound", () => {
  const many = Array.from({ length: 500 }, (_, index) => `KEY_${index}=value${index}abcdef12`).join("\n");
  expect(secretValues(many).length).toBe(64);
});

test.each([
  ["url = https://me:tok3n-abc@host.example/a.git", ["tok3n-abc"]],
  ["url = https://ghp_abcdefgh1234@github.com/a/b", ["ghp_abcdefgh1234"]],
  ["url = https://x-access-token:ghs_abc123@github.com/a/b", ["ghs_abc123"]],
  ["url = https://abcdef1234567890:x-oauth-basic@github.com/a/b", ["abcdef1234567890"]],
  ["url = https://me:p%40ss1@host.example/a", ["p%40ss1", "p@ss1"]],
  ["extraheader = AUTHORIZATION: basic eC1hY2Nlc3M6Z2hz", ["AUTHORIZATION:", "eC1hY2Nlc3M6Z2hz"]],
  ["url = https://organisation@dev.azure.com/organisation/p/_git/r", []],
  ["url = git@github.com:a/b.git", []],
  ["url = https://oauth2@gitlab.example/a", []],
])("finds the token in %j", (line, values) => expect(secretsInConfiguration(line)).toEqual(values));
