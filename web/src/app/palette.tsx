import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { reading } from "../api/queries.ts";
import classes from "./palette.module.css";

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

const pages: readonly Entry[] = ["Tools", "Chat", "Rooms", "Memory", "Approvals", "Activity", "Usage", "Policy", "Admin"].map((name) => ({
  key: `page ${name}`,
  name,
  kind: "page",
  to: `/${name.toLowerCase()}`,
}));
const most = 12;

/** Finds pages, tools and calls by what is typed; arrows choose, Enter goes there. */
export function Palette({ close }: { readonly close: () => void }) {
  const [sought, setSought] = useState("");
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const { data } = useQuery(reading("tools.list", { decisions: true }));
  const found = useMemo(() => find(sought, data?.items ?? []), [sought, data]);
  const at = Math.min(chosen, found.length - 1);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    void navigate({ to: entry.to });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") go(found[at]);
  };
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      title={<span className="hidden-visually">Find</span>}
      classNames={{ header: classes.header }}
    >
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found[at] && `${listId}-${at}`}
        aria-label="Find a page, a tool or a call"
        placeholder="A page, a tool, or the id of a call"
        value={sought}
        onChange={(event) => {
          setSought(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label="Found" className={classes.list}>
        {found.map((entry, index) => (
          // The keyboard is with the input, which names the option that is chosen.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={entry.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            className={classes.entry}
            onClick={() => go(entry)}
          >
            <span>{entry.name}</span>
            <span className="dim small">{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="dim small">Nothing is called that.</p>}
    </Modal>
  );
}

function find(sought: string, tools: readonly { readonly name: string; readonly title: string }[]): readonly Entry[] {
  const words = sought.trim().toLowerCase();
  const all = [
    ...pages,
    ...tools.map(({ name }) => ({ key: `tool ${name}`, name, kind: "tool", to: `/tools/${encodeURIComponent(name)}` })),
  ];
  const fitting = all.filter(({ name }) => name.toLowerCase().includes(words));
  const call = /^call_\w+$/.test(words) ? [{ key: words, name: words, kind: "call", to: `/calls/${words}` }] : [];
  return [...call, ...fitting].slice(0, most);
}
