/** Contents by path in the tool's private file system. */
export type ToolFiles = Record<string, Uint8Array | string>;

/** One call of a tool. */
export interface ToolRun {
  /** `yosys`, or a tool of a family. */
  tool: string;
  args: string[];
  files: ToolFiles;
  /**
   * Files that do not exist yet. The tool may start before they arrive, and waits when it opens one.
   * Its deadline begins when all have arrived. When one rejects, the run ends with that reason.
   */
  late?: Record<string, Promise<Uint8Array | string>>;
  /** Files to read afterwards. A file that the tool does not write is absent from the result. */
  outputs: string[];
  /** Limit of the run, seconds. */
  deadline: number;
  /** Called for every line of output, as the tool prints it. */
  onLine(line: string): void;
  signal?: AbortSignal;
}

/** Result of a successful run. */
export interface ToolResult {
  files: Record<string, Uint8Array>;
  seconds: number;
  /** Peak memory of the tool, bytes, where the engine can measure it. */
  peakMemory?: number;
}

/**
 * Runs one tool on the files of the call. The tool sees no other file.
 * Rejects with a BenchError: tool_failed (exit code), tool_crashed (a trap inside WebAssembly), tool_deadline,
 * tool_memory, tool_missing, build_aborted.
 */
export interface ToolEngine {
  readonly name: 'embedded' | 'native';
  /** Version line by tool, for the report and the build id. */
  versions(): Promise<Record<string, string>>;
  run(run: ToolRun): Promise<ToolResult>;
  close(): Promise<void>;
}
