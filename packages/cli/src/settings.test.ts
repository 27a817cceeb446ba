import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./settings.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-settings-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const read = (options = {}, env: Record<string, string> = {}) =>
  readSettings(options, { cwd, env: { HOME: join(cwd, "../home-of-nobody"), ...env } });

test("without options: ./workspace, ./tools, the default policy, the state folder of the user", () => {
  expect(read()).toEqual({
    workspace: join(cwd, "workspace"),
    tenantWorkspaces: join(cwd, "workspace.tenants"),
    workspacePer: "tenant",
    model: {},
    tools: join(cwd, "tools"),
    toolsNamed: false,
    policyFile: undefined,
    policyPlaces: ["policy.yaml", "policy.yml", "policy.json"].map((name) => join(cwd, "../home-of-nobody/.config/toolwright", name)),
    state: join(cwd, "../home-of-nobody/.local/state/toolwright"),
    cache: join(cwd, "../home-of-nobody/.cache/toolwright"),
    keep: {},
    openEmbedder: expect.any(Function),
    memoryEmbedder: expect.any(Function),
    artifactQuotas: {},
  });
});

test("a database URL that is none is refused, and never repeated: it may hold a password", () => {
  expect(read({}, { DATABASE_URL: "postgres://u:p@db/tools" }).databaseUrl).toBe("postgres://u:p@db/tools");
  for (const wrong of ["mysql://u:hunter2@db/tools", "hunter2", "postgres://u:hunter2@:x/"])
    expect(() => read({}, { DATABASE_URL: wrong })).toThrow(/^(?!.*hunter2).*DATABASE_URL is not the URL/);
});

test("with the current folder as workspace there are no tools of one's own, unless they are named", () => {
  expect(read({ workspace: "." }).tools).toBeUndefined();
});

test("an option wins over the environment, and that over the default", () => {
  expect(read({}, { TOOLWRIGHT_WORKSPACE: "other" }).workspace).toBe(join(cwd, "other"));
  expect(read({ workspace: "mine" }, { TOOLWRIGHT_WORKSPACE: "other" }).workspace).toBe(join(cwd, "mine"));
});

test.each([
  "TOOLWRIGHT_WORKSPACE",
  "TOOLWRIGHT_TOOLS",
  "TOOLWRIGHT_POLICY",
  "TOOLWRIGHT_STATE",
  "TOOLWRIGHT_TENANT_WORKSPACES",
  "DATABASE_URL",
])(
  "R-AP-6: an empty %s, as a compose file makes it of a variable that is not set, is as good as none and not the current folder",
  (name) => {
    expect(read({}, { [name]: "" })).toEqual(read());
  },
);

test.each(["workspace", "tools", "policy"])("R-AP-6: an empty --%s is refused, whatever the environment names", (option) => {
  expect(() => read({ [option]: "" }, { TOOLWRIGHT_WORKSPACE: "other" })).toThrow(`--${option} is empty. Name a`);
});

test("R-AP-13: a folder of tools is named by an option or a variable, and else only looked for", () => {
  expect(read({ tools: "tools" }).toolsNamed).toBe(true);
  expect(read({}, { TOOLWRIGHT_TOOLS: "tools" }).toolsNamed).toBe(true);
  expect(read({}, { TOOLWRIGHT_TOOLS: "" }).toolsNamed).toBe(false);
});

test("R-AP-13: a workspace in the folder of tools is refused, since a run could write a tool there", () => {
  for (const workspace of ["tools/workspace", "tools"])
    expect(() => read({ tools: "tools", workspace })).toThrow(/lies in the (folder of tools|workspace)/);
  expect(() => read({ tools: "." })).toThrow(/The workspace .* lies in the folder of tools/);
  expect(() => read({ tools: "tools" }, { TOOLWRIGHT_TENANT_WORKSPACES: "tools/all" })).toThrow(/lies in the folder of tools/);
});

test("R-AP-8: no folder of the user's own is looked for in the current folder, where HOME is empty or a folder of XDG is relative", () => {
  const names = ["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"];
  for (const given of ["", "here"]) {
    const found = read({}, Object.fromEntries(names.map((name) => [name, given])));
    for (const path of [found.state, found.cache, ...(found.policyPlaces ?? [found.policyFile])])
      expect(relative(userInfo().homedir, path ?? "")).toMatch(/^\.\w/);
  }
});

test("R-AP-8: a policy in the current folder or the workspace is not read", async () => {
  await mkdir(join(cwd, "workspace"));
  for (const name of ["policy.yaml", "toolwright.policy.yaml", "workspace/policy.yaml"])
    await writeFile(join(cwd, name), "version: 1\nautonomy: full\n");
  expect(read().policyFile).toBeUndefined();
});

test("the policy of the user's configuration folder is read", async () => {
  const folder = join(cwd, "home/.config/toolwright");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "policy.yaml"), "version: 1\n");
  expect(read({}, { HOME: join(cwd, "home") }).policyFile).toBe(join(folder, "policy.yaml"));
});

test("a policy that was named is looked for nowhere else", async () => {
  await writeFile(join(cwd, "mine.yaml"), "version: 1\n");
  expect(read({ policy: "mine.yaml" })).not.toHaveProperty("policyPlaces");
});

test.each(["0", "-1", "x", "1.5", "99999"])("what is over cannot be kept for %s days", (days) => {
  expect(() => read({}, { TOOLWRIGHT_KEEP_DAYS: days })).toThrow(/TOOLWRIGHT_KEEP_DAYS is ".*"\. Set it to a number of days/);
});

test("what is over is kept for the days that are set", () => {
  expect(read({}).keep).toEqual({});
  const days = { TOOLWRIGHT_KEEP_DAYS: "7", TOOLWRIGHT_KEEP_LOG_DAYS: "90", TOOLWRIGHT_KEEP_ARTIFACTS_DAYS: "" };
  expect(read({}, days).keep).toEqual({ overMs: 7 * 24 * 3_600_000, logMs: 90 * 24 * 3_600_000 });
});

test("connections to the database server are a number that is checked", () => {
  expect(read({})).not.toHaveProperty("connections");
  expect(read({}, { TOOLWRIGHT_CONNECTIONS: "4" }).connections).toBe(4);
  for (const wrong of ["1", "0", "-3", "many", "2.5", "1000"])
    expect(() => read({}, { TOOLWRIGHT_CONNECTIONS: wrong })).toThrow(/TOOLWRIGHT_CONNECTIONS is ".*"\. Set it to a number from 2 to 999/);
});

test("tools are searched by meaning here unless that is switched off, and no other word is taken", () => {
  for (const given of [undefined, "", "local"])
    expect(read({}, given === undefined ? {} : { TOOLWRIGHT_EMBEDDER: given }).openEmbedder).toBeTypeOf("function");
  expect(read({}, { TOOLWRIGHT_EMBEDDER: "none" })).not.toHaveProperty("openEmbedder");
  expect(() => read({}, { TOOLWRIGHT_EMBEDDER: "openai" })).toThrow('TOOLWRIGHT_EMBEDDER is "openai". Set it to local or to none');
});

test("memories are found by meaning here, documents by words, and both by a server of embeddings where one is named", () => {
  expect(read({}).memoryEmbedder).toBeTypeOf("function");
  expect(read({})).not.toHaveProperty("knowledgeEmbedder");
  expect(read({}, { TOOLWRIGHT_MEMORY_EMBEDDER: "none" })).not.toHaveProperty("memoryEmbedder");
  const named = { TOOLWRIGHT_EMBEDDINGS_URL: "http://127.0.0.1:11434/v1", TOOLWRIGHT_EMBEDDINGS_MODEL: "nomic" };
  const both = read({}, { TOOLWRIGHT_MEMORY_EMBEDDER: "openai", TOOLWRIGHT_KNOWLEDGE_EMBEDDER: "openai", ...named });
  expect(both.memoryEmbedder).toBe(both.knowledgeEmbedder);
  const wrong = { TOOLWRIGHT_KNOWLEDGE_EMBEDDER: "cohere" };
  expect(() => read({}, wrong)).toThrow(
    'TOOLWRIGHT_KNOWLEDGE_EMBEDDER is "cohere". Set it to local, openai or to none, or leave it out for none.',
  );
  const without = (name: string) => ({ ...named, TOOLWRIGHT_MEMORY_EMBEDDER: "openai", [name]: "" });
  expect(() => read({}, without("TOOLWRIGHT_EMBEDDINGS_URL"))).toThrow('TOOLWRIGHT_EMBEDDINGS_URL is "". Write the address');
  expect(() => read({}, without("TOOLWRIGHT_EMBEDDINGS_MODEL"))).toThrow("TOOLWRIGHT_EMBEDDINGS_MODEL is not set");
});

test("a policy file that is not there is an error, never the default", () => {
  expect(() => read({ policy: "gone.yaml" })).toThrow(/There is no policy file .*gone\.yaml/);
});

test.each<[string, () => Promise<[options: object, env?: Record<string, string>]>]>([
  ["tools in the workspace", async () => [{ workspace: ".", tools: "tools" }]],
  [
    "./tools that are there, in the current folder as workspace",
    async () => {
      await mkdir(join(cwd, "tools"));
      return [{ workspace: "." }];
    },
  ],
  ["the workspace as tools", async () => [{ workspace: "both", tools: "both" }]],
  [
    "tools in the workspace behind a link",
    async () => {
      await mkdir(join(cwd, "real/tools"), { recursive: true });
      await symlink(join(cwd, "real"), join(cwd, "linked"));
      return [{ workspace: "linked", tools: "real/tools" }];
    },
  ],
  [
    "the policy in the workspace",
    async () => {
      await mkdir(join(cwd, "w"));
      await writeFile(join(cwd, "w/p.yaml"), "version: 1\n");
      return [{ workspace: "w", policy: "w/p.yaml" }];
    },
  ],
  ["the state in the workspace", async () => [{ workspace: "w" }, { TOOLWRIGHT_STATE: "w/state" }]],
  ["tools in a workspace of another tenant", async () => [{ tools: "workspace.tenants/acme" }]],
  ["the whole disk as workspace", async () => [{ workspace: "/" }]],
])("R-AP-6 R-AP-8: %s is refused, with what to do", async (_, prepare) => {
  const [options, env = {}] = await prepare();
  const there = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, join(cwd, path)]));
  expect(() => read(options, there)).toThrow(/lies in the workspace .* Choose another --workspace/);
});

test("a workspace beside the tools, with a like name, is fine", () => {
  expect(read({ workspace: "tool", tools: "tools" }).tools).toBe(join(cwd, "tools"));
});

test.each([
  ["workspaces of other tenants in the workspace", {}, "workspace/tenants"],
  ["the workspace itself for those of other tenants", {}, "workspace"],
  ["the workspace among those of other tenants", { workspace: "all/default" }, "all"],
])("R-TN-3: %s are refused", (_, options, folder) => {
  expect(() => read(options, { TOOLWRIGHT_TENANT_WORKSPACES: folder })).toThrow(/lie in one another.*TOOLWRIGHT_TENANT_WORKSPACES/);
});

test("each conversation of an agent has a workspace where that is wanted, and a wrong word says which there are", () => {
  expect(read({}, { TOOLWRIGHT_WORKSPACE_PER: "conversation" }).workspacePer).toBe("conversation");
  for (const given of ["", "tenant"]) expect(read({}, { TOOLWRIGHT_WORKSPACE_PER: given }).workspacePer).toBe("tenant");
  expect(() => read({}, { TOOLWRIGHT_WORKSPACE_PER: "agent" })).toThrow(
    'TOOLWRIGHT_WORKSPACE_PER is "agent". Set it to tenant or to conversation, or leave it out for tenant.',
  );
});

test("the workspaces of other tenants are where they are told to be", () => {
  expect(read({}, { TOOLWRIGHT_TENANT_WORKSPACES: "theirs" }).tenantWorkspaces).toBe(join(cwd, "theirs"));
  expect(read({ workspace: "mine" }).tenantWorkspaces).toBe(join(cwd, "mine.tenants"));
});

test("keys of hosted models are the operator's, for the tenant default alone, under the names of their secrets", () => {
  const { model } = read({}, { OPENAI_API_KEY: "sk-1", AWS_REGION: "eu-west-1", ANTHROPIC_API_KEY: "" });
  const keys = new Map([
    ["openai_api_key", "sk-1"],
    ["aws_region", "eu-west-1"],
  ]);
  expect(model).toEqual({ operator: { tenant: "default", keys } });
  expect(read().model).toEqual({});
});
