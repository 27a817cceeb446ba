import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { mcpClients } from "../../client-config/mcp-clients.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-install-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = (...parts: string[]) => join(root, ...parts);
const text = (...parts: string[]) => readFileSync(path(...parts), "utf8");
const put = (file: string, words: string) => {
  mkdirSync(dirname(path(file)), { recursive: true });
  writeFileSync(path(file), words);
};
const run = (...argv: string[]) => runIn(root, argv);
const files = () => (readdirSync(root, { recursive: true }) as string[]).filter((name) => statSync(path(name)).isFile()).sort();

const userFiles = {
  codex: "home/.codex/config.toml",
  claude: "home/.claude.json",
  gemini: "home/.gemini/settings.json",
  opencode: "home/.config/opencode/opencode.json",
  cursor: "home/.cursor/mcp.json",
  ...(process.platform === "linux" && { vscode: "home/.config/Code/User/mcp.json" }),
};
const projectFiles = {
  codex: ".codex/config.toml",
  claude: ".mcp.json",
  gemini: ".gemini/settings.json",
  opencode: "opencode.json",
  cursor: ".cursor/mcp.json",
  vscode: ".vscode/mcp.json",
};

describe.each([
  ["user", userFiles],
  ["project", projectFiles],
])("for the %s", (scope, places) => {
  test.each(Object.entries(places))("%s gets its entry in its own file, and loses it again", async (client, file) => {
    const { code, out, err } = await run("install", client, "--scope", scope, "--yes");
    expect({ code, out }).toEqual({ code: 0, out: `Wrote ${path(file)}.\n` });
    expect(err).toContain("+ ");
    expect(text(file)).toContain(path("workspace"));
    expect(text(file)).toContain("bin/toolwright.js");
    expect((await run("install", client, "--scope", scope, "--yes")).out).toContain("connected already");
    expect((await run("uninstall", client, "--yes")).code).toBe(0);
    expect(existsSync(path(file))).toBe(false);
    expect(files().filter((name) => !name.includes("compiled"))).toEqual([]);
  });
});

test.each([
  ["claude", "claude-code", ".claude/settings.json", "PreToolUse"],
  ["codex", "codex", ".codex/hooks.json", "PreToolUse"],
  ["gemini", "gemini", ".gemini/settings.json", "BeforeTool"],
  ["cursor", "cursor", ".cursor/hooks.json", "beforeShellExecution"],
])("%s gets its hooks once with --hooks, beside those of others, and loses ours again", async (client, agent, file, event) => {
  const others = `{\n  // mine\n  "hooks": { "${event}": [{ "command": "./mine hook ${agent}" }] }\n}\n`;
  put(`home/${file}`, others);
  expect((await run("install", client, "--hooks", "--print")).code).toBe(0);
  expect(text(`home/${file}`)).toBe(others);
  expect((await run("install", client, "--hooks", "--yes")).code).toBe(0);
  const once = text(`home/${file}`);
  expect(once.match(new RegExp(`"${event}": `, "g"))).toHaveLength(1);
  expect(once).toMatch(new RegExp(`toolwright.js hook ${agent}"`));
  await run("install", agent, "--hooks", "--yes");
  expect(text(`home/${file}`)).toBe(once);
  expect((await run("uninstall", client, "--yes")).code).toBe(0);
  expect(text(`home/${file}`)).toContain("// mine");
  expect(text(`home/${file}`)).toContain("./mine hook");
  expect(text(`home/${file}`)).not.toContain("toolwright.js hook");
});

test("a client whose hooks nobody answers is refused with --hooks, and nothing is written", async () => {
  const { code, err } = await run("install", "vscode", "--hooks", "--yes");
  expect([code, files()]).toEqual([2, []]);
  expect(err).toContain("VS Code");
});

test("every client declares files for both scopes", () => {
  expect(mcpClients.map(({ name }) => name)).toEqual(Object.keys(projectFiles));
});

const codexFile = "home/.codex/config.toml";
const mine = '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x" # keep\n';

test("Codex waits for the server, and for calls that take minutes", async () => {
  put(codexFile, mine);
  await run("install", "codex", "--yes");
  expect(text(codexFile).startsWith(mine)).toBe(true);
  expect(text(codexFile)).toMatch(
    /\[mcp_servers\.toolwright\]\n(.*\n)*required = true\nstartup_timeout_sec = 60\ntool_timeout_sec = 600\n/,
  );
});

test("the file that was there is kept and comes back byte for byte, with its rights", async () => {
  put(codexFile, mine);
  const { mode } = statSync(path(codexFile));
  const { out } = await run("install", "codex", "--yes");
  const copy = /as it was: (\S+)/.exec(out)?.[1] ?? "";
  expect(readFileSync(copy, "utf8")).toBe(mine);
  expect(statSync(copy).mode & 0o077).toBe(0);
  expect(statSync(path(codexFile)).mode).toBe(mode);
  await run("uninstall", "codex", "--yes");
  expect(text(codexFile)).toBe(mine);
});

test("what changed since the installation stays when it is taken back", async () => {
  put(codexFile, mine);
  await run("install", "codex", "--yes");
  writeFileSync(path(codexFile), `${text(codexFile)}\n# later\n[later]\na = 1\n`);
  await run("uninstall", "codex", "--yes");
  expect(text(codexFile)).toBe(`${mine}\n\n# later\n[later]\na = 1\n`);
});

test("a second installation goes back to what was before the first", async () => {
  put(codexFile, mine);
  await run("install", "codex", "--yes");
  await run("install", "codex", "--yes", "--workspace", "elsewhere");
  expect(text(codexFile)).toContain(path("elsewhere"));
  expect(text(codexFile).match(/\[mcp_servers\.toolwright\]/g)).toHaveLength(1);
  await run("uninstall", "codex", "--yes");
  expect(text(codexFile)).toBe(mine);
});

test("what a client wrote between two installations stays, and the first entry does not come back", async () => {
  put("home/.claude.json", '{\n  "numStartups": 1\n}\n');
  await run("install", "claude", "--yes");
  writeFileSync(path("home/.claude.json"), text("home/.claude.json").replace("1", "2"));
  await run("install", "claude", "--yes", "--workspace", "elsewhere");
  await run("uninstall", "claude", "--yes");
  expect(text("home/.claude.json")).toBe('{\n  "numStartups": 2\n}\n');
});

test("a file that toolwright made and its client wrote since is not removed", async () => {
  await run("install", "claude", "--yes");
  writeFileSync(path("home/.claude.json"), text("home/.claude.json").replace("{", '{\n  "numStartups": 2,'));
  await run("install", "claude", "--yes", "--workspace", "elsewhere");
  await run("uninstall", "claude", "--yes");
  expect(JSON.parse(text("home/.claude.json"))).toEqual({ numStartups: 2 });
});

test("an entry of that name that somebody wrote by hand comes back", async () => {
  const before = '{\n  "mcpServers": {\n    "toolwright": { "command": "by hand" }\n  }\n}\n';
  put("home/.cursor/mcp.json", before);
  await run("install", "cursor", "--yes");
  writeFileSync(path("home/.cursor/mcp.json"), text("home/.cursor/mcp.json").replace("{", '{\n  "added": 1,'));
  await run("uninstall", "cursor", "--yes");
  expect(JSON.parse(text("home/.cursor/mcp.json"))).toEqual({ added: 1, mcpServers: { toolwright: { command: "by hand" } } });
});

test("uninstall leaves an entry alone that install did not write", async () => {
  const before = '{"mcpServers": {"toolwright": {"url": "http://127.0.0.1:1/mcp"}}}';
  put("home/.cursor/mcp.json", before);
  const { code, err } = await run("uninstall", "cursor", "--yes");
  expect(code).toBe(2);
  expect(err).toMatch(/install cursor has written nothing here/);
  expect(text("home/.cursor/mcp.json")).toBe(before);
});

describe("nothing is written", () => {
  test("with --print, which shows the lines", async () => {
    put(codexFile, mine);
    const { code, out } = await run("install", "codex", "--print");
    expect(code).toBe(0);
    expect(out).toMatch(/config\.toml, line 6:\n\+ \n\+ \[mcp_servers\.toolwright\]/);
    expect(out).not.toContain("mine");
    expect(text(codexFile)).toBe(mine);
    expect(files()).toEqual([codexFile]);
  });

  test("where nobody can be asked", async () => {
    const { code, err } = await run("install", "codex");
    expect(code).toBe(2);
    expect(err).toMatch(/\+ \[mcp_servers\.toolwright\][\s\S]*Nothing was written.*--yes.*--print/);
    expect(files()).toEqual([]);
  });

  test.each(["n", "", undefined])("when the person answers %j", async (answer) => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const { code, err } = await runIn(root, ["install", "codex"], { isInteractive: true, ask });
    expect({ code, asked }).toEqual({ code: 5, asked: ["Write this for Codex? [y/N] "] });
    expect(err).toContain("Nothing was written.");
    expect(files()).toEqual([]);
  });

  test.each([
    [codexFile, "codex", "[mcp_servers\n"],
    ["home/.gemini/settings.json", "gemini", '{"mcpServers": {'],
    ["home/.claude.json", "claude", '{"mcpServers": []}'],
    ["home/.cursor/mcp.json", "cursor", "\u0000"],
  ])("to a broken %s", async (file, client, broken) => {
    put(file, broken);
    const { code, err } = await run("install", client, "--yes");
    expect(code).toBe(2);
    expect(err).toContain(path(file));
    expect(err).toContain("Nothing was written");
    expect(text(file)).toBe(broken);
    expect(files()).toEqual([file]);
  });

  test.each<[string[], RegExp]>([
    [["install", "codx", "--yes"], /no client "codx"; did you mean codex\? Name one of: codex, claude/],
    [["install", "codex", "--scope", "global"], /--scope is "global"\. Use user or project\./],
    [["install", "codex", "--url", "x", "--stdio"], /exclude each other/],
    [["install", "codex", "--url", "127.0.0.1:7777"], /no http or https address/],
    [["install", "codex", "--url", "http://a:b@127.0.0.1/mcp"], /for everybody to read/],
    [["install", "codex", "--url", "http://127.0.0.1/mcp?token=x"], /for everybody to read/],
    [["install", "codex", "--token-env", "sk-12$"], /name of a variable/],
  ])("by %j", async (argv, words) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(files()).toEqual([]);
  });
});

test("nothing is written where the copy cannot be kept, and nothing is recorded where the file cannot be written", async () => {
  put(codexFile, mine);
  put("taken", "");
  const env = { TOOLWRIGHT_STATE: path("taken/state") };
  const { code, err } = await runIn(root, ["install", "codex", "--yes"], { env });
  expect(code).toBe(69);
  expect(err).toMatch(/No copy could be kept in .*taken\/state: .*Nothing was written/);
  expect(text(codexFile)).toBe(mine);
  put("home/.gemini", "");
  expect((await run("install", "gemini", "--yes")).err).toMatch(/settings\.json could not be written: .*Nothing changed there\./);
  expect((await run("uninstall", "gemini", "--yes")).err).toContain("has written nothing here");
});

test("what is no file is not read", async () => {
  mkdirSync(path("home/.cursor/mcp.json"), { recursive: true });
  const { code, err } = await run("install", "cursor", "--yes");
  expect({ code, err }).toEqual({
    code: 2,
    err: `${path("home/.cursor/mcp.json")} cannot be read: it is not a file. Nothing was written.\n`,
  });
});

test("a link to a configuration stays a link, and its file is edited", async () => {
  put("dotfiles/codex.toml", mine);
  mkdirSync(path("home/.codex"), { recursive: true });
  symlinkSync(path("dotfiles/codex.toml"), path(codexFile));
  await run("install", "codex", "--yes");
  expect(text("dotfiles/codex.toml")).toContain("[mcp_servers.toolwright]");
  await run("uninstall", "codex", "--yes");
  expect(text("dotfiles/codex.toml")).toBe(mine);
  expect(statSync(path(codexFile)).isFile()).toBe(true);
});

test("a process that the client starts uses the same store, and secrets are named, not written", async () => {
  const env = { DATABASE_URL: "postgres://me:hunter2@127.0.0.1/x", TOOLWRIGHT_STATE: "kept", TOOLWRIGHT_MASTER_KEY: "secret-key" };
  const entries = await Promise.all(
    Object.keys(projectFiles).map(async (client) => {
      const { out } = await runIn(root, ["install", client, "--stdio", "--print", "--json"], { env });
      expect(out).not.toMatch(/hunter2|secret-key/);
      return [client, JSON.parse(out).entry] as const;
    }),
  );
  const state = path("kept");
  const shell = (name: string) => `\${${name}}`;
  const editor = (name: string) => `\${env:${name}}`;
  expect(Object.fromEntries(entries)).toMatchObject({
    codex: { env: { TOOLWRIGHT_STATE: state }, env_vars: ["DATABASE_URL", "TOOLWRIGHT_MASTER_KEY"] },
    claude: { env: { TOOLWRIGHT_STATE: state, DATABASE_URL: shell("DATABASE_URL") } },
    gemini: { env: { DATABASE_URL: shell("DATABASE_URL") } },
    opencode: { environment: { TOOLWRIGHT_STATE: state, DATABASE_URL: "{env:DATABASE_URL}" } },
    cursor: { env: { DATABASE_URL: editor("DATABASE_URL") } },
    vscode: { env: { DATABASE_URL: editor("DATABASE_URL") } },
  });
});

test("a folder of tools that nobody trusts is not named, which would trust it", async () => {
  put("tools/a.tool.ts", "");
  const { out, err } = await run("install", "codex", "--print");
  expect(out).not.toContain("--tools");
  expect(err).toContain(`install with --tools ${path("tools")}`);
  expect((await run("install", "codex", "--print", "--tools", "tools")).out).toContain(path("tools"));
});

test("--json prints the whole of what was done", async () => {
  const done = JSON.parse((await run("install", "opencode", "--yes", "--json")).out);
  expect(done).toMatchObject({ client: "opencode", scope: "user", transport: "stdio", section: "mcp", written: true, copy: null });
  expect(JSON.parse(text("home/.config/opencode/opencode.json"))).toEqual({ mcp: { toolwright: done.entry } });
  const gone = JSON.parse((await run("uninstall", "opencode", "--yes", "--json")).out);
  expect(gone).toEqual({ removed: { client: "opencode", scope: "user", file: done.file } });
});

test("opencode's configuration with comments is the one that is edited where it is there", async () => {
  put("opencode.jsonc", '{\n  // mine\n  "share": "disabled",\n}\n');
  await run("install", "opencode", "--scope", "project", "--yes");
  expect(text("opencode.jsonc")).toMatch(/\/\/ mine[\s\S]*"toolwright"/);
  expect(existsSync(path("opencode.json"))).toBe(false);
});
