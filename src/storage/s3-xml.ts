/**
 * The XML of S3's answers, read here and not by the SDK: what it brings for browsers and Workers needs a DOM, and Web
 * Workers and Cloudflare Workers have none. Listings and errors are all the XML that reading and writing objects meets.
 */
import type { S3Client } from '@aws-sdk/client-s3';
import { parseXml, textOfChild, type XmlElement } from './xml.ts';

export interface S3Listing {
  readonly isTruncated: boolean;
  readonly nextContinuationToken: string | undefined;
  /** `url` where keys are encoded, as was asked for. */
  readonly encodingType: string | undefined;
  readonly contents: readonly S3ListedObject[];
}

export interface S3ListedObject {
  readonly key: string;
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly lastModified: number;
}

/** An answer as the SDK's client hands it from its HTTP handler to what parses it. */
interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** The part of a command of the SDK's that is used here. */
interface Command {
  readonly middlewareStack: {
    add(
      middleware: (next: Handler) => Handler,
      options: { step: 'deserialize'; priority: 'low'; name: string; override: boolean },
    ): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each command has types of its own, of which none is looked at
type Handler = (args: any) => Promise<{ response: unknown; output: any }>;

/**
 * Lets a command's errors be read here; with `onListing` also its answer, which the SDK then finds empty.
 * An answer that is no listing is an error with its HTTP status, as one that the SDK cannot read.
 */
export function withOwnXml<C>(
  { config }: Pick<S3Client, 'config'>,
  command: C,
  onListing?: (listing: S3Listing) => void,
): C {
  const middleware = (next: Handler) => async (args: unknown) => {
    const result = await next(args);
    const answer = result.response as HttpAnswer;
    const isError = answer.statusCode >= 300;
    if (!isError && onListing === undefined) return result;
    const text = new TextDecoder().decode(
      answer.body ? await config.streamCollector(answer.body) : undefined,
    );
    answer.body = new Uint8Array(0);
    if (isError) throw serviceError(answer, parseXml(text));
    const listing = listingOf(parseXml(text));
    if (listing === undefined) throw unreadable(answer);
    onListing?.(listing);
    return result;
  };
  // Between the SDK's parser and the network.
  (command as Command).middlewareStack.add(middleware, {
    step: 'deserialize',
    priority: 'low',
    name: 'ownXml',
    override: true,
  });
  return command;
}

/** With what the SDK's own middleware (retries, other regions, clocks) and `s3Error` look at. */
function serviceError(answer: HttpAnswer, xml: XmlElement | undefined): Error {
  const { statusCode, headers } = answer;
  const name = (xml && textOfChild(xml, 'Code')) ?? (statusCode === 404 ? 'NotFound' : 'UnknownError');
  return Object.assign(new Error((xml && textOfChild(xml, 'Message')) ?? ''), {
    name,
    Code: name,
    ServerTime: xml && textOfChild(xml, 'ServerTime'),
    $fault: statusCode >= 500 ? 'server' : 'client',
    $metadata: { httpStatusCode: statusCode, requestId: headers['x-amz-request-id'] },
    $response: answer,
  });
}

function unreadable({ statusCode }: HttpAnswer): Error {
  const message = 'the answer is no listing of S3, or broke off';
  return Object.assign(new Error(message), { $metadata: { httpStatusCode: statusCode } });
}

function listingOf(xml: XmlElement | undefined): S3Listing | undefined {
  if (xml?.name !== 'ListBucketResult') return undefined;
  const contents: S3ListedObject[] = [];
  for (const element of xml.children) {
    if (element.name !== 'Contents') continue;
    const key = textOfChild(element, 'Key');
    const size = Number(textOfChild(element, 'Size') ?? Number.NaN);
    const lastModified = Date.parse(textOfChild(element, 'LastModified') ?? '');
    if (key === undefined || !Number.isSafeInteger(size) || Number.isNaN(lastModified)) return undefined;
    contents.push({ key, size, lastModified });
  }
  return {
    isTruncated: textOfChild(xml, 'IsTruncated') === 'true',
    nextContinuationToken: textOfChild(xml, 'NextContinuationToken'),
    encodingType: textOfChild(xml, 'EncodingType'),
    contents,
  };
}
