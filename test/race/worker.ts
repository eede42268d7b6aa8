/** A writer in a Worker: options as JSON in the request, versions as JSON in the answer. */
import { runWriter } from './writer.ts';

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await runWriter(await request.json()));
    } catch (error) {
      return new Response(error instanceof Error ? `${error.stack}` : String(error), { status: 500 });
    }
  },
};
