import { Button } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { wordsOf } from "../../api/words.ts";

/** Checks the chain of each session's log. */
export function VerifyLog() {
  const [words, setWords] = useState<string>();
  const verify = async () => {
    try {
      const { items, more } = await api().operate("events.heads", { limit: 1000 });
      let events = 0;
      const broken: string[] = [];
      for (const [index, { session }] of items.entries()) {
        setWords(`${index} of ${items.length} sessions checked …`);
        const report = await api().operate("events.verify", { session });
        events += report.events;
        if (report.faults.length > 0) broken.push(session);
      }
      const rest = more > 0 ? ` ${more} older sessions were not looked at.` : "";
      setWords(
        broken.length === 0
          ? `The log is whole: ${events} events in ${items.length} sessions.${rest}`
          : `The log is broken in ${broken.join(", ")}. toolwright log verify says where.${rest}`,
      );
    } catch (error) {
      setWords(wordsOf(error));
    }
  };
  return (
    <>
      <span className="dim small" role="status">
        {words}
      </span>
      <Button size="compact-sm" variant="default" onClick={() => void verify()}>
        Verify the log
      </Button>
    </>
  );
}
