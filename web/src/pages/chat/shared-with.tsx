import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import { visibleText } from "../../api/client.ts";
import { type Answer, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, textOr, type Values } from "../../parts/form-values.ts";
import classes from "./chat-page.module.css";

/** Whom a session is shared with where it is shared with the tenant. */
const everybody = "*";
const nameOf = (audience: string) => (audience === everybody ? "everybody" : visibleText(audience));

const fields: readonly Field[] = [
  {
    ...{ name: "with", label: "Person", optional: true },
    help: "The id that the person's menu shows; service:ID or agent:ID for a program",
  },
  { name: "tenant", label: "Everybody of the tenant", kind: "yes" },
];

function readAudience(said: Values): { readonly with: string } | { readonly tenant: true } {
  const person = textOr(said, "with");
  const wantsEverybody = said.tenant === true;
  if (person !== undefined && !wantsEverybody) return { with: person };
  if (person === undefined && wantsEverybody) return { tenant: true };
  throw new Error("Enter the id of one person, or choose everybody of the tenant.");
}

/** Whose the conversation is, and who else may use it: those who may share it do so here, and take shares back. */
export function SharedWith({ session: { id, owner, sharedWith = [] } }: { readonly session: Answer<"sessions.get"> }) {
  const { me, may } = useMe();
  const [isSharing, setSharing] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const button = useRef<HTMLButtonElement>(null);
  if (!me) return null;
  const isOwn = me.actor.kind === "user" && me.actor.id === owner;
  const mayShare = isOwn || may("sessions:manage");
  const unshare = async (audience: string) => {
    setProblem(undefined);
    try {
      await write("sessions.unshare", { id, ...(audience === everybody ? { tenant: true } : { with: audience }) });
      // The button that was pressed is gone.
      button.current?.focus();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <section aria-label="Sharing" className={classes.sharing}>
      <p role="status" className="dim small">
        {!isOwn && (owner === undefined ? "Has no owner. " : `Belongs to ${visibleText(owner)}. `)}
        {sharedWith.length === 0 ? "Not shared." : `Shared with ${sharedWith.map(nameOf).join(", ")}.`}
      </p>
      {mayShare && (
        <div className={classes.shares}>
          {sharedWith.map((audience) => (
            <Button key={audience} size="compact-sm" variant="default" onClick={() => void unshare(audience)}>
              {`Unshare ${nameOf(audience)}`}
            </Button>
          ))}
          <Button ref={button} size="compact-sm" variant="default" onClick={() => setSharing(true)}>
            Share
          </Button>
        </div>
      )}
      {problem !== undefined && <Failure error={problem} />}
      {isSharing && (
        <FormDialog
          title="Share this conversation"
          act="Share the conversation"
          fields={fields}
          close={() => setSharing(false)}
          submit={async (said) => write("sessions.share", { id, ...readAudience(said) })}
        >
          <p>They open it at the address of this page, read all of it, and make calls in it as themselves.</p>
        </FormDialog>
      )}
    </section>
  );
}
