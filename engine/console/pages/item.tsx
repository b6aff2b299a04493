import type { AttributeRole } from '../../core/show/attribute-role.ts';
import { showUnits } from '../../core/show/numbers.ts';
import { showValue } from '../../core/show/show-value.ts';
import type { ExplainedAttribute, ItemAnswer, TableAnswer } from '../wire-types.ts';
import { useAnswer } from './api.ts';
import { Answered, Heading, Panel } from './parts.tsx';
import { linkTo, route } from './route.ts';

const groups: readonly (readonly [AttributeRole, string])[] = [
  ['key', 'Key'],
  ['given', 'Attributes'],
  ['constant', 'Constants'],
  ['ttl', 'Expiry'],
  ['index key', 'Index keys'],
  ['derived', 'Derived'],
  ['other', 'Not in the catalogue'],
];

/** One item: what each attribute is for, how it came to be, its readable form and the stored one. */
export function ItemPage() {
  const { parts, query } = route.value;
  const table = parts[1] ?? '';
  const path = `/api/tables/${encodeURIComponent(table)}`;
  const shape = useAnswer<TableAnswer>(path);
  const asked = useAnswer<ItemAnswer>(`${path}/item?${new URLSearchParams({ key: query.get('key') ?? '' })}`);
  const found = asked.value;
  return (
    <>
      <Heading title={found?.key ?? 'Item'}>
        <p class="crumbs">
          <a href={linkTo(['tables', table])}>{table}</a>
          {found !== undefined &&
            ` · ${found.entity ?? 'an entity that the catalogue does not know'} · ${showUnits(found.units)} read units`}
        </p>
      </Heading>
      <Answered asked={asked}>
        {(item) => (
          <div class="panels flowing">
            {groups.map(([role, title]) => {
              const own = item.attributes.filter((attribute) => attribute.role === role);
              if (own.length === 0) return null;
              return (
                <Panel title={title} key={role}>
                  <dl class="facts attributes">
                    {own.map((attribute) => (
                      <Attribute
                        attribute={attribute}
                        shape={shapeIn(shape.value, item.entity, attribute)}
                        key={attribute.name}
                      />
                    ))}
                  </dl>
                </Panel>
              );
            })}
          </div>
        )}
      </Answered>
    </>
  );
}

function shapeIn(table: TableAnswer | undefined, entity: string | null, { name, role }: ExplainedAttribute) {
  if (role === 'ttl') return { time: 'epoch' };
  return table?.entities.find((one) => one.name === entity)?.attributes.find((one) => one.name === name);
}

interface AttributeProps {
  readonly attribute: ExplainedAttribute;
  readonly shape: { readonly kind?: string; readonly time?: string | null } | undefined;
}

function Attribute({ attribute, shape }: AttributeProps) {
  const { name, value, rule, due, indexes } = attribute;
  return (
    <div>
      <dt>
        {name}
        {indexes.map((index) => (
          <span class="badge quiet" key={index}>
            {index}
          </span>
        ))}
      </dt>
      <dd>
        <span class="value">{value === null ? 'not stored' : showValue(value, shape, Date.now())}</span>
        {value !== null && (
          <details>
            <summary>raw</summary>
            <code class="raw">{JSON.stringify(value)}</code>
          </details>
        )}
        {rule !== null && (
          <p class="rule">
            rule <code>{rule}</code>
          </p>
        )}
        {due !== null && (
          <p class="warn-text">
            The rule gives <code>{showValue(due, shape)}</code> now: a migration or a writer has not caught up.
          </p>
        )}
      </dd>
    </div>
  );
}
