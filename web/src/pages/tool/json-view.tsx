import { Textarea } from "@mantine/core";
import { useState } from "react";
import type { Json } from "../../form/json-schema.ts";
import { readJson } from "../../form/json-text.ts";
import { isTooLongToEdit, LargeText, takeLongPaste } from "../../form/large-text.tsx";

/** The whole input as text. A text that is no JSON stays as it is and says where it breaks. */
export function JsonView({ input, onChange }: { readonly input: Json; readonly onChange: (input: Json) => void }) {
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const read = readJson(text);
  const change = (next: string) => {
    setText(next);
    const now = readJson(next);
    if ("json" in now) onChange(now.json);
  };
  const problem = "problem" in read ? `${read.problem} The form keeps what was valid last.` : undefined;
  if (isTooLongToEdit(text)) return <LargeText label="Input as JSON" error={problem} text={text} remove={() => change("{}")} />;
  return (
    <Textarea
      label="Input as JSON"
      classNames={{ input: "mono" }}
      spellCheck={false}
      rows={14}
      value={text}
      error={problem}
      onPaste={(event) => takeLongPaste(event, change)}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
