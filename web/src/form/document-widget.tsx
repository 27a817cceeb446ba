import { Button, Input } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { type DragEvent, useRef, useState } from "react";
import classes from "./form.module.css";
import { frameOf } from "./widget-parts.tsx";

/** A file whose content is a member of the input: picked, dropped or pasted. Base64 where the schema says so, else its text. */
export function DocumentWidget(props: WidgetProps) {
  const { id, label, description, error, inputWrapperOrder } = frameOf(props);
  const [name, setName] = useState<string>();
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const isText = props.schema.contentEncoding !== "base64" && props.schema.format !== "byte" && props.schema.format !== "binary";
  const take = async (file: File | undefined) => {
    if (!file) return;
    props.onChange(isText ? await file.text() : base64Of(new Uint8Array(await file.arrayBuffer())));
    setName(`${file.name}, ${file.size.toLocaleString("en")} bytes`);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const clear = () => {
    setName(undefined);
    props.onChange(undefined);
  };
  const holds =
    props.value === undefined
      ? "Drop a file here, paste one, or"
      : (name ?? `${String(props.value).length.toLocaleString("en")} characters`);
  return (
    <Input.Wrapper label={label} description={description} error={error} inputWrapperOrder={inputWrapperOrder} labelProps={{ htmlFor: id }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are what a mouse has beside the button */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        onPaste={(event) => void take(event.clipboardData.files[0])}
      >
        <span>{holds}</span>
        <input
          ref={picker}
          id={id}
          type="file"
          className="hidden-visually"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        <Button size="compact-sm" variant="default" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        {props.value !== undefined && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            Remove
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

const chunk = 32_768;

/** A file of many bytes at once would be more arguments than a call takes. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(text);
}
