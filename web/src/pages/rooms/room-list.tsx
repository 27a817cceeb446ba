import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import layout from "../../parts/list-and-detail.module.css";
import { Waiting } from "../../parts/waiting.tsx";

/** Rooms that the person may use, newest first. */
export function RoomList() {
  const { data, error, refetch } = useQuery(reading("rooms.list", {}));
  return (
    <nav aria-label="Rooms" className={layout.list}>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!error && !data && <Waiting rows={3} />}
      {data?.items.length === 0 && <p className="dim small">Rooms appear here.</p>}
      {data?.items.map(({ id, title, agent, agentGone, open, forPerson }) => (
        <Link key={id} to="/rooms" search={{ room: id }} className={layout.item} activeProps={{ "aria-current": "page" }}>
          <span className={layout.title}>{title}</span>
          <span className="dim small">
            {[
              agentGone ? `${agent} (gone)` : agent,
              ...(open > 0 ? [`${open} open`] : []),
              ...(forPerson > 0 ? [`${forPerson} for people`] : []),
            ].join(" · ")}
          </span>
        </Link>
      ))}
    </nav>
  );
}
