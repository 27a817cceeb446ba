import { Button } from "@mantine/core";
import { useState } from "react";
import type { Item } from "../../api/queries.ts";
import { CopyAs } from "../../copy-as/copy-as.tsx";
import type { Json } from "../../form/json-schema.ts";
import { ActionMenu } from "../../parts/action-menu.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { textOf } from "../../parts/form-values.ts";
import type { Owner } from "./drafts.ts";
import { addOwnExample, readOwnExamples, removeOwnExample, renameOwnExample } from "./own-examples.ts";
import classes from "./tool-page.module.css";

interface ExamplesProps {
  readonly tool: Item<"tools.list">;
  readonly owner: Owner;
  /** What stands in the form. */
  readonly input: Json;
  readonly fill: (input: Json) => void;
}

/** Inputs of the tool and of the person, to begin with; and what can be done with the one that stands there. */
export function Examples({ tool, owner, input, fill }: ExamplesProps) {
  const [own, setOwn] = useState(() => readOwnExamples(owner));
  /** `""` for a new one. */
  const [named, setNamed] = useState<string>();
  const change = (act: () => void) => {
    act();
    setOwn(readOwnExamples(owner));
  };
  return (
    <div className={classes.examples}>
      {tool.examples.length + own.length > 0 && <span className="dim">Examples</span>}
      {tool.examples.map(({ label, input: example }, index) => (
        <Button key={`${label ?? index}`} size="compact-sm" variant="default" onClick={() => fill(example as Json)}>
          {label ?? `Example ${index + 1}`}
        </Button>
      ))}
      {own.map(({ label, input: example }) => (
        <span key={`own ${label}`} className={classes.own}>
          <Button size="compact-sm" variant="default" onClick={() => fill(example)}>
            {label}
          </Button>
          <ActionMenu
            label={`Change the example ${label}`}
            actions={[
              { name: "Rename", act: () => setNamed(label) },
              { name: "Remove", act: () => change(() => removeOwnExample(owner, label)) },
            ]}
          >
            …
          </ActionMenu>
        </span>
      ))}
      <Button size="compact-sm" variant="subtle" onClick={() => setNamed("")}>
        Save as example
      </Button>
      <CopyAs tool={tool} input={input} />
      {named !== undefined && (
        <FormDialog
          title={named === "" ? "Save as example" : `Rename ${named}`}
          act={named === "" ? "Save example" : "Rename example"}
          fields={[{ name: "label", label: "Name", value: named }]}
          close={() => setNamed(undefined)}
          submit={async (values) => {
            const label = textOf(values, "label");
            change(() =>
              named === "" ? addOwnExample(owner, { label, input }, tool) : renameOwnExample(owner, { from: named, to: label }),
            );
          }}
        >
          <p className="dim">It is kept in this browser, for you and this tool alone, without secret fields.</p>
        </FormDialog>
      )}
    </div>
  );
}
