import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { composeToolwright } from "@toolwright/server";
import { keepCatalogue } from "@toolwright/server/http";
import { withAskedPermissions } from "@toolwright/server/local";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { cliPrincipal } from "../../caller.ts";
import { exitCodes } from "../../exit-code.ts";
import { runProgram } from "../../program.ts";
import { readSettings } from "../../settings.ts";

let cwd: string;
let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase("server");
  cwd = await mkdtemp(join(tmpdir(), "toolwright-catalogue-"));
  await mkdir(join(cwd, "tools"));
  await mkdir(join(cwd, "workspace"));
});
afterEach(async () => {
  await database.cleanup();
  await rm(cwd, { recursive: true, force: true });
});

const makeIo = () =>
  createTestIo(cwd, { env: { DATABASE_URL: database.url, TOOLWRIGHT_TOOLS: "tools" }, readStdin: async () => "# Review\n" });

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const { io, said } = makeIo();
  return { code: await runProgram(argv, io), ...said };
}

const json = async (...argv: string[]) => JSON.parse((await run(...argv, "--json")).out);

test("an agent has what it was made with, what its skills need, and what somebody enabled", async () => {
  expect((await run("agents", "create", "reviewer", "--restricted", "--with", "file_read", "--off", "memory")).code).toBe(exitCodes.done);
  await run("skills", "create", "review", "--file", "-", "--with", "file_search", "not_there");
  const enabled = await json("skills", "enable", "review", "--agent", "reviewer");
  expect(enabled).toMatchObject({
    skills: ["review"],
    tools: [{ tool: "file_read" }, { tool: "file_search", skill: "review" }, { tool: "not_there" }],
  });
  await run("tools", "enable", "exec", "--agent", "reviewer");
  const listed = (await json("list", "--agent", "reviewer")) as readonly { readonly name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(["exec", "file_read", "file_search"]);
  const all = (await json("tools", "list", "--agent", "reviewer")) as readonly Record<string, unknown>[];
  const byName = Object.fromEntries(all.map((entry) => [entry.name, entry]));
  expect(byName.file_search).toMatchObject({ visible: true, state: "visible", enabledBy: ["skill review"] });
  expect(byName.file_write).toMatchObject({ visible: false, state: "hidden (agent enablement)", check: "agent_enablement", enabledBy: [] });
  expect((await run("why", "file_write", "--agent", "reviewer")).out).toContain('It is not enabled for agent "reviewer"');
  await run("skills", "disable", "review", "--agent", "reviewer");
  await run("tools", "disable", "exec", "--agent", "reviewer");
  expect(await json("agents", "show", "reviewer")).toMatchObject({
    restricted: true,
    features: { memory: false },
    skills: [],
    tools: [
      { tool: "exec", enabled: false },
      { tool: "file_read", enabled: true },
    ],
  });
  await run("agents", "create", "writer", "--accepts-agents");
  expect(await json("agents", "create", "boss", "--with", "agent:writer")).toMatchObject({
    tools: [{ tool: "agent_writer", enabled: true }],
  });
  expect((await run("tools", "enable", "agent:nobody", "--agent", "boss")).err).toContain('There is no tool "agent:nobody"');
  expect(await run("tools", "enable", "agent:reviewer", "--agent", "boss")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining('The agent "reviewer" accepts no agents'),
  });
});

test("a name that is not there is answered with the nearest one, and nothing changes", async () => {
  await run("agents", "create", "reviewer");
  expect(await run("tools", "enable", "file_raed", "--agent", "reviewer")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining('Did you mean "file_read"?'),
  });
  expect(await run("tools", "disable", "exec", "--agent", "nobody")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("no agent"),
  });
  expect(await run("agents", "list", "--tenant", "nowhere")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("no tenant"),
  });
  expect(await run("agents", "create", "Reviewer!")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("cannot name an agent"),
  });
});

test("all tools are listed for an agent that is stored, with what enables each also where somebody disabled it", async () => {
  await run("agents", "create", "reviewer", "--with", "exec");
  await run("skills", "create", "review", "--with", "exec");
  await run("skills", "enable", "review", "--agent", "reviewer");
  expect(await json("tools", "enable", "exec", "--agent", "reviewer")).toMatchObject([
    { name: "exec", enabledBy: ["manual", "skill review"] },
  ]);
  await run("tools", "disable", "exec", "--agent", "reviewer");
  expect((await run("tools", "list", "--agent", "reviewer")).out).toMatch(
    /^exec +runtime +hidden \(agent enablement\) +skill review +It is switched off/m,
  );
  expect(await run("tools", "list", "--agent", "reviever")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining('Did you mean "reviewer"?'),
  });
});

test("a skill is made once, changed in what is named, shown, and removed with word of who had it", async () => {
  await run("agents", "create", "reviewer", "--restricted");
  await run("skills", "create", "review", "--title", "A review", "--file", "-", "--with", "file_search");
  expect(await run("skills", "create", "review", "--with", "file_read")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("toolwright skills set review"),
  });
  expect(await json("skills", "set", "review", "--with", "file_read")).toMatchObject({
    title: "A review",
    instructions: "# Review\n",
    tools: ["file_read"],
  });
  expect((await run("skills", "set", "review")).code).toBe(exitCodes.usage);
  await run("skills", "enable", "review", "--agent", "reviewer");
  expect((await run("skills", "show", "review")).out).toBe("review: A review\nTools: file_read. Agents: reviewer.\n\n# Review\n");
  const removed = await run("skills", "remove", "review", "--json");
  expect(JSON.parse(removed.out)).toEqual({ removed: "review", agents: ["reviewer"], tools: ["file_read"] });
  expect(removed.err).toBe("review is gone. reviewer had it, and lost what nothing else enables of file_read.\n");
  expect((await run("skills", "show", "review")).code).toBe(exitCodes.usage);
  expect(await json("list", "--agent", "reviewer")).toEqual([]);
});

test("a server tells at its start which agents lost a tool that was renamed", async () => {
  const write = (name: string) =>
    writeFile(
      join(cwd, "tools", `${name}.tool.ts`),
      `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({ name: "${name}", description: "Fetches.", input: z.object({}), output: z.object({}), run: () => ({}) });\n`,
    );
  const start = async () => {
    const { io, said } = makeIo();
    const toolwright = await composeToolwright(readSettings({}, io), io, { callsNothing: true });
    expect(toolwright.loaded?.problems).toEqual([]);
    const kept = await keepCatalogue(toolwright, io);
    await kept.stop();
    await toolwright.close();
    return said.err;
  };
  await write("fetch");
  expect(await start()).toBe("");
  await run("agents", "create", "reviewer", "--with", "fetch");
  await rm(join(cwd, "tools", "fetch.tool.ts"));
  await write("get_page");
  const told = await start();
  expect(told).toContain('Tool "fetch" is gone. "get_page" has the same definition');
  expect(told).toContain('Agent "reviewer" of tenant "default" had it since it was made.');
  expect((await json("agents", "show", "reviewer")).tools).toEqual([]);
  await rm(join(cwd, "tools", "get_page.tool.ts"));
  expect(await json("tools", "sync")).toMatchObject({ removed: [{ tool: "get_page", lost: [] }], held: [] });
});

test("each conversation of an agent has files of its own where that is wanted, and they go with the agent", async () => {
  const env = { DATABASE_URL: database.url, TOOLWRIGHT_WORKSPACE_PER: "conversation" };
  await run("agents", "create", "reviewer");
  const { io } = createTestIo(cwd, { env });
  const toolwright = await composeToolwright(readSettings({}, io), io);
  const call = async (tool: string, input: object, at: { readonly agent?: string; readonly session: string }) => {
    const { session, ...agent } = at;
    return (
      await toolwright.engine
        .scope(withAskedPermissions(toolwright.engine, { ...cliPrincipal(io), ...agent }), { session })
        .invokeNamed(tool, input)
    ).status;
  };
  const notes = { path: "notes.md" };
  const statuses = [
    await call("file_write", { ...notes, content: "mine" }, { agent: "reviewer", session: "s1" }),
    await call("file_read", notes, { agent: "reviewer", session: "s1" }),
    await call("file_read", notes, { agent: "reviewer", session: "s2" }),
    await call("file_read", { path: "../s1/notes.md" }, { agent: "reviewer", session: "s2" }),
    await call("file_read", { path: "reviewer/conversations/s1/notes.md" }, { session: "s1" }),
  ];
  await toolwright.close();
  expect(statuses).toEqual(["done", "done", "failed", "denied", "done"]);
  // Where the command that deletes it is told nothing of that, and of another workspace.
  const mine = join(cwd, "mine/reviewer/conversations");
  await mkdir(mine, { recursive: true });
  const elsewhere = { DATABASE_URL: database.url, TOOLWRIGHT_WORKSPACE: join(cwd, "mine") };
  const removed = await runIn(cwd, ["agents", "delete", "reviewer", "--yes"], { env: elsewhere });
  expect(removed.err).toContain(`${mine} stays`);
  const conversations = join(cwd, "workspace/reviewer/conversations");
  expect(removed.out).toBe(`Deleted the agent reviewer with nothing else, and 2 conversations in ${conversations}.\n`);
  expect(await readdir(join(cwd, "workspace"))).toEqual([]);
});

test("an agent is told what it is, and shows it", async () => {
  const made = ["--instructions", "-", "--model", "openai/gpt-5", "--steps", "20"];
  await run("agents", "create", "reviewer", ...made);
  const settings = { instructions: "# Review\n", model: "openai/gpt-5", limits: { steps: 20 } };
  expect(await json("agents", "show", "reviewer")).toMatchObject(settings);
  expect((await run("agents", "show", "reviewer")).out).toContain("Model: openai/gpt-5. Limits: steps 20.\n\n# Review\n");
  const [listed] = await json("agents", "list");
  expect(listed).toMatchObject(settings);
  await run("agents", "set", "reviewer", "--model", "", "--steps", "");
  const { model, limits, instructions } = await json("agents", "show", "reviewer");
  expect([model, limits, instructions]).toEqual([undefined, undefined, "# Review\n"]);
  for (const [option, value, words] of [
    ["--steps", "many", "is not a number"],
    ["--model", "gpt", "provider/name"],
    ["--instructions", "not-there.md", "cannot be read"],
  ] as const)
    expect(await run("agents", "set", "reviewer", option, value)).toMatchObject({
      code: exitCodes.usage,
      err: expect.stringContaining(words),
    });
});

test("a document of agents creates and changes them, narrows their tools in the policy, and removes none", async () => {
  const apply = (text: string, ...rest: string[]) =>
    writeFile(join(cwd, "agents.yaml"), text).then(() => run("agents", "apply", "agents.yaml", ...rest));
  const first =
    "agents:\n  - id: my-agent\n    tools:\n      allow:\n        - web_search\n        - file_read\n      deny:\n        - file_delete # Never\n";
  await run("agents", "create", "stays");
  expect((await apply(first, "--dry-run")).out).toBe("my-agent: created\npolicy of the tenant: tools of my-agent\nNothing was written.\n");
  expect((await json("agents", "list")).map(({ agent }: { agent: string }) => agent)).toEqual(["stays"]);
  expect((await apply(first)).out).toBe("my-agent: created\npolicy of the tenant: tools of my-agent, at revision 1\n");
  expect((await json("list", "--agent", "my-agent")).map(({ name }: { name: string }) => name)).toEqual(["file_read"]);
  const second = `${first}    instructions: Be short.\n    limits: { steps: 3 }\n    features: { memory: false }\n`;
  expect((await apply(second)).out).toBe("my-agent: changed (instructions, limits, features)\n");
  const again = await apply(second, "--json");
  expect(JSON.parse(again.out)).toEqual({
    dryRun: false,
    agents: [{ agent: "my-agent", change: "same", members: [] }],
    policy: { agents: [] },
  });
  const [mine, stays] = await json("agents", "list");
  expect(mine).toMatchObject({ agent: "my-agent", instructions: "Be short.", limits: { steps: 3 }, features: { memory: false } });
  expect(stays.agent).toBe("stays");
});

test("a document of agents says which skills, groups and tools of the tenant they have", async () => {
  const quote =
    "{ name: quote, description: Makes a quote., inputSchema: { type: object, properties: {}, additionalProperties: false }, outputSchema: { type: object, properties: {}, additionalProperties: false } }";
  const agents = "id: helper, acceptsAgents: true, tools: { allow: [group:git, quote, shell_exec] }";
  await writeFile(join(cwd, "quote.yaml"), quote);
  await run("tools", "add", "quote.yaml");
  for (const skill of ["letters", "review"]) await run("skills", "create", skill);
  const apply = async (skills: string) => {
    await writeFile(join(cwd, "agents.yaml"), `agents: [{ ${agents}, skills: ${skills} }]`);
    return run("agents", "apply", "agents.yaml");
  };
  expect(await apply("[leters]")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('Did you mean "letters"?') });
  expect(await json("agents", "list")).toEqual([]);
  const made = await apply("[review, letters]");
  expect(made.err).toBe("There is no tool or group shell_exec now; what names it has no effect yet.\n");
  expect(await json("agents", "show", "helper")).toMatchObject({ acceptsAgents: true, skills: ["letters", "review"] });
  expect((await json("list", "--agent", "helper")).map(({ name }: { name: string }) => name)).toEqual(["git_clone", "quote"]);
  expect((await apply("[letters, review]")).out).toBe("helper: as it was\n");
  expect((await apply("[review]")).out).toBe("helper: changed (skills)\n");
  expect(await json("agents", "show", "helper")).toMatchObject({ skills: ["review"] });
  await writeFile(join(cwd, "agents.yaml"), "agents: [{ id: helper, accepts_agents: true }]");
  expect((await run("agents", "apply", "agents.yaml")).err).toContain('did you mean "acceptsAgents"?');
});

test("a document of agents that is wrong is refused with each place, and nothing is written", async () => {
  const text = "agents:\n  - id: Bad Name\n    instrutions: x\n  - id: two\n    limits: { steps: 0, stps: 1 }\n";
  await writeFile(join(cwd, "agents.yaml"), text);
  const refused = await run("agents", "apply", "agents.yaml");
  expect(refused.code).toBe(exitCodes.usage);
  expect(refused.err).toContain('agents.yaml:3:5: agents[0].instrutions is not a member (did you mean "instructions"?)');
  expect(refused.err).toMatch(/agents\.yaml:5:15: agents\[1\]\.limits\.steps: 0 is too small/);
  expect(refused.err).toContain('agents.yaml:5:25: agents[1].limits.stps is not a member (did you mean "steps"?)');
  await writeFile(join(cwd, "agents.yaml"), "agents:\n  - id: Bad Name\n    model: gpt\n  - id: two\n  - id: two\n");
  const { err } = await run("agents", "apply", "agents.yaml");
  expect(err).toContain("agents.yaml:2:5");
  expect(err).toContain("agents.yaml:3:5");
  expect(err).toContain('agents.yaml:5:5: agents[2]: the agent "two" is already');
  expect(await json("agents", "list")).toEqual([]);
});
