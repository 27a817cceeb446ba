import type { CommandPattern } from "@toolwright/commands";
import type { Effect } from "../../contract/decision.ts";
import type { CommandRuleMember } from "../compile-commands.ts";
import type { PolicyDocument } from "../document/policy-document.ts";

/** One line of the target's rules, in one of its lists or files. */
export interface ExportEntry {
  readonly section: string;
  readonly text: string;
}

/** How much of a rule the target can say. A rule is never exported as one that allows other commands than it names. */
export type ExportOutcome =
  | { readonly grade: "exact"; readonly entries: readonly ExportEntry[] }
  | { readonly grade: "degraded"; readonly entries: readonly ExportEntry[]; readonly reason: string }
  | { readonly grade: "unsupported"; readonly reason: string };

export interface ExportFile {
  /** Where the target looks for it. */
  readonly path: string;
  readonly text: string;
}

export interface ExportCommand extends CommandRuleMember {
  readonly compiled: CommandPattern;
  /** The words before the first wildcard. */
  readonly leading: readonly string[];
  /** No word holds a wildcard; further words may follow. */
  readonly isPrefix: boolean;
}

/** Tools of one handle of a list, as the server of this product names them. */
interface ExportTools {
  readonly effect: Effect;
  readonly names: readonly string[];
  /** For an allow list: every known tool that is not on it. */
  readonly others: readonly string[];
}

/** The rule format of another agent. What it leaves out cannot be said there. */
export interface ExportTarget {
  readonly name: string;
  command(rule: ExportCommand): ExportOutcome;
  /** As tools of an MCP server. */
  tools(tools: ExportTools): ExportOutcome;
  readonly members: {
    readonly autonomy?: (value: NonNullable<PolicyDocument["autonomy"]>) => ExportOutcome;
    readonly mode?: (value: NonNullable<PolicyDocument["commands"]>["mode"]) => ExportOutcome;
    readonly forbidden?: (path: string) => ExportOutcome;
    readonly host?: (rule: string, effect: "allow" | "deny") => ExportOutcome;
    readonly sandbox?: (name: string, value: unknown) => ExportOutcome;
  };
  render(entries: readonly ExportEntry[]): readonly ExportFile[];
}

/** The name under which users are told to add this product's MCP server. */
export const serverName = "toolwright";

export const exact = (...entries: ExportEntry[]): ExportOutcome => ({ grade: "exact", entries });
export const degraded = (reason: string, ...entries: ExportEntry[]): ExportOutcome => ({ grade: "degraded", entries, reason });
export const unsupported = (reason: string): ExportOutcome => ({ grade: "unsupported", reason });

export const reasons = {
  arguments: "Arguments are not reviewed there, so all further words would be allowed.",
  context: "It is not bound to the workspace's root there, and a redirect is judged by other rules.",
  folder: "It cannot be bound to a folder there, so the command would be allowed in every one.",
  onePerson: "One person says yes there.",
  wrappers: "It does not see through every wrapper (env, xargs, sh -c), nor find the subcommand behind options.",
  crossing: "A wildcard there matches more than one word, so more would be allowed than the rule names.",
  quoting: "A word needs quotes, and commands are compared as raw text there.",
  fixedList: "The list holds the tools of today; a tool that comes later is not on it.",
} as const;

/** Words that are the same in every spelling of a shell. */
export const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);
