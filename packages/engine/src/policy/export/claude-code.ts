import { degraded, type ExportCommand, type ExportTarget, exact, isPlain, reasons, serverName, unsupported } from "./export-target.ts";

/** `permissions` of a settings file: deny is looked at first, then ask, then allow. */
export const claudeCode: ExportTarget = {
  name: "claude-code",
  command(rule) {
    const { effect, compiled } = rule;
    const text = describePattern(rule);
    if (text === undefined) return unsupported(reasons.quoting);
    const entry = { section: effect, text: `Bash(${text})` };
    if (effect !== "allow") return degraded(reasons.wrappers, entry);
    if (compiled.exact) return degraded(reasons.context, entry);
    return unsupported(rule.isPrefix ? reasons.arguments : reasons.crossing);
  },
  tools({ effect, names, others }) {
    const entries = (section: string, list: readonly string[]) => list.map((name) => ({ section, text: `mcp__${serverName}__${name}` }));
    return effect === "allow" ? degraded(reasons.fixedList, ...entries("deny", others)) : exact(...entries(effect, names));
  },
  members: {
    autonomy(value) {
      if (value === "full") return unsupported("The mode that never asks also leaves out every check of commands.");
      const mode = value === "read_only" ? "plan" : "default";
      return degraded("The mode is a default, which a person can change.", { section: "defaultMode", text: mode });
    },
    mode(value) {
      if (value === "deny") return exact({ section: "deny", text: "Bash" });
      if (value === "full") return unsupported("To allow every command there is to allow those of high risk too.");
      return degraded("Commands without a rule ask, but its own list of those that read runs unasked.", {
        section: "defaultMode",
        text: "default",
      });
    },
    forbidden(path) {
      if (!/^[\w@%+=:,./~ -]+$/.test(path)) return unsupported("The path would be read as a pattern there.");
      const root = path.startsWith("~") ? path : `/${path}`;
      const entries = ["Read", "Edit"].flatMap((tool) =>
        [root, `${root}/**`].map((each) => ({ section: "deny", text: `${tool}(${each})` })),
      );
      return degraded("It holds for file tools and the commands that are known to read files, not for every program.", ...entries);
    },
    host(rule, effect) {
      if (!/^[a-z0-9.-]+$/i.test(rule)) return unsupported("Wildcards and ports cannot be said there.");
      const text = `WebFetch(domain:${rule})`;
      const others = effect === "allow" ? " Other hosts ask instead of being denied, and every port of this one is open." : "";
      return degraded(`It holds for its own fetch tool, not for commands.${others}`, { section: effect, text });
    },
  },
  render(entries) {
    const list = (section: string) => [...new Set(entries.filter((each) => each.section === section).map(({ text }) => text))];
    const defaultMode = list("defaultMode").includes("plan") ? "plan" : list("defaultMode")[0];
    const permissions = { ...(defaultMode && { defaultMode }), allow: list("allow"), ask: list("ask"), deny: list("deny") };
    return [{ path: ".claude/settings.json", text: `${JSON.stringify({ permissions }, null, 2)}\n` }];
  },
};

/** `git status:*` for a prefix; a wildcard in a word as it is where it means the same. */
function describePattern({ pattern, compiled, leading, isPrefix }: ExportCommand): string | undefined {
  if (!leading.every(isPlain)) return undefined;
  if (compiled.exact) return leading.join(" ");
  if (isPrefix) return `${leading.join(" ")}:*`;
  // Only * is a wildcard there; a denial that is broader holds at least.
  return /['"()?/]/.test(pattern) ? `${leading.join(" ")}:*` : pattern;
}
