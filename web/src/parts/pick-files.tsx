import { Button, type ButtonProps } from "@mantine/core";
import { type ChangeEvent, type ReactNode, useRef } from "react";

interface PickFilesProps extends Pick<ButtonProps, "variant"> {
  readonly take: (files: readonly File[]) => Promise<void>;
  /** Endings of names, with commas between. */
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly children: ReactNode;
}

/** A button by which files of the person's machine are picked. */
export function PickFiles({ take, accept, multiple, children, ...looks }: PickFilesProps) {
  const picker = useRef<HTMLInputElement>(null);
  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    void take([...(currentTarget.files ?? [])]);
    // The same file can be picked again.
    currentTarget.value = "";
  };
  return (
    <>
      <input ref={picker} type="file" accept={accept} multiple={multiple} hidden onChange={onChange} />
      <Button {...looks} onClick={() => picker.current?.click()}>
        {children}
      </Button>
    </>
  );
}
