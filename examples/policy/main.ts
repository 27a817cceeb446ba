import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createEngine, parsePolicyDocument } from "@toolwright/engine";
import { builtinTools } from "@toolwright/tools";
import { parse } from "yaml";

const file = new URL("./policy.yaml", import.meta.url);

// #region why
const document = parsePolicyDocument(parse(await readFile(file, "utf8")), "policy.yaml");
const engine = createEngine({
  tools: builtinTools,
  policy: [{ tier: "platform", document }],
  machine: () => ({ sandbox: { available: true, detail: "example" } }),
});
const scope = engine.scope(
  { tenant: "acme", actor: { kind: "agent", id: "coder" }, permissions: ["catalogue:explain"], door: "mcp" },
  { session: "s1" },
);
const why = (command: string) => scope.why("exec", { command });
console.log(why("git push origin main").text);
// #endregion

const effectOf = (command: string) => why(command).decision?.effect;
assert.equal(effectOf("npm test"), "allow");
assert.equal(effectOf("npm publish"), "ask");
assert.equal(effectOf("git push origin main"), "deny");
// A prefix does not carry what follows it.
assert.notEqual(effectOf("npm test && git push origin main"), "allow");
// What is denied whatever the input is not even listed.
assert.equal(scope.find("file_delete"), undefined);

await engine.close();
console.log("policy: allowed, asked and denied as the document says.");
