import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, RawServerDefault } from 'fastify';
import Type from 'typebox';
import type { Logger } from '../../log.ts';
import { FpgaId, JobId } from '../schemas/contract.ts';

/** The application with types taken from the schemas of its routes. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  Logger,
  TypeBoxTypeProvider
>;

export const NodeParams = Type.Object({ fpga_id: FpgaId });
export const JobParams = Type.Object({ fpga_id: FpgaId, job_id: JobId });
