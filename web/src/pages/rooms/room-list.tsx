import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./rooms-page.module.css";

/** Rooms that the person may use, newest first. */
export function RoomList() {
  const { data, error, refetch } = useQuery(reading("rooms.list", {}));
  return (
    <nav aria-label="Rooms" className={classes.list}>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!error && !data && <Waiting rows={3} />}
      {data?.items.length === 0 && <p className="dim small">Rooms appear here.</p>}
      {data?.items.map(({ id, title, agent, open, forPerson }) => (
        <Link key={id} to="/rooms" search={{ room: id }} className={classes.item} activeProps={{ "aria-current": "page" }}>
          <span className={classes.title}>{title}</span>
          <span className="dim small">
            {[agent, ...(open > 0 ? [`${open} open`] : []), ...(forPerson > 0 ? [`${forPerson} for people`] : [])].join(" · ")}
          </span>
        </Link>
      ))}
    </nav>
  );
}
