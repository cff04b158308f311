import type { SchemaObject } from '../../core/json-schema/compile.ts'

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const schema: SchemaObject = { $ref: '#' }
const schemas: SchemaObject = { type: 'array', items: schema }
const names: SchemaObject = { type: 'array', items: { type: 'string' } }

/** The form of a JSON Schema of any of the usual drafts: the keywords that are checked, and their possible values. */
export const metaSchema: SchemaObject = {
  type: ['object', 'boolean'],
  properties: {
    type: listOr({ minItems: 1, items: { enum: types } }, { enum: types }),
    enum: { type: 'array' },
    items: listOr(schemas, schema),
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    required: names,
    dependentRequired: { type: 'object', additionalProperties: names },
    uniqueItems: { type: 'boolean' },
    ...each(['$ref', 'pattern', 'format'], { type: 'string' }),
    ...each(['minimum', 'maximum'], { type: 'number' }),
    // A flag in draft 4, a number since then.
    ...each(['exclusiveMinimum', 'exclusiveMaximum'], { type: ['number', 'boolean'] }),
    ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], {
      type: 'integer',
      minimum: 0,
    }),
    ...each(
      [
        'additionalProperties',
        'unevaluatedProperties',
        'propertyNames',
        'additionalItems',
        'unevaluatedItems',
        'contains',
      ],
      schema,
    ),
    ...each(['not', 'if', 'then', 'else'], schema),
    ...each(['prefixItems', 'allOf', 'anyOf', 'oneOf'], schemas),
    ...each(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'], {
      type: 'object',
      additionalProperties: schema,
    }),
  },
}

/** Chosen by the value's type, not as alternatives: so the error is about the one that was meant. */
function listOr(list: SchemaObject, other: SchemaObject): SchemaObject {
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema: nobody awaits it.
  return { if: { type: 'array' }, then: list, else: other }
}

function each(keywords: readonly string[], form: SchemaObject): Record<string, SchemaObject> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, form]))
}
