import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Failure } from "../../parts/failure.tsx";
import layout from "../../parts/list-and-detail.module.css";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./chat-page.module.css";

const most = 50;

/** Conversations of the person, the last used first. */
export function ConversationList() {
  const { me } = useMe();
  const owner = me?.actor.id;
  const { data, error, refetch } = useQuery({
    ...reading("sessions.list", { kind: "chat", owner, limit: most }),
    enabled: owner !== undefined,
  });
  return (
    <nav aria-label="Conversations" className={`${layout.list} ${classes.conversations}`}>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!error && !data && <Waiting rows={3} />}
      {data?.items.length === 0 && <p className="dim small">Conversations appear here.</p>}
      {data?.items.map(({ id, title, agent, usedAt }) => (
        <Link key={id} to="/chat" search={{ conversation: id }} className={layout.item} activeProps={{ "aria-current": "page" }}>
          <span className={layout.title}>{title ?? id}</span>
          <span className="dim small">
            {agent} · <When at={usedAt} />
          </span>
        </Link>
      ))}
      {data?.next !== undefined && <p className="dim small">{`The last ${most}. Earlier ones are not shown.`}</p>}
    </nav>
  );
}
