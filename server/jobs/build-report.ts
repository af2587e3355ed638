import { checkOf } from '../contract/check.ts';
import { BuildReport } from '../contract/designs.ts';

const isBuildReport = checkOf(BuildReport);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A finding as earlier versions kept it: `level`, no code, and line 0 for none. */
function upgraded(finding: unknown): unknown {
  if (!isObject(finding) || !('level' in finding)) return finding;
  const { level: severity, line, ...rest } = finding;
  const place = typeof line === 'number' && line > 0 ? { line } : {};
  return { severity, code: `tool_${String(severity)}`, ...rest, ...place };
}

/** Reads a report that was kept with its job, of this version or an earlier one; null where it is damaged. */
export function parseBuildReport(text: string): BuildReport | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { diagnostics, ...report } = isObject(value) ? value : {};
  const found = Array.isArray(diagnostics) ? diagnostics.map(upgraded) : diagnostics;
  const whole: unknown = { ...report, diagnostics: found };
  return isBuildReport(whole) ? whole : null;
}
