import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Item, reading, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, textOf } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

export function PeoplePart() {
  const [dialog, open] = useDialog();
  const [link, setLink] = useState<string>();
  const { data: roles } = useQuery(reading("roles.list", {}));
  const role: Field = { name: "role", label: "Role", kind: "choice", choices: roles?.items.map((each) => each.role) ?? [] };
  const invite = (close: () => void) => (
    <FormDialog
      title="Invite a person"
      act="Invite"
      fields={[{ name: "email", label: "E-mail" }, role]}
      close={close}
      submit={async (said) => {
        const { token } = await write("users.invite", { email: textOf(said, "email"), role: textOf(said, "role") });
        setLink(`${location.origin}/auth/accept?token=${encodeURIComponent(token)}`);
      }}
    />
  );
  const change = (person: Item<"users.list">) => (close: () => void) => (
    <FormDialog
      title={`Change the role of ${person.email}`}
      act="Change role"
      fields={[{ ...role, value: person.role }]}
      close={close}
      submit={(said) => write("users.update", { who: person.user, role: textOf(said, "role") })}
    />
  );
  const remove = (who: string, email: string) => (close: () => void) => (
    <FormDialog title={`Remove ${email}?`} act={`Remove ${email}`} fields={[]} close={close} submit={() => write("users.remove", { who })}>
      <p>A person loses access with all their keys, and an invitation ends. What they did stays in the log.</p>
    </FormDialog>
  );
  return (
    <>
      <div className={classes.bar}>
        <Button disabled={!roles} onClick={() => open(invite)}>
          Invite a person
        </Button>
      </div>
      <PartList
        of="users.list"
        label="People"
        empty="People of this tenant are listed here. Invite the first one."
        keyOf={({ user }) => user}
        columns={[
          { name: "Name", show: ({ name }) => name, by: ({ name }) => name },
          { name: "E-mail", show: ({ email }) => email, by: ({ email }) => email },
          { name: "Role", show: ({ role: has }) => has, by: ({ role: has }) => has },
          { name: "Since", show: ({ since }) => <When at={since} />, by: ({ since }) => since },
        ]}
        acts={(row) => (
          <>
            <Act name="Change role" thing={`of ${row.email}`} onClick={() => open(change(row))} />
            <Act name="Remove" thing={row.email} onClick={() => open(remove(row.user, row.email))} />
          </>
        )}
      />
      <section className={classes.section}>
        <h2>Open invitations</h2>
        <PartList
          of="users.invitations"
          label="Invitations"
          empty="Invitations wait here until they are taken."
          keyOf={({ id }) => id}
          columns={[
            { name: "E-mail", show: ({ email }) => email },
            { name: "Role", show: ({ role: gets }) => gets },
            { name: "Open until", show: ({ expiresAt }) => <When at={expiresAt} /> },
          ]}
          acts={({ email }) => <Act name="Remove" thing={email} onClick={() => open(remove(email, email))} />}
        />
      </section>
      {dialog}
      {link !== undefined && <ShownOnce title="The link of the invitation" text={link} close={() => setLink(undefined)} />}
    </>
  );
}
