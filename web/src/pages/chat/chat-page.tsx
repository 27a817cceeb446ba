import { Link } from "@tanstack/react-router";
import { useUrl } from "../../app/use-url.ts";
import layout from "../../parts/list-and-detail.module.css";
import { PageHead } from "../../parts/page-head.tsx";
import { Conversation } from "./conversation.tsx";
import { ConversationList } from "./conversation-list.tsx";

/** Talks with agents: each call a card, each question answered where it is asked. */
export function ChatPage() {
  const [{ conversation }, change] = useUrl();
  return (
    <>
      <PageHead title="Chat">
        <Link to="/rooms">Rooms</Link>
        {conversation !== undefined && <Link to="/chat">New conversation</Link>}
      </PageHead>
      <div className={layout.desk} data-chosen={conversation !== undefined}>
        <ConversationList />
        <Conversation key={conversation ?? "new"} id={conversation} onBegun={(id) => change({ conversation: id }, { replace: true })} />
      </div>
    </>
  );
}
