import { AuditChain, AuditPage, AuditQuery } from '../bench/audit.ts';
import { BenchStatus, Health, SettingsResponse } from '../bench/bench.ts';
import { BuildsQuery, BuildsView } from '../bench/builds.ts';
import { SettingsPatch } from '../bench/settings.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerFile, type Route } from '../route.ts';

/** Routes of the bench itself: its state, its settings, its records. */
export const BENCH_ROUTES = {
  getHealth: {
    summary: 'Health of the service',
    tag: 'bench',
    access: 'open',
    answers: {
      200: answer('The service and its store work.', Health),
      503: answer('The store cannot be written; requests may be refused.', Health),
    },
  },

  makeReport: {
    summary: 'A zip file to attach to an issue',
    description:
      'Status, settings, boards, doctor, newest jobs and log lines, without secrets and names of people.',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answerFile('The report.', 'application/zip') },
  },

  makeBackup: {
    summary: 'A backup of the data directory',
    description:
      'A consistent gzipped tar file, as `wishbench backup` writes it, for `wishbench restore`. It contains sources and digests of keys.',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answerFile('The backup.', 'application/gzip') },
    errors: ['backup_impossible'],
  },

  getAudit: {
    summary: 'Who did what, newest first',
    tag: 'bench',
    access: 'operator',
    query: AuditQuery,
    answers: { 200: answer('The entries.', AuditPage) },
  },

  verifyAudit: {
    summary: 'Verify the audit trail',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answer('Whether it is intact.', AuditChain) },
  },

  getMetrics: {
    summary: 'Figures for Prometheus',
    description: 'Callers on this computer need no key; others send a key or the operator token.',
    tag: 'bench',
    access: 'local',
    answers: { 200: answerFile('The figures, in the text format of Prometheus.', 'text/plain') },
  },

  listBuilds: {
    summary: 'Builders, builds and the queue',
    tag: 'bench',
    access: 'key',
    query: BuildsQuery,
    answers: {
      200: answer('The workers of the build queue, or this bench if it builds locally.', BuildsView),
    },
  },

  getStatus: {
    summary: 'The status of the service',
    tag: 'bench',
    access: 'key',
    answers: { 200: answer('The bench as it is.', BenchStatus) },
  },

  getSettings: {
    summary: 'The settings',
    tag: 'bench',
    access: 'operator',
    answers: {
      200: answer('The settings, their defaults, and what the operator should know.', SettingsResponse),
    },
  },

  changeSettings: {
    summary: 'Change settings',
    description:
      'Fields that are absent keep their value. Listening on the LAN switches enforcement of keys on with it; switching that off again needs a separate request.',
    tag: 'bench',
    access: 'operator',
    body: { takes: 'json', schema: SettingsPatch },
    answers: { 200: answer('The settings after the change.', SettingsResponse) },
    errors: ['address_unavailable', 'store_unavailable'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
