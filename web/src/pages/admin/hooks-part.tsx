import { Button } from "@mantine/core";
import { useState } from "react";
import { type Item, write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Field, textOf, textOr, type Values } from "../../parts/form-values.ts";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";
import { channelOf, hookChannels } from "./hook-channels.ts";
import { HookDetail } from "./hook-detail.tsx";
import { newHookSecret } from "./hook-secret.ts";

type Hook = Item<"hooks.list">;

const fields: readonly Field[] = [
  { name: "name", label: "Name", help: "a-z, 0-9 and -" },
  { name: "agent", label: "Agent", value: "assistant", help: "It answers each webhook, with nobody to ask and at most your rights" },
  {
    name: "channel",
    label: "Channel",
    kind: "choice",
    choices: hookChannels.map(({ name }) => name),
    value: "log",
    help: `Where the agent answers. ${hookChannels.map(({ name, answers }) => `${name}: ${answers}`).join("; ")}`,
  },
  { name: "target", label: "Target", optional: true, help: "URL that messages go out to; none for log" },
  { name: "credential", label: "Credential", optional: true, help: "Name of a secret that is sent along there and bound to its host" },
  {
    name: "secret",
    label: "Secret",
    optional: true,
    help: "Name of the secret that senders sign with. Without a name one is made and shown once",
  },
];

/** Addresses to which other services send webhooks, for agents to answer. */
export function HooksPart() {
  const [dialog, open] = useDialog();
  const [made, setMade] = useState<{ readonly hook: string; readonly secret: string }>();
  const [{ hook: shown }, change] = useUrl();
  const { may } = useMe();
  const create = (close: () => void) => (
    <FormDialog
      title="Make a hook"
      act="Make the hook"
      fields={fields}
      close={close}
      submit={async (said) => {
        const { hook, secret } = await makeHook(said);
        change({ hook: hook.id });
        if (secret !== undefined) setMade({ hook: hook.name, secret });
      }}
    />
  );
  const rotate =
    ({ name, secret }: Hook) =>
    (close: () => void) => (
      <FormDialog
        title={`Make a new secret for ${name}?`}
        act="Make a new secret"
        fields={[]}
        close={close}
        submit={async () => {
          const value = newHookSecret();
          await write("secrets.set", { name: secret, value });
          setMade({ hook: name, secret: value });
        }}
      >
        <p>
          It takes the place of <code>{secret}</code>. What is signed with the old one is refused from then on, also at other hooks with
          this secret.
        </p>
      </FormDialog>
    );
  const remove =
    ({ id, name, secret }: Hook) =>
    (close: () => void) => (
      <FormDialog
        title={`Remove the hook ${name}?`}
        act={`Remove ${name}`}
        fields={[]}
        close={close}
        submit={async () => {
          await write("hooks.remove", { hook: id });
          if (shown === id) change({ hook: undefined });
        }}
      >
        <p>
          What is sent to it is lost, and what it began and has not run is denied. The secret <code>{secret}</code> stays.
        </p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <Button onClick={() => open(create)}>Make a hook</Button>
      </div>
      <PartList
        of="hooks.list"
        label="Webhooks"
        empty="Make a hook, and give its address and secret to a service: an agent answers what it sends. Hooks are listed here."
        keyOf={({ id }) => id}
        columns={[
          { name: "Name", show: ({ name }) => name, by: ({ name }) => name },
          { name: "Agent", show: ({ agent }) => <code>{agent}</code>, by: ({ agent }) => agent },
          { name: "Channel", show: ({ channel }) => channel, by: ({ channel }) => channel },
          { name: "Secret", show: ({ secret }) => <code>{secret}</code> },
          { name: "Made", show: ({ createdAt }) => <When at={createdAt} />, by: ({ createdAt }) => createdAt },
        ]}
        acts={(row) => (
          <>
            <Act name="Show" thing={row.name} onClick={() => change({ hook: row.id })} />
            {channelOf(row.channel).isStandard && may("secrets:manage") && (
              <Act name="New secret" thing={`for ${row.name}`} onClick={() => open(rotate(row))} />
            )}
            <Act name="Remove" thing={row.name} onClick={() => open(remove(row))} />
          </>
        )}
      />
      {shown !== undefined && <HookDetail key={shown} id={shown} close={() => change({ hook: undefined })} />}
      {dialog}
      {made && <ShownOnce title={`The secret of ${made.hook}`} text={made.secret} close={() => setMade(undefined)} />}
    </>
  );
}

/** With a secret of its own where none is named. */
async function makeHook(said: Values): Promise<{ readonly hook: Hook; readonly secret?: string }> {
  const [target, credential, named] = [textOr(said, "target"), textOr(said, "credential"), textOr(said, "secret")];
  const wanted = {
    ...{ name: textOf(said, "name"), agent: textOf(said, "agent"), channel: textOf(said, "channel") },
    ...(target && { target }),
    ...(credential && { credential }),
  };
  if (named) return { hook: await write("hooks.create", { ...wanted, secret: named }) };
  const secret = newHookSecret();
  // Of no other secret: one that there is would be replaced.
  const name = `hook_${crypto.randomUUID().slice(0, 8)}`;
  await write("secrets.set", { name, value: secret });
  try {
    return { hook: await write("hooks.create", { ...wanted, secret: name }), secret };
  } catch (error) {
    await write("secrets.remove", { name }).catch(() => undefined);
    throw error;
  }
}
