import { Button } from "@mantine/core";
import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, linesOf, textOf, textOr } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

type Secret = Item<"secrets.list">;
const changes = ["secrets.", "tools."];
const value: Field = { name: "value", label: "Value", kind: "secret", help: "Tools use it. Nobody can read it again." };
const fields: readonly Field[] = [
  { name: "name", label: "Name", help: "A letter, then letters, digits, _ . and -" },
  value,
  { name: "agent", label: "Only for the agent", optional: true },
  {
    name: "hosts",
    label: "Hosts",
    kind: "lines",
    optional: true,
    help: "Where it may be sent by name, one a line, such as api.github.com",
  },
  { name: "header", label: "Header", optional: true, help: "In which header it is sent" },
];
const ofAgent = ({ agent }: Secret) => (agent === undefined ? {} : { agent });
const titleOf = ({ name, agent }: Secret) => (agent === undefined ? name : `${name} of ${agent}`);

/** Values go in and never come out. */
export function SecretsPart() {
  const [dialog, open] = useDialog();
  const add = (close: () => void) => (
    <FormDialog
      title="Set a secret"
      act="Set secret"
      fields={fields}
      close={close}
      submit={(said) => {
        const hosts = linesOf(said, "hosts");
        const [agent, header] = [textOr(said, "agent"), textOr(said, "header")];
        const rest = { ...(agent && { agent }), ...(header && { header }), ...(hosts.length > 0 && { hosts }) };
        return write("secrets.set", { name: textOf(said, "name"), value: String(said.value), ...rest }, changes);
      }}
    />
  );
  const rotate = (secret: Secret) => (close: () => void) => (
    <FormDialog
      title={`Replace ${titleOf(secret)}`}
      act="Replace value"
      fields={[value]}
      close={close}
      submit={(said) => write("secrets.set", { name: secret.name, ...ofAgent(secret), value: String(said.value) }, changes)}
    >
      <p>The new value goes where the old one went. The old one is gone at once.</p>
    </FormDialog>
  );
  const remove = (secret: Secret) => (close: () => void) => (
    <FormDialog
      title={`Remove the secret ${titleOf(secret)}?`}
      act={`Remove ${secret.name}`}
      fields={[]}
      close={close}
      submit={() => write("secrets.remove", { name: secret.name, ...ofAgent(secret) }, changes)}
    >
      <p>Tools that need it are hidden until it is set again. Its value cannot be brought back.</p>
    </FormDialog>
  );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(add)}>Set a secret</Button>
      </div>
      <PartList
        of="secrets.list"
        label="Secrets"
        empty="Passwords and keys that tools use are listed here by name. Their values are never shown."
        keyOf={titleOf}
        columns={[
          { name: "Name", show: ({ name }) => <code>{name}</code>, by: ({ name }) => name },
          { name: "For", show: ({ agent }) => agent ?? "the whole tenant", by: ({ agent }) => agent },
          { name: "Sent to", show: ({ origins }) => origins.join(", ") || "no host by itself" },
          {
            name: "Last used",
            show: ({ lastUsedAt, lastUsedBy }) =>
              lastUsedAt === undefined ? (
                "never"
              ) : (
                <>
                  <When at={lastUsedAt} /> by <code>{lastUsedBy}</code>
                </>
              ),
            by: ({ lastUsedAt }) => lastUsedAt,
          },
          { name: "Last set", show: ({ changedAt }) => <When at={changedAt} />, by: ({ changedAt }) => changedAt },
        ]}
        acts={(row) => (
          <>
            <Act name="Replace" thing={titleOf(row)} onClick={() => open(rotate(row))} />
            <Act name="Remove" thing={titleOf(row)} onClick={() => open(remove(row))} />
          </>
        )}
      />
      {dialog}
    </>
  );
}
