import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createEngine, type PolicyOption, parsePolicyDocument } from "@toolwright/engine";
import { execCapability, filesCapability, gitCapability, httpCapability } from "@toolwright/sandbox";
import { loadPolicyFile } from "@toolwright/server/policy-file";
import { builtinPermissions, builtinTools } from "@toolwright/tools";
import { parse } from "yaml";

const file = new URL("./policy.yaml", import.meta.url);
const workspaceOf = () => import.meta.dirname;
const capabilities = [
  filesCapability({ workspaceOf }),
  execCapability({ workspaceOf, drivers: [] }),
  httpCapability(),
  gitCapability({ workspaceOf, drivers: [] }),
];

// #region why
const document = parsePolicyDocument(parse(await readFile(file, "utf8")), "policy.yaml");
const engine = createEngine({
  tools: builtinTools,
  capabilities,
  policy: [{ tier: "platform", document }],
  machine: () => ({ sandbox: { available: true, detail: "example" } }),
});
const scope = engine.scope(
  { tenant: "acme", actor: { kind: "agent", id: "coder" }, permissions: [...builtinPermissions, "catalogue:explain"], door: "mcp" },
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

// #region agents
const { tiers } = await loadPolicyFile("company.yaml", { cwd: import.meta.dirname });
engine.setPolicy(tiers);
const toolsOf = (agent: string) => {
  const principal = { tenant: "acme", actor: { kind: "agent", id: agent }, permissions: builtinPermissions, door: "mcp" } as const;
  return engine
    .scope(principal, { session: "s1" })
    .list()
    .map(({ name }) => name);
};
// #endregion
assert.ok(toolsOf("coder").includes("file_write"));
assert.ok(!toolsOf("coder").includes("web_fetch"));
assert.ok(toolsOf("reviewer").includes("web_fetch"));
assert.ok(!toolsOf("reviewer").includes("file_write"));
// What the included file denies, no agent has.
for (const agent of ["coder", "reviewer", "another"]) assert.ok(!toolsOf(agent).includes("file_delete"));

// #region option
const careful: PolicyOption = { autonomy: "full", ask: ["group:runtime"], deny: ["file_delete"] };
engine.setPolicy(careful);
// #endregion
assert.equal(scope.why("exec", { command: "npm test" }).decision?.effect, "ask");
assert.equal(scope.find("file_delete"), undefined);

await engine.close();
console.log("policy: allowed, asked and denied as the document says.");
