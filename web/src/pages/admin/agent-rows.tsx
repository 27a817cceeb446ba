import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Answer, type Item, reading, write } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, linesOf, textOf, textOr, type Values } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import classes from "./admin-page.module.css";
import { limitFields, limitNames, limitsOf } from "./agent-limits.ts";

type Agent = Item<"agents.list">;

const offOf = ({ features }: Agent) => Object.keys(features).filter((feature) => features[feature] === false);

const fieldsOf = (agent?: Agent): readonly Field[] => [
  { name: "name", label: "Name for people", optional: true, value: agent?.name ?? "" },
  { name: "instructions", label: "Instructions", kind: "long", optional: true, help: "Markdown", value: agent?.instructions ?? "" },
  { name: "model", label: "Model", optional: true, help: "provider/name; without it the usual one", value: agent?.model ?? "" },
  {
    name: "off",
    label: "Features that are off",
    kind: "lines",
    optional: true,
    help: "One a line",
    value: agent ? offOf(agent).join("\n") : "",
  },
  { name: "restricted", label: "It has only the tools that are enabled for it", kind: "yes", value: agent?.restricted ?? false },
  { name: "acceptsAgents", label: "Other agents may call it", kind: "yes", value: agent?.acceptsAgents ?? false },
  ...limitFields(agent?.limits),
];

/** What the fields say: an empty one takes back what was said. */
function settingsOf(said: Values, agent: Agent | undefined) {
  const name = textOr(said, "name");
  return {
    ...(name && { name }),
    ...{ instructions: textOf(said, "instructions"), model: textOf(said, "model") },
    limits: limitsOf(said),
    features: Object.fromEntries([
      ...(agent ? offOf(agent) : []).map((feature) => [feature, true] as const),
      ...linesOf(said, "off").map((feature) => [feature, false] as const),
    ]),
    ...{ restricted: said.restricted === true, acceptsAgents: said.acceptsAgents === true },
  };
}

export function AgentRows() {
  const [dialog, open] = useDialog();
  const save = (agent?: Agent) => (close: () => void) => (
    <FormDialog
      title={agent ? `Change the agent ${agent.agent}` : "Create an agent"}
      act={agent ? "Change agent" : "Create agent"}
      close={close}
      fields={[...(agent ? [] : [{ name: "agent", label: "Id" }]), ...fieldsOf(agent)]}
      submit={(said) => {
        const rest = settingsOf(said, agent);
        return agent
          ? write("agents.update", { agent: agent.agent, ...rest, clear: limitNames }, ["agents.", "tools."])
          : write("agents.create", { agent: textOf(said, "agent"), ...rest });
      }}
    />
  );
  const remove =
    ({ agent }: Agent) =>
    (close: () => void) => (
      <FormDialog
        title={`Remove the agent ${agent}?`}
        act={`Remove ${agent}`}
        fields={[]}
        close={close}
        submit={() =>
          write("agents.remove", { agent }, ["agents.", "keys.", "grants.", "schedules.", "jobs.", "secrets.", "skills.", "hooks."])
        }
      >
        <Belongings agent={agent} />
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(save())}>Create an agent</Button>
      </div>
      <PartList
        of="agents.list"
        label="Agents"
        empty="Agents that call tools in this tenant are listed here."
        keyOf={({ agent }) => agent}
        columns={[
          { name: "Agent", show: ({ agent }) => <code>{agent}</code>, by: ({ agent }) => agent },
          { name: "Name", show: ({ name }) => name, by: ({ name }) => name },
          { name: "Model", show: ({ model }) => model ?? "the usual one" },
          { name: "Tools", show: ({ restricted }) => (restricted ? "only those enabled" : "all but those disabled") },
          { name: "Other agents", show: ({ acceptsAgents }) => (acceptsAgents ? "may call it" : "may not call it") },
        ]}
        acts={(row) => (
          <>
            <Act name="Change" thing={row.agent} onClick={() => open(save(row))} />
            <Act name="Remove" thing={row.agent} onClick={() => open(remove(row))} />
          </>
        )}
      />
      {dialog}
    </>
  );
}

/** What removal takes along, as it is now. */
function Belongings({ agent }: { readonly agent: string }) {
  const { data, error } = useQuery({ ...reading("agents.belongings", { agent }), staleTime: 0 });
  if (!data) return error ? <Failure error={error} /> : <p>Looking at what goes with it.</p>;
  const lost = linesOfLoss(data);
  return (
    <>
      <p>{lost.length === 0 ? "Nothing else goes with it." : "These go with it:"} What it did stays in the log.</p>
      {lost.length > 0 && (
        <ul>
          {lost.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Rooms stay, and so do folders of which nothing says whose they are. */
function linesOfLoss({ rooms: _, left: __, ...lost }: Answer<"agents.belongings">): readonly string[] {
  return Object.entries(lost).flatMap(([name, value]: [string, number | readonly string[]]) => {
    if (typeof value === "number") return value > 0 ? [`${name}: ${value}`] : [];
    return value.length > 0 ? [`${name}: ${value.join(", ")}`] : [];
  });
}
