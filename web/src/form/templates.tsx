import { Button } from "@mantine/core";
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
} from "@rjsf/utils";
import { type ReactNode, useState } from "react";
import classes from "./form.module.css";
import { type Group, layOut } from "./form-layout.ts";
import type { FormPlan } from "./form-plan.ts";
import { labelOf } from "./widget-parts.tsx";

/** Widgets show their own label, help and errors. */
export function FieldTemplate({ children, hidden }: FieldTemplateProps) {
  return hidden ? <div hidden>{children}</div> : children;
}

export function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { properties, title, description, fieldPathId, required, registry, schema, uiSchema, errorSchema } = props;
  const isRoot = fieldPathId.path.length === 0;
  const isBranch = uiSchema?.["ui:options"]?.isBranch === true;
  const { groups, more } = isRoot ? (registry.formContext as Pick<FormPlan, "groups" | "more">) : { groups: [], more: [] };
  const layout = layOut(
    properties.map(({ name }) => name),
    { groups, more },
  );
  const contentOf = (wanted: string) => <div key={wanted}>{properties.find(({ name }) => name === wanted)?.content}</div>;
  const errors = errorSchema?.__errors ?? [];
  const fields = (
    <>
      {layout.parts.map((part) =>
        "field" in part ? contentOf(part.field) : <Grouped key={part.group.fields[0]} group={part.group} show={contentOf} />,
      )}
      {layout.more.length > 0 && (
        <MoreOptions count={layout.more.length} hasMistake={layout.more.some((name) => errorSchema?.[name] !== undefined)}>
          {layout.more.map(contentOf)}
        </MoreOptions>
      )}
      {errors.length > 0 && <p className={classes.error}>{errors.join(" ")}</p>}
    </>
  );
  if (isRoot || isBranch) return <div className={classes.fields}>{fields}</div>;
  return (
    <fieldset className={classes.group} id={fieldPathId.$id}>
      <legend>{labelOf(title.replace(/-(\d+)$/, " $1"), required === true)}</legend>
      {(description ?? schema.description) && <p className="dim small">{description ?? schema.description}</p>}
      <div className={classes.fields}>{fields}</div>
    </fieldset>
  );
}

function Grouped({ group, show }: { readonly group: Group; readonly show: (name: string) => ReactNode }) {
  return (
    <fieldset className={classes.part}>
      <legend>{group.title}</legend>
      {group.help !== undefined && <p className="dim small">{group.help}</p>}
      <div className={classes.fields}>{group.fields.map(show)}</div>
    </fieldset>
  );
}

interface MoreOptionsProps {
  readonly count: number;
  readonly hasMistake: boolean;
  readonly children: ReactNode;
}

/** Fields that are rarely filled. One that a mistake is in opens with it. */
function MoreOptions({ count, hasMistake, children }: MoreOptionsProps) {
  const [isWanted, setWanted] = useState(false);
  const isOpen = isWanted || hasMistake;
  return (
    <div>
      <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setWanted(!isOpen)}>
        {isOpen ? "Fewer options" : `More options (${count})`}
      </Button>
      {isOpen && <div className={classes.fields}>{children}</div>}
    </div>
  );
}

export function ListTemplate({ items, canAdd, onAddClick, title, schema, required, rawErrors, fieldPathId }: ArrayFieldTemplateProps) {
  return (
    <fieldset className={classes.group} id={fieldPathId.$id}>
      <legend>{labelOf(title, required === true)}</legend>
      {schema.description && <p className="dim small">{schema.description}</p>}
      <div className={classes.fields}>{items}</div>
      {rawErrors && rawErrors.length > 0 && <p className={classes.error}>{rawErrors.join(" ")}</p>}
      {canAdd && (
        <Button size="compact-sm" variant="default" onClick={onAddClick}>
          {`Add to ${title}`}
        </Button>
      )}
    </fieldset>
  );
}

export function ListItemTemplate({ children, buttonsProps, index }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasRemove, onMoveUpItem, onRemoveItem } = buttonsProps;
  const name = `item ${index + 1}`;
  return (
    <div className={classes.item}>
      <div className={classes.content}>{children}</div>
      {hasMoveUp && index > 0 && (
        <Button size="compact-sm" variant="subtle" aria-label={`Move ${name} up`} onClick={onMoveUpItem}>
          Up
        </Button>
      )}
      {hasRemove && (
        <Button size="compact-sm" variant="subtle" aria-label={`Remove ${name}`} onClick={onRemoveItem}>
          Remove
        </Button>
      )}
    </div>
  );
}

export function UnionTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className={classes.fields}>
      {selector}
      {optionSchemaField}
    </div>
  );
}
