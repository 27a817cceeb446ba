import { Button } from "@mantine/core";
import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { textOf, textOr } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";

type Tenant = Item<"tenants.list">;

export function TenantsPart() {
  const [dialog, open] = useDialog();
  const create = (close: () => void) => (
    <FormDialog
      title="Create a tenant"
      act="Create tenant"
      close={close}
      fields={[
        { name: "tenant", label: "Id", help: "1 to 63 lower-case letters, digits, - and _" },
        { name: "name", label: "Name", optional: true, help: "For people" },
      ]}
      submit={(said) => {
        const name = textOr(said, "name");
        return write("tenants.create", { tenant: textOf(said, "tenant"), ...(name && { name }) });
      }}
    />
  );
  const change =
    ({ tenant, suspendedAt }: Tenant) =>
    (close: () => void) => (
      <FormDialog
        title={suspendedAt ? `Resume the tenant ${tenant}?` : `Suspend the tenant ${tenant}?`}
        act={suspendedAt ? `Resume ${tenant}` : `Suspend ${tenant}`}
        fields={[]}
        close={close}
        submit={() => write(suspendedAt ? "tenants.resume" : "tenants.suspend", { tenant })}
      >
        <p>{suspendedAt ? "Its people and programs get in again." : "Nobody of it gets in until you resume it. Its data stays."}</p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(create)}>Create a tenant</Button>
      </div>
      <PartList
        of="tenants.list"
        label="Tenants"
        empty="Each tenant has its own people, secrets and policy."
        keyOf={({ tenant }) => tenant}
        columns={[
          { name: "Tenant", show: ({ tenant }) => <code>{tenant}</code>, by: ({ tenant }) => tenant },
          { name: "Name", show: ({ name }) => name, by: ({ name }) => name },
          { name: "Made", show: ({ createdAt }) => <When at={createdAt} />, by: ({ createdAt }) => createdAt },
          { name: "State", show: ({ suspendedAt }) => (suspendedAt ? "suspended" : "open"), by: ({ suspendedAt }) => suspendedAt },
        ]}
        acts={(row) => <Act name={row.suspendedAt ? "Resume" : "Suspend"} thing={row.tenant} onClick={() => open(change(row))} />}
      />
      {dialog}
    </>
  );
}
