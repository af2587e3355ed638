/** Paths inside the tools' private file system → contents. */
export type ToolFiles = Record<string, Uint8Array | string>;

export interface ToolRun {
  /** `yosys`, or a tool of a family. */
  tool: string;
  args: string[];
  files: ToolFiles;
  /**
   * Files that are still being made. The tool may be started before they are there and waits where it opens
   * them; its deadline counts from when all have arrived. One that rejects ends the run with its reason.
   */
  late?: Record<string, Promise<Uint8Array | string>>;
  /** Files to bring back; one that the tool did not write is absent from the result. */
  outputs: string[];
  /** Seconds after which the run is ended. */
  deadline: number;
  /** Called for every line of the tool's output, as it comes. */
  onLine(line: string): void;
  signal?: AbortSignal;
}

export interface ToolResult {
  files: Record<string, Uint8Array>;
  seconds: number;
  /** Highest memory of the tool, bytes, where the engine can tell. */
  peakMemory?: number;
}

/**
 * Runs one tool of the toolchain on files that are handed to it and nothing else.
 * Rejects with a BenchError of the toolchain area: tool_failed (exit code), tool_crashed (a trap inside
 * WebAssembly), tool_deadline, tool_memory, tool_missing, build_aborted.
 */
export interface ToolEngine {
  readonly name: 'embedded' | 'native';
  /** tool → version line, for the report and the build id. */
  versions(): Promise<Record<string, string>>;
  run(run: ToolRun): Promise<ToolResult>;
  close(): Promise<void>;
}
