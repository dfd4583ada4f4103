import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowLeft, IconSearch } from '@tabler/icons-react';
import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  astFromValue,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './docs.module.css';

/** A type of the schema, or one of its fields. */
type DocsPlace = { type: string; field?: string };

type SchemaMatch = { place: DocsPlace; argument?: string };

type Field = { name: string; args?: readonly { name: string }[] };

const MAX_MATCHES = 100;

/** Returns types, fields and arguments whose names contain the text. Matches in the current type come first. */
export function searchSchema(schema: GraphQLSchema, text: string, within?: string): SchemaMatch[] {
  const searchText = text.toLowerCase();
  const matches = (name: string) => name.toLowerCase().includes(searchText);
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const found = types.flatMap((type): SchemaMatch[] => {
    const typeMatch: SchemaMatch[] = matches(type.name) ? [{ place: { type: type.name } }] : [];
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return typeMatch;
    const fields = Object.values<Field>(type.getFields());
    return typeMatch.concat(
      fields.flatMap(({ name, args = [] }): SchemaMatch[] => {
        const place = { type: type.name, field: name };
        return matches(name) ? [{ place }] : args.filter((one) => matches(one.name)).map((one) => ({ place, argument: one.name }));
      }),
    );
  });
  const rank = ({ place: { type, field } }: SchemaMatch) => (type === within ? 0 : field === undefined ? 1 : 2);
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_MATCHES);
}

export type { DocsPlace };

type AnyField = GraphQLField<unknown, unknown> | GraphQLInputField;
type ShowPlace = (place: DocsPlace) => void;
type Props = { schema: GraphQLSchema | null; trail: readonly DocsPlace[]; setTrail: (trail: DocsPlace[]) => void };

/** Documentation of types and fields, with the path to the current one. Descriptions are shown as plain text. */
export function SchemaDocs({ schema, trail, setTrail }: Props) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  if (!schema) return <p className="small muted">{t('graphql.schemaDocs.none')}</p>;
  // After the schema is read again, types in the trail may be missing.
  const validTrail = trail.filter((place) => resolvePlace(schema, place));
  const place = validTrail.at(-1);
  const before = validTrail.at(-2);
  const show = (next: DocsPlace) => {
    setSearch('');
    if (next.type !== place?.type || next.field !== place.field) setTrail([...validTrail, next]);
  };
  return (
    <div className={styles.docs} data-testid="graphql-explorer">
      <TextInput
        size="xs"
        type="search"
        leftSection={<IconSearch size={14} aria-hidden />}
        aria-label={t('graphql.schemaDocs.search')}
        placeholder={t('graphql.schemaDocs.search')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-testid="graphql-docs-search"
      />
      {search.trim() === '' ? (
        <>
          {place && (
            <header className={styles.head}>
              <Button
                size="compact-xs"
                variant="subtle"
                ml={-8}
                leftSection={<IconArrowLeft size={14} aria-hidden />}
                onClick={() => setTrail(validTrail.slice(0, -1))}
                data-testid="graphql-docs-back"
              >
                {before ? (before.field ?? before.type) : t('graphql.schemaDocs.start')}
              </Button>
              <h3 className={styles.title} data-testid="graphql-docs-title">
                {place.field ?? place.type}
              </h3>
            </header>
          )}
          <PlaceDocs key={`${place?.type} ${place?.field}`} schema={schema} place={place} show={show} />
        </>
      ) : (
        <SearchMatches matches={searchSchema(schema, search.trim(), place?.type)} show={show} />
      )}
    </div>
  );
}

function PlaceDocs({ schema, place, show }: { schema: GraphQLSchema; place: DocsPlace | undefined; show: ShowPlace }) {
  const found = place && resolvePlace(schema, place);
  if (!found) return <SchemaOverview schema={schema} show={show} />;
  return found.field ? <FieldDocs field={found.field} show={show} /> : <TypeDocs schema={schema} type={found.type} show={show} />;
}

function SchemaOverview({ schema, show }: { schema: GraphQLSchema; show: ShowPlace }) {
  const { t } = useTranslation();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => type !== null && type !== undefined);
  const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__') && !roots.some(({ name }) => name === type.name));
  return (
    <>
      <Description text={schema.description} />
      <Section title={t('graphql.schemaDocs.roots')}>
        {roots.map((type) => (
          <TypeLink key={type.name} type={type} show={show} />
        ))}
      </Section>
      <Section title={t('graphql.schemaDocs.types')}>
        {types.toSorted((one, other) => one.name.localeCompare(other.name)).map((type) => (
          <TypeLink key={type.name} type={type} show={show} />
        ))}
      </Section>
    </>
  );
}

function TypeDocs({ schema, type, show }: { schema: GraphQLSchema; type: GraphQLNamedType; show: ShowPlace }) {
  const { t } = useTranslation();
  const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  return (
    <>
      <Description text={type.description} />
      {interfaces.length > 0 && (
        <Section title={t('graphql.schemaDocs.implements')}>
          {interfaces.map((one) => (
            <TypeLink key={one.name} type={one} show={show} />
          ))}
        </Section>
      )}
      <Members title={t('graphql.schemaDocs.fields')} members={fieldsOf(type)} parentType={type} show={show} />
      <Members title={t('graphql.schemaDocs.values')} members={isEnumType(type) ? type.getValues() : []} parentType={type} show={show} />
      {possible.length > 0 && (
        <Section title={t('graphql.schemaDocs.possible')}>
          {possible.map((one) => (
            <TypeLink key={one.name} type={one} show={show} />
          ))}
        </Section>
      )}
    </>
  );
}

function FieldDocs({ field, show }: { field: AnyField; show: ShowPlace }) {
  const { t } = useTranslation();
  return (
    <>
      <Description text={field.description} />
      <Deprecation reason={field.deprecationReason} />
      <Section title={t('graphql.schemaDocs.type')}>
        <code>
          <TypeLink type={field.type} show={show} />
        </code>
      </Section>
      <Members title={t('graphql.schemaDocs.arguments')} members={argumentsOf(field)} show={show} />
    </>
  );
}

type Member = AnyField | GraphQLArgument | GraphQLEnumValue;

/** Lists fields, arguments or values. Deprecated ones are shown on demand, or if there are no others. */
function Members({ title, members, parentType, show }: { title: string; members: readonly Member[]; parentType?: GraphQLNamedType; show: ShowPlace }) {
  const { t } = useTranslation();
  const [showsDeprecated, setShowsDeprecated] = useState(false);
  const current = members.filter(({ deprecationReason }) => !deprecationReason);
  const visibleMembers = showsDeprecated || current.length === 0 ? members : current;
  if (members.length === 0) return null;
  return (
    <Section title={title}>
      {visibleMembers.map((member) => (
        <div key={member.name}>
          <code>
            {parentType && 'type' in member ? (
              <UnstyledButton className={styles.link} onClick={() => show({ type: parentType.name, field: member.name })}>
                {member.name}
              </UnstyledButton>
            ) : (
              member.name
            )}
            {'args' in member && <Arguments field={member} show={show} />}
            {'type' in member && (
              <>
                : <TypeLink type={member.type} show={show} />
              </>
            )}
            <DefaultValue member={member} />
          </code>
          <Description text={member.description} />
          <Deprecation reason={member.deprecationReason} />
        </div>
      ))}
      {visibleMembers.length < members.length && (
        <Button size="compact-xs" variant="subtle" ml={-8} onClick={() => setShowsDeprecated(true)} data-testid="graphql-docs-deprecated">
          {t('graphql.schemaDocs.showDeprecated')}
        </Button>
      )}
    </Section>
  );
}

function SearchMatches({ matches, show }: { matches: readonly SchemaMatch[]; show: ShowPlace }) {
  const { t } = useTranslation();
  return (
    <div className={styles.matches} role="status" data-testid="graphql-docs-matches">
      {matches.length === 0 && <p className="small muted">{t('graphql.schemaDocs.nothing')}</p>}
      {matches.map(({ place, argument }) => (
        <UnstyledButton key={`${place.type} ${place.field} ${argument}`} className={styles.match} onClick={() => show(place)}>
          <code>
            {[place.type, place.field].filter(Boolean).join('.')}
            {argument && `(${argument})`}
          </code>
        </UnstyledButton>
      ))}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Arguments({ field, show }: { field: AnyField; show: ShowPlace }) {
  const currentArguments = argumentsOf(field).filter(({ deprecationReason }) => !deprecationReason);
  if (currentArguments.length === 0) return null;
  return (
    <>
      (
      {currentArguments.map((argument, at) => (
        <span key={argument.name}>
          {at > 0 && ', '}
          {argument.name}: <TypeLink type={argument.type} show={show} />
          <DefaultValue member={argument} />
        </span>
      ))}
      )
    </>
  );
}

/** A type with its brackets and exclamation marks. The type's name is a link. */
function TypeLink({ type, show }: { type: GraphQLType; show: ShowPlace }): ReactNode {
  if (isNonNullType(type)) {
    return (
      <>
        <TypeLink type={type.ofType} show={show} />!
      </>
    );
  }
  if (isListType(type)) {
    return (
      <>
        [<TypeLink type={type.ofType} show={show} />]
      </>
    );
  }
  return (
    <UnstyledButton className={styles.link} onClick={() => show({ type: type.name })}>
      {type.name}
    </UnstyledButton>
  );
}

function DefaultValue({ member }: { member: Member }) {
  const value = 'defaultValue' in member && member.defaultValue !== undefined ? astFromValue(member.defaultValue, member.type) : null;
  return value && ` = ${print(value)}`;
}

function Description({ text }: { text: string | null | undefined }) {
  return text ? <p className={styles.description}>{text}</p> : null;
}

function Deprecation({ reason }: { reason: string | null | undefined }) {
  const { t } = useTranslation();
  return reason ? <p className={styles.deprecated}>{t('graphql.schemaDocs.deprecated', { reason })}</p> : null;
}

function resolvePlace(schema: GraphQLSchema, { type: name, field: fieldName }: DocsPlace): { type: GraphQLNamedType; field: AnyField | undefined } | null {
  const type = schema.getType(name);
  const field = type && fieldName !== undefined ? fieldsOf(type).find((one) => one.name === fieldName) : undefined;
  return type && (field || fieldName === undefined) ? { type, field } : null;
}

function fieldsOf(type: GraphQLNamedType): AnyField[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values<AnyField>(type.getFields()) : [];
}

function argumentsOf(field: AnyField): readonly GraphQLArgument[] {
  return 'args' in field ? field.args : [];
}
