import { useEffect, useState } from "react";
import { hasKey } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { useServerFacts } from "../app/use-server-facts.ts";
import type { Json } from "../form/json-schema.ts";
import { withoutSecrets } from "../form/without-secrets.ts";
import { ActionMenu } from "../parts/action-menu.tsx";
import { ways } from "./written-call.ts";

interface CopyAsProps {
  readonly tool: Pick<Item<"tools.list">, "name" | "inputSchema" | "presentation">;
  readonly input: Json;
}

/** A call as a command or a program, on the clipboard. */
export function CopyAs({ tool, input }: CopyAsProps) {
  const { peopleSignIn = false } = useServerFacts();
  const [said, say] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => say(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const needsKey = peopleSignIn || hasKey();
  const actions = ways.map(({ name, write }) => ({
    name,
    act: async () => {
      const open = withoutSecrets(input, tool);
      const text = write({ tool: tool.name, input: open, origin: location.origin, needsKey });
      const hides = JSON.stringify(open) !== JSON.stringify(input);
      try {
        await navigator.clipboard.writeText(text);
        say(hides ? "Copied without secrets" : `Copied as ${name}`);
      } catch {
        say("Your browser blocks copying");
      }
    },
  }));
  return (
    <span aria-live="polite">
      <ActionMenu actions={actions} note={needsKey ? "Put an API key into TOOLWRIGHT_KEY: none is copied." : undefined}>
        {said ?? "Copy as"}
      </ActionMenu>
    </span>
  );
}
