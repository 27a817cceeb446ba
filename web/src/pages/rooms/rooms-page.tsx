import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { write } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { linesOf, textOf } from "../../parts/form-values.ts";
import layout from "../../parts/list-and-detail.module.css";
import { PageHead } from "../../parts/page-head.tsx";
import { peopleField } from "./people-field.ts";
import { Room } from "./room.tsx";
import { RoomList } from "./room-list.tsx";

/** Rooms: an agent, people, and events that the agent works off. */
export function RoomsPage() {
  const [{ room }, change] = useUrl();
  const { may } = useMe();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHead title="Rooms">
        {room !== undefined && <Link to="/rooms">All rooms</Link>}
        {may("agents:run") && <Button onClick={() => setMaking(true)}>Make a room</Button>}
      </PageHead>
      <div className={layout.desk} data-chosen={room !== undefined}>
        <RoomList />
        {room === undefined ? (
          <Empty title="Choose a room">An agent works off the events of a room by itself, and writes here to the people in it.</Empty>
        ) : (
          <Room key={room} id={room} onDeleted={() => change({ room: undefined }, { replace: true })} />
        )}
      </div>
      {isMaking && <MakeRoom close={() => setMaking(false)} onMade={(id) => change({ room: id })} />}
    </>
  );
}

function MakeRoom({ close, onMade }: { readonly close: () => void; readonly onMade: (id: string) => void }) {
  return (
    <FormDialog
      title="Make a room"
      act="Make the room"
      close={close}
      fields={[
        { name: "title", label: "Title" },
        { name: "agent", label: "Agent", value: "assistant", help: "It works with the rights that you have then" },
        peopleField,
      ]}
      submit={async (said) => {
        const people = linesOf(said, "people");
        const made = await write("rooms.create", { title: textOf(said, "title"), agent: textOf(said, "agent"), people });
        onMade(made.id);
      }}
    />
  );
}
