import type { Entity } from './entity.ts';
import { viewSchema } from './schema-view.ts';
import { parseTemplate } from './template.ts';

export type KeyType = 'S' | 'N' | 'B';

/** What an entity says of an attribute that is to be a key. */
export interface StatedType {
  readonly entity: string;
  /** Undefined where its kind cannot be a key. */
  readonly type: KeyType | undefined;
  /** Its kind, as people call it. */
  readonly kind: string;
  /** Made by a rule, not given by the writer: it is stored as the key's type says. */
  readonly derived: boolean;
}

/** What the entities that have the attribute store it as; those without it say nothing. */
export function keyTypesOf(entities: readonly Entity[], name: string, ttl?: string): readonly StatedType[] {
  return entities.flatMap((entity) => statedTypes(entity, name, ttl).map((stated) => ({ entity: entity.name, ...stated })));
}

type Stated = Omit<StatedType, 'entity'>;

const text: Stated = { type: 'S', kind: 'text', derived: false };
const number: Stated = { type: 'N', kind: 'number', derived: false };

function statedTypes(entity: Entity, name: string, ttl: string | undefined): readonly Stated[] {
  const templates = entity.derive.flatMap((rule) => (Object.hasOwn(rule.set, name) ? [rule.set[name] ?? ''] : []));
  if (templates.length > 0) return templates.map((template) => ({ ...derivedType(entity, template), derived: true }));
  if (Object.hasOwn(entity.constants, name)) return [text];
  if (Object.hasOwn(entity.schema.shape, name)) return [attributeType(entity, name)];
  return entity.ttl !== undefined && name === ttl ? [number] : [];
}

/** A number that is passed on stays one; anything put together is a text. */
function derivedType(entity: Entity, template: string): Stated {
  const [part, ...others] = parseTemplate(template);
  if (part === undefined || typeof part === 'string' || others.length > 0) return text;
  if (part.transform === 'negate') return number;
  if (part.transform !== undefined || !Object.hasOwn(entity.schema.shape, part.name)) return text;
  const source = attributeType(entity, part.name);
  return source.type === 'N' ? source : text;
}

function attributeType(entity: Entity, name: string): Stated {
  const { kind } = viewSchema(entity.schema.shape[name] as Parameters<typeof viewSchema>[0]);
  switch (kind) {
    case 'number':
      return number;
    case 'bytes':
      return { type: 'B', kind: 'bytes', derived: false };
    case 'text':
    case 'choice':
    case 'json':
      return { type: 'S', kind, derived: false };
    default:
      return { type: undefined, kind, derived: false };
  }
}
