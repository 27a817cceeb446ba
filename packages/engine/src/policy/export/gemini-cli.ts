import { degraded, type ExportCommand, type ExportTarget, exact, isPlain, reasons, serverName, unsupported } from "./export-target.ts";

const decisions = { allow: "allow", ask: "ask_user", deny: "deny" } as const;
/** The highest priority wins there. */
const priorities = { deny: 900, ask: 800, allow: 700, otherwise: 100 } as const;

/** `[[rule]]` in a policy file. Commands are matched as JSON: `"command":"<text>"`. */
export const geminiCli: ExportTarget = {
  name: "gemini-cli",
  command(rule) {
    const { effect, compiled, leading } = rule;
    if (!leading.every(isPlain)) return unsupported(reasons.quoting);
    if (effect === "allow" && !compiled.exact) return unsupported(rule.isPrefix ? reasons.arguments : reasons.crossing);
    const entry = toRule(
      { toolName: "run_shell_command", commandRegex: describeRegex(rule), decision: decisions[effect] },
      priorities[effect],
    );
    const more = compiled.exact || rule.isPrefix ? "" : ` It speaks of everything that begins with ${JSON.stringify(leading.join(" "))}.`;
    if (effect !== "allow") return degraded(`${reasons.wrappers}${more}`, entry);
    return degraded(reasons.context, entry);
  },
  tools({ effect, names, others }) {
    const entries = (list: readonly string[], as: keyof typeof decisions) =>
      list.map((toolName) => toRule({ mcpName: serverName, toolName, decision: decisions[as] }, priorities[as]));
    return effect === "allow" ? degraded(reasons.fixedList, ...entries(others, "deny")) : exact(...entries(names, effect));
  },
  members: {
    mode(value) {
      if (value === "full") return unsupported("To allow every command there is to allow those of high risk too.");
      const decision = value === "deny" ? "deny" : "ask_user";
      return exact(toRule({ toolName: "run_shell_command", decision }, value === "deny" ? priorities.deny : priorities.otherwise));
    },
  },
  render(entries) {
    const rules = [...new Set(entries.map(({ text }) => text))];
    return rules.length > 0 ? [{ path: "~/.gemini/policies/toolwright.toml", text: `${rules.join("\n\n")}\n` }] : [];
  },
};

function toRule(members: Readonly<Record<string, string>>, priority: number) {
  const lines = Object.entries(members).map(([name, value]) => `${name} = '${value}'`);
  return { section: "rule", text: ["[[rule]]", ...lines, `priority = ${priority}`].join("\n") };
}

/** The end of the JSON string ends an exact command; a prefix ends at a word's end. */
function describeRegex({ compiled, leading }: ExportCommand): string {
  const words = leading.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(" ");
  return compiled.exact ? `${words}"` : `${words}[ "]`;
}
