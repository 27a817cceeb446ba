import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Item, reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";
import { channelOf } from "./hook-channels.ts";
import { signedCurl } from "./hook-secret.ts";

type Hook = Item<"hooks.list">;

interface HookDetailProps {
  readonly id: string;
  readonly close: () => void;
}

/** One hook: its address, how senders sign, and what came of the last messages. */
export function HookDetail({ id, close }: HookDetailProps) {
  const { data } = useQuery(reading("hooks.list", {}));
  const { may } = useMe();
  const hook = data?.items.find((each) => each.id === id);
  if (!hook) return data ? <p>Hook {id} was deleted.</p> : null;
  return (
    <section className={`${classes.section} ${classes.hook}`} aria-label={`Hook ${hook.name}`}>
      <h2>Hook {hook.name}</h2>
      <Facts hook={hook} />
      {channelOf(hook.channel).isStandard && <HowToSend address={addressOf(hook)} />}
      <h3>Last messages</h3>
      {may("jobs:manage") ? <Deliveries hook={hook} /> : <p className="dim">They need the permission jobs:manage.</p>}
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </section>
  );
}

const addressOf = ({ id }: Hook) => `${location.origin}/api/hooks/${id}`;

function Facts({ hook }: { readonly hook: Hook }) {
  const { agent, target, credential, secret, madeBy, createdAt } = hook;
  return (
    <dl className={classes.facts}>
      <dt>Address</dt>
      <dd>
        <code>{addressOf(hook)}</code> <CopyButton text={addressOf(hook)}>Copy the address</CopyButton>
      </dd>
      <dt>Agent</dt>
      <dd>{agent}</dd>
      <dt>Target</dt>
      <dd>{target ?? "none: nothing goes out"}</dd>
      <dt>Credential</dt>
      <dd>{credential ?? "none"}</dd>
      <dt>Secret</dt>
      <dd>
        <code>{secret}</code>
      </dd>
      <dt>Made</dt>
      <dd>
        <When at={createdAt} /> by {madeBy.id}: it has at most the rights that are left of theirs
      </dd>
    </dl>
  );
}

function HowToSend({ address }: { readonly address: string }) {
  const text = signedCurl(address);
  return (
    <>
      <h3>Send a test</h3>
      <p>
        Senders sign as Standard Webhooks says. In a shell, with the secret in <code>HOOK_SECRET</code>:
      </p>
      <ScrollBox label="Commands that send a test" className={classes.commands}>
        <pre>{text}</pre>
      </ScrollBox>
      <CopyButton text={text}>Copy the commands</CopyButton>
    </>
  );
}

/** Jobs of the tenant among which those of the hook are looked for. */
const most = 100;

function Deliveries({ hook: { id, name } }: { readonly hook: Hook }) {
  const { data, error, refetch } = useQuery(reading("jobs.list", { limit: most }));
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Waiting rows={2} />;
  const jobs = data.items.filter(({ principal: { actor } }) => actor.kind === "service" && actor.id === `hook:${id}`);
  if (jobs.length === 0) return <p className="dim">{`None among the last ${most} jobs of the tenant. Send a test to see one.`}</p>;
  return (
    <ul aria-label={`Last messages of ${name}`}>
      {jobs.map(({ id: job, tool, state, reason, createdAt }) => (
        <li key={job}>
          <When at={createdAt} /> · <code>{tool}</code> ·{" "}
          <Link to="/admin/$part" params={{ part: "jobs" }} search={{ job }}>
            {reason ? `${state}: ${reason}` : state}
          </Link>
        </li>
      ))}
    </ul>
  );
}
