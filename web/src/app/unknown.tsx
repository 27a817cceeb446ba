import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/empty.tsx";

export function Unknown() {
  return (
    <Empty title="There is no such page" act={<Link to="/tools">Go to the tools</Link>}>
      Nothing is at {location.pathname}. It may have moved, or the link is incomplete.
    </Empty>
  );
}
