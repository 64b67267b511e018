import { request as ask, type RequestListener } from "node:http";
import { serve } from "./serve";

/**
 * A server in front of one with repositories, which leads some requests to another server. The other one answers
 * everybody as the repository does, so that a client that goes there notices nothing.
 */
export async function leadingElsewhere(origin: string, token: string, isLed: (path: string) => boolean) {
  const authorization = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const passOn =
    (login: { authorization?: string } = {}): RequestListener =>
    (request, response) => {
      const { host: _, ...headers } = request.headers;
      const options = { method: request.method, headers: { ...headers, ...login } };
      const onward = ask(`${origin}${request.url ?? ""}`, options, (answer) =>
        answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
      );
      request.pipe(onward);
    };
  const other = await serve(passOn({ authorization }));
  const own = await serve((request, response) => {
    const path = request.url ?? "";
    if (isLed(path)) response.writeHead(307, { location: `${other.url}${path}` }).end();
    else passOn()(request, response);
  });
  const seenElsewhere = () => other.requests.map(({ url, headers }) => [url, headers.authorization]);
  return { origin: own.url, seenElsewhere };
}
