import { defaultPolicy } from "../document/policy-document.ts";
import { documentOf, type LintFinding, type LintSubject } from "./lint-finding.ts";

/** Entries that match everything. */
export function lintReach(subject: LintSubject): readonly LintFinding[] {
  const { network, paths } = documentOf(subject).document;
  const find = (
    list: readonly string[] | undefined,
    path: readonly string[],
    { all, message }: { all: readonly string[]; message: string },
  ) =>
    (list ?? []).flatMap((entry, index) =>
      all.includes(entry)
        ? [{ level: "warning" as const, document: subject.index, path: [...path, index], message: `${JSON.stringify(entry)} ${message}` }]
        : [],
    );
  return [
    ...find(network?.allow, ["network", "allow"], { all: ["*"], message: "opens every public host. Name the hosts that are needed." }),
    ...find(network?.deny, ["network", "deny"], { all: ["*"], message: "closes every host. Write allow: [] if that is meant." }),
    ...find(network?.allow_ranges, ["network", "allow_ranges"], {
      all: ["0.0.0.0/0", "::/0"],
      message: "opens every address, this machine and its metadata service included. Name the ranges that are needed.",
    }),
    ...find(paths?.forbidden, ["paths", "forbidden"], {
      all: ["/", "~", "~/"],
      message: "forbids every command that names an absolute path there. Name the folders that matter.",
    }),
    ...lintReplaced(subject),
    ...lintOpenness(subject),
  ];
}

/** The platform's list of forbidden paths stands in the place of the built-in one. */
function lintReplaced(subject: LintSubject): LintFinding[] {
  const { tier, document } = documentOf(subject);
  const own = document.paths?.forbidden;
  const isCovered = (path: string) => own?.some((each) => path === each || path.startsWith(`${each.replace(/\/$/, "")}/`));
  const lost = tier === "platform" && own ? (defaultPolicy.paths?.forbidden ?? []).filter((path) => !isCovered(path)) : [];
  if (lost.length === 0) return [];
  const message = `The list replaces the built-in one, so these are not forbidden: ${lost.join(", ")}. Add those that should be.`;
  return [{ level: "hint", document: subject.index, path: ["paths", "forbidden"], message }];
}

function lintOpenness(subject: LintSubject): LintFinding[] {
  const { autonomy, commands } = documentOf(subject).document;
  const isOpen = autonomy === "full" && commands?.mode === "full" && !commands.block_high_risk;
  if (!isOpen) return [];
  const message = "Every command runs unasked, those of high risk too. Set block_high_risk to true, or autonomy to supervised.";
  return [{ level: "warning", document: subject.index, path: ["commands", "block_high_risk"], message }];
}
