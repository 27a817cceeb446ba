import { degraded, type ExportCommand, type ExportTarget, exact, isPlain, reasons, serverName, unsupported } from "./export-target.ts";

const decisions = { allow: "allow", ask: "prompt", deny: "forbidden" } as const;
const rules = "rules";
const root = "config";
const server = "server";
const workspace = "workspace";

/** `prefix_rule` in a rules file, and settings in config.toml. Every rule is a prefix there. */
export const codex: ExportTarget = {
  name: "codex",
  command(rule) {
    const { effect, compiled, isPrefix, leading } = rule;
    if (effect === "allow" && compiled.exact) return unsupported("Rules there are prefixes, so further words would be allowed too.");
    if (effect === "allow") return unsupported(isPrefix ? reasons.arguments : "Rules there have no wildcards in words.");
    const entry = { section: rules, text: describeRule(rule) };
    const more = isPrefix ? "" : ` It speaks of everything that begins with ${JSON.stringify(leading.join(" "))}.`;
    return degraded(`${reasons.wrappers}${more}`, entry);
  },
  tools({ effect, names, others }) {
    const entries = (list: readonly string[]) => list.map((name) => ({ section: server, text: name }));
    if (effect === "ask") return unsupported("Its rules cannot make a tool of a server ask.");
    return effect === "allow" ? degraded(reasons.fixedList, ...entries(others)) : exact(...entries(names));
  },
  members: {
    autonomy(value) {
      if (value === "full") return unsupported("The mode that never asks also leaves out every check of commands.");
      if (value === "read_only")
        return degraded("Commands read the whole disk there.", { section: root, text: 'sandbox_mode = "read-only"' });
      return degraded("The model decides when it asks to leave the sandbox.", { section: root, text: 'sandbox_mode = "workspace-write"' });
    },
    mode(value) {
      if (value !== "allowlist") return unsupported("Commands without a rule cannot be denied, or all be allowed, there.");
      const entry = { section: root, text: 'approval_policy = "untrusted"' };
      return degraded("Commands without a rule ask, but its own list of those that read runs unasked.", entry);
    },
    sandbox(name, value) {
      if (name !== "network" || value !== "none") return unsupported("It has no such setting.");
      return degraded("It holds while its own sandbox is on.", { section: workspace, text: "network_access = false" });
    },
  },
  render(entries) {
    const of = (section: string) => [...new Set(entries.filter((each) => each.section === section).map(({ text }) => text))];
    const tables = [
      // A weaker sandbox does not follow a stronger one.
      of(root).filter((line) => line !== 'sandbox_mode = "workspace-write"' || !of(root).includes('sandbox_mode = "read-only"')),
      of(workspace).length > 0 ? ["[sandbox_workspace_write]", ...of(workspace)] : [],
      of(server).length > 0 ? [`[mcp_servers.${serverName}]`, `disabled_tools = ${JSON.stringify(of(server))}`] : [],
    ].filter((lines) => lines.length > 0);
    const config = tables.map((lines) => lines.join("\n")).join("\n\n");
    return [
      ...(of(rules).length > 0 ? [{ path: "~/.codex/rules/toolwright.rules", text: `${of(rules).join("\n\n")}\n` }] : []),
      ...(config === "" ? [] : [{ path: "~/.codex/config.toml", text: `${config}\n` }]),
    ];
  },
};

/** Tests go along where they mean the same there: plain words that begin with the prefix. */
function describeRule({ effect, leading, match = [] }: ExportCommand): string {
  const isTest = (line: string) => {
    const words = line.split(" ");
    return words.every(isPlain) && leading.every((word, index) => words[index] === word);
  };
  const tests = match.filter(isTest);
  const lines = [
    `pattern = ${list(leading)}`,
    `decision = "${decisions[effect]}"`,
    ...(tests.length > 0 ? [`match = ${list(tests)}`] : []),
  ];
  return `prefix_rule(\n${lines.map((line) => `    ${line},`).join("\n")}\n)`;
}

const list = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
