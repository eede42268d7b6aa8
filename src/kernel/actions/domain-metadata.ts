/** Reading `domainMetadata` actions (`PROTOCOL.md`, "Domain Metadata"). */
import type { EngineData } from '../engine-data.ts';
import type { DomainMetadata } from './types.ts';

/** The domains of a batch, in row order, removed ones too. */
export function* domainMetadatas(data: EngineData): Generator<DomainMetadata> {
  const domain = data.column(['domainMetadata', 'domain']);
  const configuration = data.column(['domainMetadata', 'configuration']);
  const removed = data.column(['domainMetadata', 'removed']);
  if (domain === undefined) return;
  for (let row = 0; row < data.length; row++) {
    const name = domain.getString(row);
    if (name === null) continue;
    yield {
      domain: name,
      configuration: configuration?.getString(row) ?? '',
      removed: removed?.getBoolean(row) ?? false,
    };
  }
}
