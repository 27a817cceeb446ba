import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auth, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Program } from "../../../../test/oauth-program.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const salary = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "salary",
  description: "Tells a salary to those who may know it.",
  permission: "hr.tenant.tell",
  input: z.object({}),
  output: z.object({ euros: z.int() }),
  run: () => ({ euros: 1 }),
});
`;
const looking = [
  ...["artifact_read", "document_read", "file_list", "file_read", "file_search", "process_list", "process_read", "web_fetch"],
  ...["browser_close", "browser_find", "browser_open", "browser_screenshot", "browser_snapshot", "browser_wait"],
  ...["knowledge_get", "knowledge_list", "knowledge_search", "memory_get", "memory_search"],
];
const changing = ["browser_click", "code_run", "exec", "file_patch", "file_write", "http_request", "knowledge_write", "memory_save"];

describe("what a role or a key lets somebody do", () => {
  let server: ServedHere;
  let tools: string;
  const clients: Client[] = [];
  beforeAll(async () => {
    tools = await mkdtemp(join(tmpdir(), "toolwright-permissions-"));
    await mkdir(join(tools, "tools"));
    await writeFile(join(tools, "tools/salary.tool.ts"), salary);
    server = await serveHere(["--auth", "--tools", join(tools, "tools")]);
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await server.stop();
    await rm(tools, { recursive: true });
  });

  const connect = async (token: string) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    clients.push(client);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    return client;
  };
  const toolsOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort();
  /** A token that a person of the role gave to a program. */
  const tokenOf = async (role: string) => {
    const person = await server.person(`${role}@example.org`, { role });
    const program = new Program();
    const serverUrl = `${server.url}/mcp`;
    await auth(program, { serverUrl });
    const { url } = await person.follow(await person.get(program.asked as URL), server.url);
    const given = { oauth_query: url.search.slice(1), tenant: "default", answer: "allow" };
    const back = new URL((await person.post(`${server.url}/auth/consent`, given)).headers.get("location") ?? "");
    await auth(program, { serverUrl, authorizationCode: back.searchParams.get("code") ?? "", iss: back.searchParams.get("iss") ?? "" });
    return program.saved?.access_token ?? "";
  };

  it.each([
    { role: "viewer", may: looking, mayNot: [...changing, "salary"] },
    { role: "member", may: [...looking, ...changing], mayNot: ["salary"] },
    { role: "owner", may: [...looking, ...changing, "salary"], mayNot: [] },
  ])("a $role has the tools of that role, and the others are not there", async ({ role, may, mayNot }) => {
    const client = await connect(await tokenOf(role));
    const listed = await toolsOf(client);
    expect(listed).toEqual(expect.arrayContaining(may));
    if (role === "viewer") expect(listed).toEqual([...may].sort());
    for (const name of mayNot) {
      expect(listed).not.toContain(name);
      await expect(
        client.callTool({ name, arguments: { command: "id", path: "a", content: "b", url: "https://a.example/" } }),
      ).rejects.toThrow(/no tool/i);
    }
  });

  it.each([
    { name: "no permission", permissions: [], may: ["artifact_read"] },
    { name: "another", permissions: ["nothing.at.all"], may: ["artifact_read"] },
    { name: "one by name", permissions: ["hr.tenant.tell"], may: ["artifact_read", "salary"] },
    { name: "one to look", permissions: ["*.*.read"], may: looking },
  ])("a key with $permissions has those tools and no others", async ({ permissions, may }) => {
    const options = permissions.flatMap((permission) => ["--permission", permission]);
    expect(await toolsOf(await connect(await server.run("keys", "create", "k", ...options)))).toEqual([...may].sort());
  });

  it("whoever gives commands on this machine has what the tools ask for, at once and as a job", async () => {
    const own = ["--tools", join(tools, "tools")];
    expect(JSON.parse(await server.run("call", "salary", "{}", "--json", ...own))).toMatchObject({ output: { euros: 1 } });
    const job = await server.run("jobs", "run", "salary", "--input", "{}", "--wait", "--json", ...own);
    expect(JSON.parse(job)).toMatchObject({ status: "done", output: { euros: 1 } });
  });
});
