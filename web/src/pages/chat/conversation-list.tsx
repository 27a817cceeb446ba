import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { visibleText } from "../../api/client.ts";
import { reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import layout from "../../parts/list-and-detail.module.css";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./chat-page.module.css";

const most = 50;

/** Conversations of the person and those that are shared with the person, the last used first. */
export function ConversationList() {
  const { me, may } = useMe();
  // People who manage sessions are shown everybody's: here they see their own.
  const owner = may("sessions:manage") ? me?.actor.id : undefined;
  const { data, error, refetch } = useQuery({
    ...reading("sessions.list", { kind: "chat", owner, limit: most }),
    enabled: me !== undefined,
  });
  return (
    <nav aria-label="Conversations" className={`${layout.list} ${classes.conversations}`}>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!error && !data && <Waiting rows={3} />}
      {data?.items.length === 0 && <p className="dim small">Conversations appear here.</p>}
      {data?.items.map(({ id, title, agent, owner: whose, usedAt }) => (
        <Link key={id} to="/chat" search={{ conversation: id }} className={layout.item} activeProps={{ "aria-current": "page" }}>
          <span className={layout.title}>{title ?? id}</span>
          <span className="dim small">
            {agent}
            {whose !== undefined && whose !== me?.actor.id && ` · of ${visibleText(whose)}`} · <When at={usedAt} />
          </span>
        </Link>
      ))}
      {data?.next !== undefined && <p className="dim small">{`The last ${most}. Earlier ones are not shown.`}</p>}
    </nav>
  );
}
