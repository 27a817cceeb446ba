import { Button } from "@mantine/core";
import { useState } from "react";
import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, linesOf, textOf, textOr } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

type Key = Item<"keys.list">;
const fields: readonly Field[] = [
  { name: "name", label: "Name", help: "What it is for" },
  {
    name: "permissions",
    label: "Permissions",
    kind: "lines",
    help: "One a line, such as files.tenant.read. Nobody gives what they do not have.",
  },
  { name: "agent", label: "Only as the agent", optional: true },
  { name: "days", label: "Days", kind: "number", optional: true, help: "Default 90, at most 3650" },
  { name: "asMe", label: "It calls as me", kind: "yes", value: false },
];

/** Keys for programs; each is told once. */
export function KeysPart() {
  const [dialog, open] = useDialog();
  const [made, setMade] = useState<string>();
  const create = (close: () => void) => (
    <FormDialog
      title="Create an API key"
      act="Create key"
      fields={fields}
      close={close}
      submit={async (said) => {
        const [agent, days] = [textOr(said, "agent"), textOr(said, "days")];
        const rest = { ...(agent && { agent }), ...(days && { days: Number(days) }), ...(said.asMe === true && { asMe: true }) };
        const { key } = await write("keys.create", { name: textOf(said, "name"), permissions: linesOf(said, "permissions"), ...rest });
        setMade(key);
      }}
    />
  );
  const revoke =
    ({ id, name }: Key) =>
    (close: () => void) => (
      <FormDialog
        title={`Revoke the key ${name}?`}
        act={`Revoke ${name}`}
        fields={[]}
        close={close}
        submit={() => write("keys.revoke", { id })}
      >
        <p>From the next request on it opens nothing. This cannot be undone.</p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(create)}>Create a key</Button>
      </div>
      <PartList
        of="keys.list"
        label="API keys"
        empty="Keys with which programs call this server. A key is shown once, when it is made."
        keyOf={({ id }) => id}
        columns={[
          { name: "Name", show: ({ name }) => name, by: ({ name }) => name },
          { name: "Permissions", show: ({ permissions }) => <code>{permissions.join(", ")}</code> },
          { name: "Calls as", show: ({ agent, user }) => agent ?? user ?? "a service" },
          {
            name: "Last used",
            show: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : "never"),
            by: ({ lastUsedAt }) => lastUsedAt,
          },
          {
            name: "Open until",
            show: ({ revokedAt, expiresAt }) => (revokedAt ? "revoked" : <When at={expiresAt} />),
            by: ({ expiresAt }) => expiresAt,
          },
        ]}
        acts={(row) => row.revokedAt === undefined && <Act name="Revoke" thing={row.name} onClick={() => open(revoke(row))} />}
      />
      {dialog}
      {made !== undefined && <ShownOnce title="The new key" text={made} close={() => setMade(undefined)} />}
    </>
  );
}
