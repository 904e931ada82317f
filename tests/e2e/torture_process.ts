// A process from outside, as the kernel knows it: memory, descriptors, time on the CPU, how often it woke up.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const TICK_MS = 10;  // USER_HZ is 100 on every Linux that node runs on

const field = (text: string, name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)![1]);
const status = (pid: number): string => readFileSync(`/proc/${pid}/status`, "utf8");

// All that is in RAM, and the part of it that no file stands behind: heap and stacks.
export const anonymous_bytes = (pid: number): number => field(status(pid), "RssAnon") * 1024;
export const rss_bytes = (pid: number): number => field(status(pid), "VmRSS") * 1024;
export const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
// How many of them are connections to this port: those to a model are kept for a while after their use.
export function connections_to(pid: number, port: number): number {
  const lines = readFileSync(`/proc/${pid}/net/tcp`, "utf8").split("\n").slice(1).map((line) => line.trim().split(/\s+/));
  const inodes = new Set(lines.filter((one) => parseInt(one[2]?.split(":")[1] ?? "", 16) === port).map((one) => `socket:[${one[9]}]`));
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => { try { return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)); } catch { return false; } }).length;
}
export const state_of = (pid: number): string => /^State:\s+(\S)/m.exec(status(pid))![1]!;

// Time on the CPU since the start, all threads.
export function cpu_ms(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");  // the name may have spaces; the state is the third field
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

// How often it went to sleep to wait for something, all threads.
export const wake_ups = (pid: number): number => readdirSync(`/proc/${pid}/task`)
  .reduce((sum, thread) => sum + field(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"), "voluntary_ctxt_switches"), 0);
