import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { releaseNotes } from '../../../.github/release-notes.mjs';
import { appRoot } from '../../../server/paths.ts';

/** The parts of a workflow that these tests need. */
interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}
interface WorkflowJob {
  uses?: string;
  needs?: string | string[];
  permissions?: Record<string, string>;
  'runs-on'?: string;
  'timeout-minutes'?: number;
  strategy?: { matrix: { node?: number[]; os?: string[]; include?: { os: string; executable: string }[] } };
  steps?: Step[];
}
interface Workflow {
  on: Record<string, { tags?: string[] } | null>;
  permissions: Record<string, string>;
  jobs: Record<string, WorkflowJob>;
}

const inRepository = (...parts: string[]) => path.join(appRoot, ...parts);
const read = (...parts: string[]) => readFileSync(inRepository(...parts), 'utf8');
const workflows = Object.fromEntries(
  readdirSync(inRepository('.github/workflows')).map((name) => [
    name,
    parse(read('.github/workflows', name)) as Workflow,
  ]),
);
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const steps = Object.entries(workflows).flatMap(([file, { jobs }]) =>
  Object.entries(jobs).flatMap(([name, job]) =>
    (job.steps ?? []).map((step) => ({ where: `${file}, ${name}`, step })),
  ),
);

describe('workflows', () => {
  test('are ci, package, release and soak', () => {
    expect(Object.keys(workflows).sort()).toEqual(['ci.yml', 'package.yml', 'release.yml', 'soak.yml']);
  });

  test('run commands that package.json has, and files that are there', () => {
    const commands = steps.flatMap(({ where, step }) =>
      [...(step.run ?? '').matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map((match) => [where, match[1] ?? '']),
    );
    expect(commands.length).toBeGreaterThan(4);
    expect(commands.filter(([, name]) => !((name ?? '') in manifest.scripts))).toEqual([]);
    const files = steps.flatMap(({ step }) =>
      [...(step.run ?? '').matchAll(/(?:^|\s)(?:node )?(\.\w+\/[\w./-]+)/g)].map((match) => match[1] ?? ''),
    );
    expect(files).toContain('.ci/run');
    expect(files.filter((file) => !existsSync(inRepository(file)))).toEqual([]);
  });

  test('call existing workflows and depend on existing jobs', () => {
    for (const { jobs } of Object.values(workflows))
      for (const job of Object.values(jobs)) {
        if (job.uses !== undefined) {
          expect(existsSync(inRepository(job.uses))).toBe(true);
          expect(workflows[path.basename(job.uses)]?.on).toHaveProperty('workflow_call');
        }
        for (const needed of [job.needs ?? []].flat()) expect(Object.keys(jobs)).toContain(needed);
      }
  });

  test('pin actions by digest and end by themselves', () => {
    for (const { where, step } of steps)
      if (step.uses !== undefined)
        expect([where, step.uses]).toEqual([where, expect.stringMatching(/^actions\/[\w-]+@[0-9a-f]{40}$/)]);
    for (const { on, jobs } of Object.values(workflows))
      for (const job of Object.values(jobs))
        if (job.uses === undefined)
          expect(job['timeout-minutes']).toBeLessThanOrEqual('schedule' in on ? 350 : 60);
  });

  test('test with Node 20, 22 and 24', () => {
    expect(workflows['ci.yml']?.jobs['unit']?.strategy?.matrix.node).toEqual([20, 22, 24]);
  });

  test('may only read, but for the one job that publishes', () => {
    for (const { permissions } of Object.values(workflows)) expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(workflows).flatMap(([file, { jobs }]) =>
      Object.entries(jobs)
        .filter(([, job]) => job.permissions !== undefined)
        .map(([name]) => `${file}, ${name}`),
    );
    expect(writing).toEqual(['release.yml, publish']);
  });

  test('test and package on Linux, Windows and macOS, and start what they packaged', () => {
    const kinds = (systems: string[]) => systems.map((os) => os.replace(/-.*/, '')).sort();
    const { jobs } = workflows['ci.yml']!;
    expect(jobs['test-linux']?.steps?.some(({ run }) => run === '.ci/run')).toBe(true);
    expect(kinds(jobs['test']?.strategy?.matrix.os ?? [])).toEqual(['macos', 'windows']);
    const packaging = workflows['package.yml']!.jobs['package']!;
    const include = packaging.strategy?.matrix.include ?? [];
    expect(kinds(include.map(({ os }) => os))).toEqual(['macos', 'ubuntu', 'windows']);
    expect(packaging.steps?.filter(({ run }) => run?.includes('npm run smoke'))).toHaveLength(2);
    // Names of electron-builder.
    const builder = parse(read('electron-builder.yml')) as {
      productName: string;
      linux: { executableName: string };
      directories: { output: string };
    };
    for (const { executable } of include)
      expect(executable).toMatch(new RegExp(`^${builder.directories.output}/`));
    expect(include[0]?.executable).toContain(`/${builder.linux.executableName}`);
    for (const { executable } of include.slice(1)) expect(executable).toContain(`/${builder.productName}`);
  });

  test('publish on a version tag, after tests and packaging', () => {
    const { on, jobs } = workflows['release.yml']!;
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(jobs['publish']?.needs).toEqual(['test', 'package']);
    expect(jobs['test']?.needs).toBe('version');
    expect(jobs['package']?.needs).toBe('version');
  });
});

describe('the notes of a release', () => {
  const changelog = `# Changes\n\n## [Unreleased]\n\n- not yet\n\n## [1.2.0] - 2026-11-30\n\n### Added\n\n- one\n\n## [1.1.0] - 2026-11-01\n\n- old\n\n[1.2.0]: https://example.org\n`;

  test('are the section of that version', () => {
    expect(releaseNotes('v1.2.0', '1.2.0', changelog)).toBe('### Added\n\n- one');
    expect(releaseNotes('v1.1.0', '1.1.0', changelog)).toBe('- old');
  });

  test('are refused for a tag unlike the version, and for a version missing in the change log', () => {
    expect(() => releaseNotes('v1.2.1', '1.2.0', changelog)).toThrow(/must be v1\.2\.0/);
    expect(() => releaseNotes('1.2.0', '1.2.0', changelog)).toThrow(/must be v1\.2\.0/);
    expect(() => releaseNotes('v1.3.0', '1.3.0', changelog)).toThrow(/no section/);
  });
});

describe('GitHub templates and community files', () => {
  test('issue forms have the fields that GitHub requires', () => {
    for (const name of readdirSync(inRepository('.github/ISSUE_TEMPLATE'))) {
      const form = parse(read('.github/ISSUE_TEMPLATE', name)) as {
        name: string;
        description: string;
        body: { id: string; type: string; attributes: { label: string; options?: unknown[] } }[];
      };
      if (name === 'config.yml') continue;
      expect(form.name && form.description).toBeTruthy();
      const ids = form.body.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { type, attributes } of form.body) {
        expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
        expect(attributes.label).toBeTruthy();
        if (type === 'dropdown' || type === 'checkboxes')
          expect(attributes.options?.length).toBeGreaterThan(0);
      }
    }
  });

  test('exist, with valid links', () => {
    for (const name of [
      'LICENSE',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      '.editorconfig',
      '.nvmrc',
    ]) {
      const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');
      expect(links.filter((link) => !existsSync(inRepository(link)))).toEqual([]);
    }
    expect(read('LICENSE')).toMatch(/^MIT License\n\nCopyright \(c\) 2026 The Wishbench developers\n/);
    const { license, engines } = JSON.parse(read('package.json')) as {
      license: string;
      engines: { node: string };
    };
    expect(license).toBe('MIT');
    expect(engines.node).toContain(read('.nvmrc').trim());
  });

  test('CONTRIBUTING names every rule of `npm run check`', async () => {
    const { RULES } = await import('../../../check.mjs');
    for (const rule of Object.keys(RULES)) expect(read('CONTRIBUTING.md')).toContain(`\`${rule}\``);
  });
});
