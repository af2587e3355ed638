import { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { type ConnectionCause, connectionCause } from '../errors/connection.ts';
import { OtherCertificateError, WrongAnswerError } from './remote-bench.ts';

interface Asked {
  name: string;
  address: string;
}

/** The texts for a bench that was not reached: the middle of a sentence, and the remedy. */
function describeCause(cause: ConnectionCause, address: string): [string, string] {
  const { hostname, protocol } = new URL(address);
  const trust =
    'Add the fingerprint of its certificate to the list; its operator finds it in the settings there. Or use a certificate of an authority that this computer trusts.';
  switch (cause) {
    case 'refused':
      return [
        'does not answer: its computer refuses the connection, because nothing listens at that port',
        'Start the service there with its LAN open, or correct the port in its address.',
      ];
    case 'no_host':
      return [
        `does not answer: no computer is called ${hostname}`,
        'Correct the name in its address, or use its IP address.',
      ];
    case 'no_route':
      return [
        'does not answer: the network has no route to it',
        'Check that its computer is on and in this network, and that its address has not changed.',
      ];
    case 'late':
      return [
        'does not answer in time',
        'Check that its computer is on and not overloaded, and that no firewall blocks it; this bench uses it again as soon as it answers.',
      ];
    case 'certificate':
      return ['has a certificate that this computer does not trust', trust];
    case 'certificate_expired':
      return [
        'has a certificate that has expired or is not valid yet',
        'Check the clocks of both computers, and ask its operator to renew the certificate.',
      ];
    case 'certificate_name':
      return [`has a certificate that is not valid for ${hostname}`, trust];
    case 'not_tls':
      return protocol === 'https:'
        ? [
            'does not speak HTTPS at that port',
            'Correct its address: http:// if its LAN is open without a certificate.',
          ]
        : ['does not speak HTTP at that port', 'Correct its address: https:// if it has a certificate.'];
    case 'cut':
      return [
        'closed the connection without an answer',
        'Read its log; if it has a certificate, its address begins with https://.',
      ];
  }
}

const TRUST: ReadonlySet<ConnectionCause> = new Set([
  'certificate',
  'certificate_expired',
  'certificate_name',
]);

/** The error for a failed request to a remote bench, with the cause and the remedy. */
export function connectionErrorOf(error: unknown, { name, address }: Asked, jobId?: string): BenchError {
  if (error instanceof BenchError) return error;
  const options = { cause: error, ...(jobId === undefined ? {} : { jobId }) };
  const bench = `The bench “${name}”`;
  if (error instanceof OtherCertificateError)
    return benchesError('bench_not_trusted', {
      ...options,
      message: `${bench} has a certificate that does not match its fingerprint in the list.`,
      remedy:
        'Ask its operator whether the certificate is new. If so, put its fingerprint into the list; if not, another computer answers there.',
    });
  if (error instanceof WrongAnswerError)
    return benchesError('bench_answer_refused', {
      ...options,
      message: `${bench} sent an invalid answer. ${error.message}`,
    });
  const cause = connectionCause(error);
  if (cause === null) return benchesError('bench_dead', { ...options, message: `${bench} does not answer.` });
  const [what, remedy] = describeCause(cause, address);
  return benchesError(TRUST.has(cause) ? 'bench_not_trusted' : 'bench_dead', {
    ...options,
    message: `${bench} ${what}.`,
    remedy,
  });
}
