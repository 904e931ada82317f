// Where and of what a run was made: figures without it mean nothing.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { root, scratch } from "./lib.ts";

export interface Machine { machine: { cpu: string; cores: number; memory_gb: number; disk: string }; system: string; kernel: string; commit: string }

function said(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

export function machine(): Machine {
  const changed = said("git", "status", "--porcelain", "--untracked-files=no") !== "";
  return {
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown", cores: cpus().length, memory_gb: Math.round(totalmem() / 1e8) / 10,
      disk: said("stat", "-f", "-c", "%T", scratch),
    },
    system: /^PRETTY_NAME="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "unknown",
    kernel: release(),
    commit: `${said("git", "rev-parse", "--short=12", "HEAD") || "unknown"}${changed ? ", changed" : ""}`,
  };
}
