import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { visibleText } from "../../api/client.ts";
import { type Answer, reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { LineDiff } from "../../parts/line-diff.tsx";
import { useReturnFocus } from "../../parts/use-return-focus.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import { Text } from "../../result/value-view.tsx";
import classes from "./memory-page.module.css";
import { trustWords } from "./memory-words.ts";

interface MemoryDetailProps {
  readonly owner?: string;
  readonly entry: string;
  readonly close: () => void;
}

/** One entry with what it came from, and how it changed. */
export function MemoryDetail({ owner, entry, close }: MemoryDetailProps) {
  const { data, error, refetch } = useQuery(reading("memories.show", { key: entry, ...(owner !== undefined && { owner }) }));
  const section = useRef<HTMLElement>(null);
  useReturnFocus();
  // It is below a list that may be long.
  useEffect(() => section.current?.focus(), []);
  return (
    <section ref={section} tabIndex={-1} className={classes.section} aria-label={`Memory ${visibleText(entry)}`}>
      <h2>{visibleText(entry)}</h2>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && <Versions memory={data} />}
      <Button variant="default" onClick={close}>
        Close
      </Button>
    </section>
  );
}

/** Newest first, each beside the one before it. */
function Versions({ memory: { versions } }: { readonly memory: Answer<"memories.show"> }) {
  return (
    <ol className={classes.versions}>
      {versions.map((version, index) => {
        const before = versions[index + 1];
        return (
          <li key={version.version}>
            <p className="dim small">
              Version {version.version}, saved <When at={version.savedAt} /> by {visibleText(version.by.id)}, from {trustWords(version)}
              <Calls sources={version.sources} />
            </p>
            {before ? (
              <LineDiff label={`Version ${version.version}`} before={before.content} after={version.content} />
            ) : (
              <Text text={visibleText(version.content)} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Calls({ sources }: Pick<Answer<"memories.show">, "sources">) {
  const calls = [...new Set(sources.flatMap(({ callId }) => callId ?? []))];
  return calls.map((id) => (
    <span key={id}>
      {" · "}
      <Link to="/calls/$id" params={{ id }}>
        the call
      </Link>
    </span>
  ));
}
