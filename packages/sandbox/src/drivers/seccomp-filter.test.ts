import { expect, test } from "vitest";
import { seccompFilter } from "./seccomp-filter.ts";

/** Runs classic BPF as the kernel does (linux/filter.h), as far as the filter uses it. */
function judge(program: Buffer, call: { arch: number; number: number; args?: readonly number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.arch, 4);
  for (const [index, value] of (call.args ?? []).entries()) data.writeUInt32LE(value, 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    const jump = (condition: boolean) => {
      at += program.readUInt8(at * 8 + (condition ? 2 : 3));
    };
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`instruction ${code} at ${at}`);
  }
}

const allow = 0x7fff0000;
const kill = 0x80000000;
const eperm = 0x00050001;
const enosys = 0x00050026;
const noFamily = 0x00050061;
const noProtocol = 0x0005005d;
const x64 = 0xc000003e;
const arm64 = 0xc00000b7;

const rows = [
  ["read", "x64", { arch: x64, number: 0 }, allow],
  ["execve", "x64", { arch: x64, number: 59 }, allow],
  ["a call of a 32-bit program", "x64", { arch: 0x40000003, number: 11 }, kill],
  ["a call of the x32 table", "x64", { arch: x64, number: 0x40000000 + 59 }, enosys],
  ["mount", "x64", { arch: x64, number: 165 }, eperm],
  ["ptrace", "x64", { arch: x64, number: 101 }, eperm],
  ["keyctl", "x64", { arch: x64, number: 250 }, eperm],
  ["perf_event_open", "x64", { arch: x64, number: 298 }, eperm],
  ["bpf", "x64", { arch: x64, number: 321 }, kill],
  ["clone3", "x64", { arch: x64, number: 435 }, enosys],
  ["io_uring_setup", "x64", { arch: x64, number: 425 }, enosys],
  ["clone of a thread", "x64", { arch: x64, number: 56, args: [0x003d0f00] }, allow],
  ["clone with a new user namespace", "x64", { arch: x64, number: 56, args: [0x10000011] }, eperm],
  ["unshare of file descriptors", "x64", { arch: x64, number: 272, args: [0x400] }, allow],
  ["unshare of the user namespace", "x64", { arch: x64, number: 272, args: [0x10000000] }, eperm],
  ["socketpair of AF_UNIX", "x64", { arch: x64, number: 53, args: [1, 1, 0] }, allow],
  ["socketpair of AF_TIPC", "x64", { arch: x64, number: 53, args: [30, 1, 0] }, noFamily],
  ["a netlink socket for routes", "x64", { arch: x64, number: 41, args: [16, 3, 0] }, allow],
  ["a netlink socket for the packet filter", "x64", { arch: x64, number: 41, args: [16, 3, 12] }, noProtocol],
  ["a socket of the x32 table", "x64", { arch: x64, number: 0x40000000 + 41, args: [40, 1, 0] }, enosys],
  ["a socket of AF_VSOCK", "arm64", { arch: arm64, number: 198, args: [40, 1, 0] }, noFamily],
  ["a socket of AF_INET6", "arm64", { arch: arm64, number: 198, args: [10, 1, 0] }, allow],
  ["socketpair of AF_INET", "arm64", { arch: arm64, number: 199, args: [2, 1, 0] }, noFamily],
  ["accept, the neighbour of socket", "x64", { arch: x64, number: 43 }, allow],
  ["connect, the other neighbour", "x64", { arch: x64, number: 42 }, allow],
  ["ioctl TCGETS", "x64", { arch: x64, number: 16, args: [0, 0x5401] }, allow],
  ["ioctl TIOCSTI", "x64", { arch: x64, number: 16, args: [0, 0x5412] }, eperm],
  ["ioctl TIOCLINUX", "x64", { arch: x64, number: 16, args: [0, 0x541c] }, eperm],
  ["openat", "arm64", { arch: arm64, number: 56 }, allow],
  ["mount", "arm64", { arch: arm64, number: 40 }, eperm],
  ["bpf", "arm64", { arch: arm64, number: 280 }, kill],
  ["ioctl TIOCSTI", "arm64", { arch: arm64, number: 29, args: [0, 0x5412] }, eperm],
  ["a call of an x64 program", "arm64", { arch: x64, number: 0 }, kill],
] as const;

for (const [call, architecture, data, expected] of rows)
  test(`R-SB-6 ${architecture}: ${call}`, () => {
    expect(judge(seccompFilter({ architecture })!, data) >>> 0).toBe(expected);
  });

test("an architecture without a table has no filter", () => {
  expect(seccompFilter({ architecture: "riscv64" })).toBeUndefined();
});

test("R-SB-10 of all families only unix, inet, inet6 and netlink open, high bits of the argument or not", () => {
  const filter = seccompFilter({ architecture: "x64" })!;
  const opened = Array.from({ length: 64 }, (_, family) => family).filter(
    (family) => judge(filter, { arch: x64, number: 41, args: [family, 1, 0] }) === allow,
  );
  expect(opened).toEqual([1, 2, 10, 16]);
  expect(judge(filter, { arch: x64, number: 41, args: [0x10001, 1, 0] })).toBe(noFamily);
});

test("R-SB-11 a run that is held to some processors cannot choose others", () => {
  const call = { arch: x64, number: 203, args: [0, 8, 0] };
  expect(judge(seccompFilter({ architecture: "x64", pinned: true })!, call)).toBe(eperm);
  expect(judge(seccompFilter({ architecture: "x64" })!, call)).toBe(allow);
});

test.each([
  ["clone with a new user namespace", { number: 56, args: [0x10000011] }],
  ["unshare of the user namespace", { number: 272, args: [0x10000000] }],
  ["chroot", { number: 161 }],
])("a program that confines its own children may use %s, and no other may", (_name, call) => {
  expect(judge(seccompFilter({ architecture: "x64", nested: true })!, { arch: x64, ...call })).toBe(allow);
  expect(judge(seccompFilter({ architecture: "x64" })!, { arch: x64, ...call })).toBe(eperm);
});

test("mounts, other processes and the kernel stay closed to a program that confines its own children", () => {
  const filter = seccompFilter({ architecture: "x64", nested: true })!;
  for (const number of [165, 166, 155, 308, 101, 250, 298, 428]) expect(judge(filter, { arch: x64, number })).toBe(eperm);
  expect(judge(filter, { arch: x64, number: 321 }) >>> 0).toBe(kill);
});
