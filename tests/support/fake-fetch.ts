import type { Fetch } from '../../server/contract/client/request.ts';

/** A request as it arrived. */
export interface FetchedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | FormData | null;
}

/** JSON, a Response, an error to reject with, or a function that returns one of them. */
type FakeAnswer = unknown | ((request: FetchedRequest) => unknown);

/** A `fetch` that answers by method and path; of a list, one answer a request, and the last one from then on. */
export function fakeFetch(answers: Record<string, FakeAnswer>): { fetch: Fetch; requests: FetchedRequest[] } {
  const requests: FetchedRequest[] = [];
  const fetch: Fetch = async (address, { method, headers, body, signal }) => {
    signal?.throwIfAborted();
    const request = { method, path: address.replace(/^https?:\/\/[^/]+/, ''), headers, body };
    requests.push(request);
    const [plain = ''] = request.path.split('?');
    const known = answers[`${method} ${plain}`];
    let answer: unknown = Array.isArray(known) ? (known.length > 1 ? known.shift() : known[0]) : known;
    if (typeof answer === 'function') answer = answer(request);
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer.clone();
    if (answer === undefined) return refusedAs(404, 'not_found', `There is nothing at ${method} ${plain}.`);
    return Response.json(answer);
  };
  return { fetch, requests };
}

/** A refusal in the service's envelope. */
export const refusedAs = (status: number, error: string, message: string): Response =>
  Response.json({ detail: { error, message } }, { status });
