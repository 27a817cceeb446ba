import { z } from "zod";
import { ToolwrightError } from "../../contract/errors.ts";
import type { Rate } from "../../ports/limiter.ts";
import { formatPath } from "./format-path.ts";
import { describeIssues } from "./policy-problem.ts";
import { addressRange, commandPatternText, forbiddenPath, hostRule, rootPath, toolHandle, toolHandles } from "./policy-words.ts";

const effect = z.enum(["allow", "ask", "deny"]);

const quorumMembers = {
  approvers: z.int().min(1).max(10).describe("Distinct people who have to say yes"),
  permission: z.string().min(1).optional().describe("Permission that each of them has"),
  not_requester: z.boolean().optional().describe("Whoever asked does not count"),
};

const quorumRule = z.strictObject({
  tools: toolHandles.min(1).optional().describe("Names of tools, or group:<name>; left out, every tool that asks"),
  ...quorumMembers,
});

const commandRule = z.strictObject({
  pattern: commandPatternText.describe("Words of a command: a lone last * means any further words, word* exactly that word and then any"),
  effect,
  match: z.array(z.string()).optional().describe("Commands that the pattern must match; the rule refuses to load otherwise"),
  not_match: z.array(z.string()).optional().describe("Commands that the pattern must not match"),
  quorum: z.strictObject(quorumMembers).optional().describe("Who has to say yes; only with effect: ask"),
  after_foreign: z
    .literal("allow")
    .optional()
    .describe("The rule holds also once the session has read foreign content; only with effect: allow, and in the highest tier"),
  comment: z.string().optional(),
  added_by: z.string().optional(),
});

const commandDefaults = { mode: "allowlist", block_high_risk: true, approve_medium_risk: true, builtin_rules: true } as const;

const commands = z.strictObject({
  mode: z.enum(["full", "allowlist", "deny"]).default(commandDefaults.mode),
  block_high_risk: z.boolean().default(commandDefaults.block_high_risk),
  approve_medium_risk: z.boolean().default(commandDefaults.approve_medium_risk),
  builtin_rules: z
    .boolean()
    .default(commandDefaults.builtin_rules)
    .describe("Allow the reviewed commands that only read, beside the rules of this document"),
  rules: z.array(commandRule).default([]),
});

const positive = z.int().min(1);

/** A rate as people write it: `100/h`, `10/m`, `5/s`, `1000/d`. */
const rate = z.string().regex(/^[1-9]\d{0,8}\/[smhd]$/, "is not a rate; write 100/h");

const sandbox = z.strictObject({
  mode: z.string().min(1).optional().describe("Name of the sandbox driver, or auto for the strongest that is there"),
  network: z
    .enum(["none", "filtered", "host"])
    .optional()
    .describe("none: no network; filtered: through a proxy, the hosts that network.allow and network.deny permit; host: no limits"),
  unavailable: z.enum(["refuse", "ask"]).optional(),
  git: z
    .enum(["sealed", "writable"])
    .optional()
    .describe(
      "sealed: only git commands change the metadata of repositories (default); writable: every command may, as for scripts that commit",
    ),
  max_memory_mb: positive.optional().describe("Of all that runs in one workspace at a time; default: half of the machine, at most 4096"),
  max_cpu_percent: positive.optional().describe("100 is one core; of all that runs in one workspace at a time; default 200"),
  max_processes: positive.optional().describe("With their threads, of all that runs in one workspace at a time; default 256"),
  max_file_size_mb: positive.optional().describe("Of one file that a run writes; default 1024"),
  max_open_files: positive.optional().describe("Of one process; default 1024"),
  max_written_mb: positive.optional().describe("All that one run writes to disks, added up; default 10240"),
  timeout_seconds: positive.optional(),
  max_output_kb: positive.optional(),
});

const approvals = z.strictObject({
  grants: z.boolean().optional().describe("false: a person is asked each time, and no earlier yes stands for them"),
  quorum: z.array(quorumRule).optional().describe("Who has to say yes where a call asks; all rules that name the tool hold at once"),
});

const paths = z.strictObject({
  forbidden: z.array(forbiddenPath).optional(),
  roots: z
    .array(
      z.strictObject({
        path: rootPath.describe("Absolute path of the folder; all below it is open"),
        access: z.enum(["read", "write"]).describe("write: reading too"),
      }),
    )
    .max(16)
    .optional()
    .describe(
      "Folders of this machine that tools and commands reach beside the workspace, by their absolute paths. Only the highest tier opens any; a lower one that names some closes all others",
    ),
});

/** The policy document. Every member but `version` may be left out; what is left out in the highest tier has the default. */
export const policyDocument = z.strictObject({
  version: z.literal(1),
  autonomy: z.enum(["read_only", "supervised", "full"]).optional(),
  tools: z.strictObject({ allow: toolHandles.optional(), deny: toolHandles.optional(), ask: toolHandles.optional() }).optional(),
  approvals: approvals.optional(),
  commands: commands.optional(),
  paths: paths.optional(),
  network: z
    .strictObject({
      allow: z.array(hostRule).optional(),
      deny: z.array(hostRule).optional(),
      allow_ranges: z.array(addressRange).optional(),
    })
    .optional(),
  sandbox: sandbox.optional(),
  after_foreign: z
    .record(toolHandle, z.enum(["ask", "granted", "none"]))
    .optional()
    .describe(
      "What calls need once their session has read foreign content. ask: a person, or a yes that was remembered since; granted: also one from before; none: nothing. Of outside: what can change something outside the workspace, which asks by default; act: everything that changes something; or a tool's name, or group:<name>",
    ),
  rates: z.record(toolHandle, rate).optional().describe("act: everything that changes something; or a tool's name, or group:<name>"),
});

/** A validated policy document, as `parsePolicyDocument` gives it. */
export type PolicyDocument = z.output<typeof policyDocument>;

/** What holds where the highest tier says nothing: supervised, and of commands only the reviewed ones that read run unasked. */
export const defaultPolicy: PolicyDocument = {
  version: 1,
  autonomy: "supervised",
  commands: { ...commandDefaults, rules: [] },
  paths: {
    forbidden: [
      "~/.ssh",
      "~/.gnupg",
      "~/.aws",
      "~/.kube",
      "~/.docker",
      "~/.netrc",
      "/proc",
      "/sys",
      "/etc/shadow",
      "/var/run/docker.sock",
      "~/.config/toolwright",
      "~/.local/state/toolwright",
    ],
  },
};

const windows = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `100/h`; the text is one that the schema let through. */
export function readRate(text: string): Rate {
  const [count = "", unit = "h"] = text.split("/");
  return { count: Number(count), windowMs: windows[unit as keyof typeof windows] };
}

/** Validates a document. Throws `policy_invalid` with every place, what is wrong there and what to write. */
export function parsePolicyDocument(value: unknown, source = "The policy document"): PolicyDocument {
  const parsed = policyDocument.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = describeIssues(parsed.error, policyDocument);
  throw new ToolwrightError(
    "policy_invalid",
    `${source} is not valid: ${problems.map(({ text }) => text).join("; ")}. Correct it and load it again.`,
    {
      details: { problems: problems.map(({ path, text }) => ({ path: formatPath(path), text })) },
      cause: parsed.error,
    },
  );
}
