import { oneLine } from "../../contract/visible-text.ts";
import type { AgentTool, ListedSkill } from "../../ports/catalogue-store.ts";
import type { Rendering } from "../shell.ts";

interface ChangedSkill extends ListedSkill {
  readonly unknownTools?: readonly string[] | undefined;
}

export const skillsView: Rendering<{ readonly items: readonly ListedSkill[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no skills: toolwright skills create NAME --file skill.md"]
      : [{ head: ["skill", "tools", "agents", "title"], rows: items.map(toRow) }],
};

const toRow = ({ skill, tools, agents, title }: ListedSkill) => [skill, tools.join(", ") || "-", agents.join(", ") || "-", title];

export const skillView: Rendering<ListedSkill> = {
  show: ({ skill, title, tools, agents, instructions }) => [
    `${skill}: ${title}`,
    `Tools: ${tools.join(", ") || "none"}. Agents: ${agents.join(", ") || "none"}.`,
    ...(instructions === "" ? [] : ["", instructions.trimEnd()]),
  ],
};

export const changedSkillView: Rendering<ChangedSkill> = {
  show: ({ skill, tools, unknownTools: unknown = [] }) => [
    ...(unknown.length === 0
      ? []
      : [
          {
            note: `There is no tool ${oneLine(unknown.join(", "))} now; agents with the skill have it as soon as there is.`,
            always: true as const,
          },
        ]),
    `Skill ${skill} enables ${tools.join(", ") || "no tools"}.`,
  ],
  json: ({ unknownTools: _, ...skill }) => skill,
};

interface AssignedSkill {
  readonly agent: string;
  readonly skills: readonly string[];
  readonly tools: readonly AgentTool[];
}

/** Shows a change of several skills by its last answer, which names all of them. */
export const assignedSkillsView: Rendering<AssignedSkill> = {
  showOfAll: (answers) => answers.slice(-1).map(({ agent, skills }) => `Agent ${agent} has the skills ${skills.join(", ") || "none"}.`),
  jsonOfAll: (answers) => answers.slice(-1).map(({ agent, skills, tools }) => ({ agent, skills, tools }))[0],
};

export const removedSkillView: Rendering<{
  readonly removed: string;
  readonly agents: readonly string[];
  readonly tools: readonly string[];
}> = {
  show({ removed, agents, tools }) {
    const lost = `${agents.join(", ")} had it, and lost what nothing else enables of ${tools.join(", ") || "no tools"}.`;
    return [{ note: `${removed} is gone.${agents.length === 0 ? "" : ` ${lost}`}`, always: true }];
  },
};
