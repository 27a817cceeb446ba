import { Button } from "@mantine/core";
import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { linesOf, textOf } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import classes from "./admin-page.module.css";

type Role = Item<"roles.list">;
const help = "One a line: area.scope.verb, with * for any one part, or one of the engine's own, such as policy:manage";

/** What people may, by name. */
export function RolesPart() {
  const [dialog, open] = useDialog();
  const set = (role?: Role) => (close: () => void) => (
    <FormDialog
      title={role ? `Change the role ${role.role}` : "Create a role"}
      act={role ? "Change role" : "Create role"}
      close={close}
      fields={[
        ...(role ? [] : [{ name: "role", label: "Name", help: "Lower-case letters, digits, - and _" }]),
        { name: "permissions", label: "Permissions", kind: "lines", help, value: role?.permissions.join("\n") ?? "" },
      ]}
      submit={(said) => write("roles.set", { role: role?.role ?? textOf(said, "role"), permissions: linesOf(said, "permissions") })}
    />
  );
  const remove =
    ({ role }: Role) =>
    (close: () => void) => (
      <FormDialog
        title={`Remove the role ${role}?`}
        act={`Remove ${role}`}
        fields={[]}
        close={close}
        submit={() => write("roles.remove", { role })}
      >
        <p>A role that somebody has or is invited to stays: give them another one first.</p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(set())}>Create a role</Button>
      </div>
      <PartList
        of="roles.list"
        label="Roles"
        empty="Roles say what people may."
        keyOf={({ role }) => role}
        columns={[
          { name: "Role", show: ({ role }) => role, by: ({ role }) => role },
          { name: "Permissions", show: ({ permissions }) => <code>{permissions.join(", ")}</code> },
          { name: "Kind", show: ({ builtIn }) => (builtIn ? "built in" : "of this tenant"), by: ({ builtIn }) => Number(builtIn) },
        ]}
        acts={(row) =>
          !row.builtIn && (
            <>
              <Act name="Change" thing={row.role} onClick={() => open(set(row))} />
              <Act name="Remove" thing={row.role} onClick={() => open(remove(row))} />
            </>
          )
        }
      />
      {dialog}
    </>
  );
}
