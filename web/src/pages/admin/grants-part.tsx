import { type Item, write } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { When } from "../../parts/when.tsx";

type Grant = Item<"grants.list">;
type Allowed = Grant["record"]["allows"][number];

function wordsOfAllowed(allowed: Allowed): string {
  if (allowed.kind === "command") return allowed.pattern;
  if (allowed.kind === "path") return `${allowed.access} ${allowed.prefix}`;
  return allowed.kind === "request" ? `${allowed.method} ${allowed.host}` : "one exact input";
}

const stateOf = ({ revoked, record }: Grant) => (revoked ? "revoked" : record.expiresAt < Date.now() ? "over" : "holds");

/** Approvals that are remembered. */
export function GrantsPart() {
  const [dialog, open] = useDialog();
  const revoke =
    ({ record: { id, tool, allows } }: Grant) =>
    (close: () => void) => (
      <FormDialog
        title={`Revoke the grant for ${tool}?`}
        act="Revoke grant"
        fields={[]}
        close={close}
        submit={() => write("grants.revoke", { id })}
      >
        <p>
          Calls that match <code>{allows.map(wordsOfAllowed).join(", ")}</code> ask again.
        </p>
      </FormDialog>
    );
  return (
    <>
      <PartList
        of="grants.list"
        label="Grants"
        empty="When you remember an approval, what it lets through unasked is listed here."
        keyOf={({ record }) => record.id}
        columns={[
          { name: "Tool", show: ({ record }) => <code>{record.tool}</code>, by: ({ record }) => record.tool },
          { name: "Lets through", show: ({ record }) => <code>{record.allows.map(wordsOfAllowed).join(", ")}</code> },
          { name: "For", show: ({ record: { scope } }) => (scope.kind === "tenant" ? "the tenant" : `${scope.kind} of ${scope.holder}`) },
          { name: "Used", show: ({ used, record }) => `${used} of ${record.maxUses}`, by: ({ used }) => used },
          { name: "Until", show: ({ record }) => <When at={record.expiresAt} />, by: ({ record }) => record.expiresAt },
          { name: "State", show: stateOf, by: stateOf },
        ]}
        acts={(row) =>
          stateOf(row) === "holds" && <Act name="Revoke" thing={`the grant for ${row.record.tool}`} onClick={() => open(revoke(row))} />
        }
      />
      {dialog}
    </>
  );
}
