/** Numbers of one architecture, from the kernel's syscall tables; numbers from 424 on are the same everywhere. */
interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly clone: number;
  readonly unshare: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly setAffinity: number;
  readonly chroot: number;
  /** Nothing honest in a sandbox calls these. */
  readonly kill: readonly number[];
  /** Programs try these and go on without. */
  readonly refuse: readonly number[];
}

const architectures = new Map<string, Architecture>([
  [
    "x64",
    {
      audit: 0xc000003e,
      clone: 56,
      unshare: 272,
      ioctl: 16,
      socket: 41,
      socketpair: 53,
      setAffinity: 203,
      chroot: 161,
      // iopl, ioperm, reboot, swapon, swapoff, acct, init_module, delete_module, finit_module, kexec_load, kexec_file_load, bpf
      kill: [172, 173, 169, 167, 168, 163, 175, 176, 313, 246, 320, 321],
      // mount, umount2, pivot_root, chroot, setns, ptrace, process_vm_readv, process_vm_writev, kcmp, add_key, request_key, keyctl,
      // perf_event_open, userfaultfd, open_by_handle_at, name_to_handle_at, quotactl, syslog, lookup_dcookie, fanotify_init,
      // settimeofday, clock_settime, sethostname, setdomainname, vhangup, modify_ldt, uselib
      refuse: [
        165, 166, 155, 161, 308, 101, 310, 311, 312, 248, 249, 250, 298, 323, 304, 303, 179, 103, 212, 300, 164, 227, 170, 171, 153, 154,
        134,
      ],
    },
  ],
  [
    "arm64",
    {
      audit: 0xc00000b7,
      clone: 220,
      unshare: 97,
      ioctl: 29,
      socket: 198,
      socketpair: 199,
      setAffinity: 122,
      chroot: 51,
      // reboot, swapon, swapoff, acct, init_module, delete_module, finit_module, kexec_load, kexec_file_load, bpf
      kill: [142, 224, 225, 89, 105, 106, 273, 104, 294, 280],
      // The same list as above without what arm64 does not have.
      refuse: [40, 39, 41, 51, 268, 117, 270, 271, 272, 217, 218, 219, 241, 282, 265, 264, 60, 116, 18, 262, 170, 112, 161, 162, 58],
    },
  ],
]);

// open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, mount_setattr, quotactl_fd, open_tree_attr
const refuseEverywhere = [428, 429, 430, 431, 432, 433, 438, 442, 443, 467];
// clone3 hides its flags behind a pointer, so callers must fall back to clone; io_uring goes past every filter here.
const missingEverywhere = [435, 425, 426, 427];

const newNamespaceFlags = 0x7e020000;
const terminalInputs = [0x5412, 0x541c]; // TIOCSTI, TIOCLINUX

// linux/socket.h. Everything else (AF_VSOCK reaches the machine's host, AF_ALG and AF_PACKET the kernel) is no network of a run's.
const unixSockets = 1;
const socketFamilies = [unixSockets, 2, 10]; // AF_UNIX, AF_INET, AF_INET6
const netlinkSockets = 16;
// The C library lists the run's own addresses with it; other protocols lead deeper into the kernel.
const netlinkRoute = 0;

const eperm = 1;
const noFamily = 97; // EAFNOSUPPORT
const noProtocol = 93; // EPROTONOSUPPORT
const enosys = 38;

// linux/bpf_common.h and linux/seccomp.h
const load = 0x20;
const jumpEqual = 0x15;
const jumpAtLeast = 0x35;
const jumpAnyBit = 0x45;
const give = 0x06;
const allow = 0x7fff0000;
const killProcess = 0x80000000;
const failWith = (errno: number) => 0x00050000 | errno;

// struct seccomp_data: nr, arch, instruction pointer, arguments of 8 bytes (little-endian on both architectures).
const numberOffset = 0;
const architectureOffset = 4;
const argumentOffset = (index: number) => 16 + index * 8;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

const answer = (number: number, action: number): Instruction[] => [
  [jumpEqual, 0, 1, number],
  [give, 0, 0, action],
];

/** Refuses when the argument has any of the bits, for that call alone. */
const answerFlags = (number: number, bits: number): Instruction[] => [
  [jumpEqual, 0, 4, number],
  [load, 0, 0, argumentOffset(0)],
  [jumpAnyBit, 0, 1, bits],
  [give, 0, 0, failWith(eperm)],
  [give, 0, 0, allow],
];

const jumpTo = (lines: number, value: number): Instruction => [jumpEqual, lines, 0, value];

/** Families by list: what is not on it does not open, also when a later kernel brings it. */
function answerSockets({ socket, socketpair }: Architecture): Instruction[] {
  const pair: Instruction[] = [
    [load, 0, 0, argumentOffset(0)],
    jumpTo(1, unixSockets),
    [give, 0, 0, failWith(noFamily)],
    [give, 0, 0, allow],
  ];
  const netlink: Instruction[] = [
    [jumpEqual, 1, 0, netlinkSockets],
    [give, 0, 0, failWith(noFamily)],
    [load, 0, 0, argumentOffset(2)],
    jumpTo(1, netlinkRoute),
    [give, 0, 0, failWith(noProtocol)],
  ];
  const families = socketFamilies.map((family, index) => jumpTo(socketFamilies.length - index - 1 + netlink.length, family));
  const one: Instruction[] = [[load, 0, 0, argumentOffset(0)], ...families, ...netlink, [give, 0, 0, allow]];
  return [[jumpEqual, 0, pair.length, socketpair], ...pair, [jumpEqual, 0, one.length, socket], ...one];
}

interface FilterOptions {
  readonly architecture?: string;
  /** True for a program that confines its own children further: it may make namespaces and change its root, and nothing else more. */
  readonly nested?: boolean;
  /** True when the processors that a run may use are what holds it back: it must not choose others. */
  readonly pinned?: boolean;
}

/**
 * The classic BPF program for `bwrap --seccomp`, or undefined for an architecture without a table. It narrows the kernel surface
 * that namespaces alone leave open; it is not the wall.
 */
export function seccompFilter({ architecture = process.arch, pinned = false, nested = false }: FilterOptions = {}): Buffer | undefined {
  const table = architectures.get(architecture);
  if (table === undefined) return undefined;
  const refused = [...table.refuse, ...refuseEverywhere].filter((number) => !(nested && number === table.chroot));
  const x32Calls: Instruction[] =
    architecture === "x64"
      ? [
          [jumpAtLeast, 0, 1, 0x40000000],
          [give, 0, 0, failWith(enosys)],
        ]
      : [];
  return assemble([
    [load, 0, 0, architectureOffset],
    [jumpEqual, 1, 0, table.audit],
    [give, 0, 0, killProcess],
    [load, 0, 0, numberOffset],
    ...x32Calls,
    ...table.kill.flatMap((number) => answer(number, killProcess)),
    ...refused.flatMap((number) => answer(number, failWith(eperm))),
    ...(pinned ? answer(table.setAffinity, failWith(eperm)) : []),
    ...answerSockets(table),
    ...missingEverywhere.flatMap((number) => answer(number, failWith(enosys))),
    ...(nested ? [] : [table.clone, table.unshare].flatMap((number) => answerFlags(number, newNamespaceFlags))),
    [jumpEqual, 0, 3 * terminalInputs.length - 1, table.ioctl],
    [load, 0, 0, argumentOffset(1)],
    ...terminalInputs.flatMap((request) => answer(request, failWith(eperm))),
    [give, 0, 0, allow],
  ]);
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
