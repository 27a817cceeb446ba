import { Button } from "@mantine/core";
import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, linesOf, textOf, textOr } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import classes from "./admin-page.module.css";

type Skill = Item<"skills.list">;
const changes = ["skills.", "enablement.", "tools."];

const fieldsOf = (skill?: Skill): readonly Field[] => [
  { name: "title", label: "Title", optional: true, value: skill?.title ?? "" },
  { name: "instructions", label: "Instructions", kind: "long", optional: true, help: "Markdown", value: skill?.instructions ?? "" },
  { name: "tools", label: "Tools", kind: "lines", optional: true, help: "One a line", value: skill?.tools.join("\n") ?? "" },
];

/** Instructions with the tools that they need. */
export function SkillsPart() {
  const [dialog, open] = useDialog();
  const save = (skill?: Skill) => (close: () => void) => (
    <FormDialog
      title={skill ? `Change the skill ${skill.skill}` : "Create a skill"}
      act={skill ? "Change skill" : "Create skill"}
      close={close}
      fields={[...(skill ? [] : [{ name: "skill", label: "Id" }]), ...fieldsOf(skill)]}
      submit={(said) => {
        const title = textOr(said, "title");
        const rest = { ...(title && { title }), instructions: textOf(said, "instructions"), tools: linesOf(said, "tools") };
        return skill
          ? write("skills.update", { skill: skill.skill, ...rest }, changes)
          : write("skills.create", { skill: textOf(said, "skill"), ...rest }, changes);
      }}
    />
  );
  const assign =
    ({ skill }: Skill, enabled: boolean) =>
    (close: () => void) => (
      <FormDialog
        title={enabled ? `Give ${skill} to an agent` : `Take ${skill} from an agent`}
        act={enabled ? "Give skill" : "Take skill"}
        close={close}
        fields={[{ name: "agent", label: "Agent" }]}
        submit={(said) => write("skills.assign", { skill, agent: textOf(said, "agent"), enabled }, changes)}
      />
    );
  const remove =
    ({ skill }: Skill) =>
    (close: () => void) => (
      <FormDialog
        title={`Remove the skill ${skill}?`}
        act={`Remove ${skill}`}
        fields={[]}
        close={close}
        submit={() => write("skills.remove", { skill }, changes)}
      >
        <p>Agents lose the tools that nothing else enables.</p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(save())}>Create a skill</Button>
      </div>
      <PartList
        of="skills.list"
        label="Skills"
        empty="A skill gives an agent instructions and the tools that they need."
        keyOf={({ skill }) => skill}
        columns={[
          { name: "Skill", show: ({ skill }) => <code>{skill}</code>, by: ({ skill }) => skill },
          { name: "Title", show: ({ title }) => title, by: ({ title }) => title },
          { name: "Tools", show: ({ tools }) => tools.join(", ") },
          { name: "Agents", show: ({ agents }) => agents.join(", ") || "none" },
        ]}
        acts={(row) => (
          <>
            <Act name="Give" thing={row.skill} onClick={() => open(assign(row, true))} />
            {row.agents.length > 0 && <Act name="Take" thing={row.skill} onClick={() => open(assign(row, false))} />}
            <Act name="Change" thing={row.skill} onClick={() => open(save(row))} />
            <Act name="Remove" thing={row.skill} onClick={() => open(remove(row))} />
          </>
        )}
      />
      {dialog}
    </>
  );
}
