import type { Socket } from "node:net";

const open = new Set<string>();

/** Keeps in mind, while it is open, that this process opened the socket for a run or a tool. */
export function rememberDialled(socket: Socket): Socket {
  const { localAddress, localPort } = socket;
  if (localAddress === undefined || localPort === undefined) return socket;
  const key = keyOf(localAddress, localPort);
  open.add(key);
  socket.once("close", () => open.delete(key));
  return socket;
}

/** True when a connection that comes from there is one that this process opened for a run or a tool. */
export function isDialled(address: string, port: number): boolean {
  return open.has(keyOf(address, port));
}

const keyOf = (address: string, port: number) => `${address.replace(/^::ffff:(?=\d+\.)/i, "")} ${port}`;
