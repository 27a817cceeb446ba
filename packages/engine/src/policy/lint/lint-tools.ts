import { nearestName } from "../../contract/nearest-name.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { companionsOf, documentOf, type LintFinding, type LintSubject, nameOf } from "./lint-finding.ts";

const lists = ["allow", "deny", "ask"] as const;

/** Names that no tool or group has, and entries that another one makes void. */
export function lintTools(subject: LintSubject): readonly LintFinding[] {
  const { document } = documentOf(subject);
  const entries = lists.flatMap((list) => (document.tools?.[list] ?? []).map((handle, index) => ({ list, handle, index })));
  const rates = Object.keys(document.rates ?? {}).filter((handle) => handle !== "act");
  const afterForeign = Object.keys(document.after_foreign ?? {}).filter((handle) => handle !== "act" && handle !== "outside");
  const quorum = document.approvals?.quorum ?? [];
  const none = "The empty list allows no tool at all. Leave it out to allow every tool that no other list names.";
  return [
    ...(document.tools?.allow?.length === 0
      ? [{ level: "warning" as const, document: subject.index, path: ["tools", "allow"], message: none }]
      : []),
    ...entries.flatMap(({ list, handle, index }) => {
      const path = ["tools", list, index];
      return findUnknown(handle, path, subject) ?? findVoid({ list, handle, path }, subject);
    }),
    ...quorum.flatMap(({ tools = [] }, rule) =>
      tools.flatMap((handle, index) => findUnknown(handle, ["approvals", "quorum", rule, "tools", index], subject) ?? []),
    ),
    ...rates.flatMap((handle) => findUnknown(handle, ["rates", handle], subject) ?? []),
    ...afterForeign.flatMap((handle) => findUnknown(handle, ["after_foreign", handle], subject) ?? []),
  ];
}

type Path = LintFinding["path"];

function findUnknown(handle: string, path: Path, { tools, index }: LintSubject): LintFinding[] | undefined {
  const known = [...tools.map(({ name }) => name), ...new Set(tools.map(({ group }) => `group:${group}`))];
  if (known.includes(handle)) return undefined;
  const nearest = nearestName(handle, known) ?? known.find((each) => each === `group:${handle}`);
  const hint = nearest ? `did you mean ${JSON.stringify(nearest)}?` : "toolwright list shows what there is";
  return [{ level: "warning", document: index, path, message: `${JSON.stringify(handle)} is no tool and no group (${hint})` }];
}

const covers = (handle: string, { name, group }: ToolFacts) => handle === name || handle === `group:${group}`;

interface Entry {
  readonly list: (typeof lists)[number];
  readonly handle: string;
  readonly path: Path;
}

/** An entry whose every tool is denied anyway, or that its own group already names. */
function findVoid({ list, handle, path }: Entry, subject: LintSubject): LintFinding[] {
  const named = subject.tools.filter((tool) => covers(handle, tool));
  const denials = companionsOf(subject).flatMap((tier) =>
    (tier.document.tools?.deny ?? []).map((denied, index) => ({ denied, where: nameOf(tier, ["tools", "deny", index]) })),
  );
  const denial = named.map((tool) => denials.find(({ denied }) => covers(denied, tool)));
  const base = { document: subject.index, path };
  if (list !== "deny" && denial.every((each) => each !== undefined)) {
    const message = `${JSON.stringify(handle)} is denied by ${denial[0]?.where}, and a denial wins, so this has no effect. Remove one of the two.`;
    return [{ ...base, level: "warning", message }];
  }
  const same = documentOf(subject).document.tools?.[list] ?? [];
  const group = same.find((each) => each !== handle && named.every((tool) => covers(each, tool)));
  if (group !== undefined && handle !== `group:${named[0]?.group}`)
    return [{ ...base, level: "hint", message: `${JSON.stringify(handle)} is in ${JSON.stringify(group)} already.` }];
  const isTwin = same.indexOf(handle) < (path.at(-1) as number);
  return isTwin ? [{ ...base, level: "hint", message: `${JSON.stringify(handle)} is in the list already.` }] : [];
}
