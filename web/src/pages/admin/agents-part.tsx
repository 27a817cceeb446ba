import { Button, NativeSelect, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Item, reading, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, useDialog } from "../../parts/part-list.tsx";
import { SortTable } from "../../parts/sort-table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./admin-page.module.css";
import { AgentRows } from "./agent-rows.tsx";

const tabs = [
  { name: "agents", title: "Agents" },
  { name: "tools", title: "Tools of an agent" },
] as const;

/** Agents, and which tools each has. */
export function AgentsPart() {
  const [{ tab }, change] = useUrl();
  return (
    <>
      <Tabs tabs={tabs} chosen={tab === "tools" ? "tools" : "agents"} choose={(name) => change({ tab: name, sort: undefined })} />
      {tab === "tools" ? <AgentTools /> : <AgentRows />}
    </>
  );
}

function AgentTools() {
  const [{ agent }, change] = useUrl();
  const { may } = useMe();
  const { data, error, refetch } = useQuery(reading("agents.list", {}));
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting />;
  return (
    <>
      <NativeSelect
        label="Agent"
        className={classes.narrow}
        data={[{ value: "", label: "Choose an agent" }, ...data.items.map((each) => each.agent)]}
        value={agent ?? ""}
        onChange={(event) => change({ agent: event.currentTarget.value })}
      />
      {agent !== undefined && may("catalogue:explain") && (
        <ToolRows agent={agent} restricted={data.items.some((each) => each.agent === agent && each.restricted)} />
      )}
      {agent !== undefined && !may("catalogue:explain") && (
        <Empty title="Tools are not shown">It needs the permission catalogue:explain.</Empty>
      )}
      {agent === undefined && <Empty title="No agent chosen">Choose an agent to see its tools. Agents are made in the other tab.</Empty>}
    </>
  );
}

type Surveyed = Item<"tools.survey">;
const changes = ["enablement.", "tools.", "secrets."];

function ToolRows({ agent, restricted }: { readonly agent: string; readonly restricted: boolean }) {
  const survey = useQuery(reading("tools.survey", { agent }));
  const rows = useQuery(reading("enablement.list", { agent }));
  const [dialog, open] = useDialog();
  const [failure, setFailure] = useState<unknown>();
  const error = survey.error ?? rows.error;
  if (!survey.data || !rows.data) return error ? <Failure error={error} retry={() => void survey.refetch()} /> : <Waiting />;
  const said = new Map(rows.data.items.map((row) => [row.tool, row]));
  const isOn = ({ tool, check }: Surveyed) => said.get(tool.name)?.enabled ?? (!restricted && check !== "agent_enablement");
  const set = (tool: string, enabled: boolean | undefined) =>
    write("enablement.set", { agent, tools: [tool], ...(enabled !== undefined && { enabled }) }, changes).then(
      () => setFailure(undefined),
      setFailure,
    );
  const ask = (name: string) => (close: () => void) => (
    <FormDialog
      title={`Set the secret ${name}`}
      act="Set secret"
      close={close}
      fields={[{ name: "value", label: "Value", kind: "secret", help: "For the whole tenant. Nobody can read it again." }]}
      submit={({ value }) => write("secrets.set", { name, value: String(value) }, changes)}
    />
  );
  return (
    <>
      {failure !== undefined && <Failure error={failure} />}
      <SortTable
        label={`Tools of ${agent}`}
        rows={survey.data.items}
        keyOf={({ tool }) => tool.name}
        columns={[
          { name: "Tool", show: ({ tool }) => <code>{tool.name}</code>, by: ({ tool }) => tool.name },
          {
            name: "On",
            show: (row) => (
              <Switch
                aria-label={`${row.tool.name} for ${agent}`}
                checked={row.visible || isOn(row)}
                onChange={(event) => void set(row.tool.name, event.currentTarget.checked)}
              />
            ),
          },
          {
            name: "Source",
            show: ({ tool }) => {
              const row = said.get(tool.name);
              return row ? (row.skill === undefined ? row.source : `${row.source} ${row.skill}`) : "default";
            },
          },
          {
            name: "State",
            show: (row) =>
              row.missingSecrets.length > 0
                ? row.missingSecrets.map((name) => (
                    <Button key={name} size="compact-sm" variant="default" onClick={() => open(ask(name))}>
                      misconfigured: {name}
                    </Button>
                  ))
                : row.state,
            by: ({ state }) => state,
          },
        ]}
        acts={({ tool }) =>
          said.get(tool.name)?.source === "manual" && (
            <Act name="Take back" thing={`what is said of ${tool.name}`} onClick={() => void set(tool.name, undefined)} />
          )
        }
      />
      {dialog}
    </>
  );
}
