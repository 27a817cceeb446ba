import { expect, test } from "vitest";
import { isHarmlessContent } from "./harmless-content.ts";

const judge = (path: string, text: string) => isHarmlessContent(path, Buffer.from(text));
const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\nabc=\n-----END CERTIFICATE-----\n";

test.each([
  ["a/.npmrc", "save-exact=true\n; registries\nregistry=https://registry.npmjs.org/\n@acme:registry = https://npm.acme.example/\n"],
  [".yarnrc.yml", "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.1.0.cjs\nplugins:\n  - path: .yarn/plugins/x.cjs\n"],
  ["certs/ca.pem", `# Root\n${certificate}${certificate}`],
  ["cert.pem", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n"],
  [".env", " \n"],
])("%s holds no credential: %j", (path, text) => expect(judge(path, text)).toBe(true));

test.each([
  [".npmrc", "//registry.npmjs.org/:_authToken=x\n"],
  [".npmrc", "save-exact=true\n_auth=abc\n"],
  [".npmrc", "SECRET=canary\n"],
  [".npmrc", "registry=https://me:pw@npm.acme.example/\n"],
  [".npmrc", "tag=my-token-1\n"],
  [".yarnrc.yml", "npmAuthToken: x\n"],
  [".yarnrc.yml", 'npmScopes:\n  acme:\n    npmAuthToken: "x"\n'],
  [".yarnrc.yml", "unknownThing: canary\n"],
  ["a.pem", `${certificate}-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n`],
  ["a.pem", "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----\n"],
  ["a.pem", "canary\n"],
  ["a.pem", `${certificate}${"MIIEpAIBAAKCAQEA7b+x1y2z".repeat(6)}\n`],
  [".env", "A=1\n"],
  ["id_rsa", certificate],
])("%s may hold one: %j", (path, text) => expect(judge(path, text)).toBe(false));
