import { Menu } from "@mantine/core";
import type { ReactElement } from "react";

export interface Action {
  readonly name: string;
  readonly act: () => void;
}

interface ActionMenuBoxProps {
  readonly actions: readonly Action[];
  readonly note: string | undefined;
  readonly children: ReactElement;
}

/** Opens at once, because it is loaded when somebody asks for it. */
export function ActionMenuBox({ actions, note, children }: ActionMenuBoxProps) {
  return (
    <Menu position="bottom-start" defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {note !== undefined && <Menu.Label maw={280}>{note}</Menu.Label>}
        {actions.map(({ name, act }) => (
          <Menu.Item key={name} onClick={act}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
