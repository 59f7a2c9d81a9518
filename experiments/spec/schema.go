package spec

import (
	"encoding/json"
	"io"
	"reflect"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data/keyed"
)

// schema is a part of a JSON Schema, draft 7.
type schema = map[string]any

// WriteSchema writes the JSON Schema (draft 7) of a spec. It knows the keys, their
// types and the names of methods, options, metrics and kinds of figures. It does
// not know what depends on other parts of the same spec, such as whether the
// baseline is among the methods; Parse checks that.
func WriteSchema(w io.Writer, known Registry) error {
	definitions := schema{}
	for _, o := range Reference(known) {
		definitions[o.Name] = o.schema(known)
	}
	root := definitions["spec"].(schema)
	delete(definitions, "spec")
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "qats spec"
	root["definitions"] = definitions
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(root)
}

// schema returns the schema of an object.
func (o Object) schema(known Registry) schema {
	properties, required := schema{}, []string{}
	for _, k := range o.Keys {
		properties[k.Name] = keySchema(k)
		if k.Required {
			required = append(required, k.Name)
		}
	}
	s := schema{"type": "object", "additionalProperties": false, "description": o.About, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	switch o.Name {
	case "setting":
		s["dependencies"] = schema{"corruption": []string{"severity"}, "severity": []string{"corruption"}}
	case "metric":
		name := o.Keys[slices.IndexFunc(o.Keys, func(k keyed.Key) bool { return k.Brief })]
		return schema{"anyOf": []schema{valuesOf(name, name.Field), s}}
	case "method":
		s["anyOf"] = []schema{{"required": []string{"name"}}, {"required": []string{"method"}}}
		s["allOf"] = optionSchemas(known)
		registered := slices.Concat(names(known.Methods), names(known.External), groupNames(known.MethodGroups))
		return schema{"anyOf": []schema{{"enum": registered}, s}}
	}
	return s
}

// keySchema returns the schema of the values of a key.
func keySchema(k keyed.Key) schema {
	s := valuesOf(k, k.Field)
	s["description"] = k.Meaning
	return s
}

// valuesOf returns the schema of the values of a type, under the rules of the key.
func valuesOf(k keyed.Key, t reflect.Type) schema {
	switch x := reflect.Zero(t).Interface().(type) {
	case keyed.Options:
		return schema{"type": "object"}
	case keyed.Mapping:
		return schema{"type": "object", "additionalProperties": valuesOf(k, x.Value())}
	case keyed.Object:
		name, _ := x.About()
		return schema{"$ref": "#/definitions/" + name}
	}
	switch t.Kind() {
	case reflect.Slice:
		return oneOrMore(valuesOf(k, t.Elem()))
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int:
		return bounded("integer", k.Range)
	case reflect.Float64:
		return bounded("number", k.Range)
	}
	switch {
	case k.As == "id":
		return schema{"type": []string{"string", "number"}, "pattern": keyed.IDPattern.String()}
	case k.Choices != nil && k.Pattern != "":
		return schema{"anyOf": []schema{{"enum": k.Choices}, {"type": "string", "pattern": k.Pattern}}}
	case k.Choices != nil:
		return schema{"enum": k.Choices}
	case k.Pattern != "":
		return schema{"type": "string", "pattern": k.Pattern}
	}
	return schema{"type": []string{"string", "number", "boolean"}}
}

// bounded returns the schema of a number in a range such as "1 to 100".
func bounded(kind, limits string) schema {
	s := schema{"type": kind}
	if least, most, ok := keyed.Bounds(limits); ok {
		s["minimum"], s["maximum"] = least, most
	}
	return s
}

// oneOrMore returns the schema of one item or a list of items.
func oneOrMore(item schema) schema {
	return schema{"anyOf": []schema{item, {"type": "array", "items": item, "minItems": 1, "uniqueItems": true}}}
}

// optionSchemas returns for each registered method the schema of its options. A
// method is chosen by its key method, or by its name where it has no such key.
func optionSchemas(known Registry) []schema {
	var all []schema
	for _, e := range slices.Concat(known.Methods, known.External) {
		properties := schema{}
		for _, o := range e.Options() {
			properties[o.Name] = optionSchema(o)
		}
		chosen := schema{"anyOf": []schema{
			{"required": []string{"method"}, "properties": schema{"method": schema{"const": e.Name}}},
			{"not": schema{"required": []string{"method"}}, "properties": schema{"name": schema{"const": e.Name}}},
		}}
		all = append(all, schema{"if": chosen, "then": schema{"properties": schema{
			"options": schema{"type": "object", "additionalProperties": false, "properties": properties},
		}}})
	}
	return all
}

// optionSchema returns the schema of an option. Its range is in the description
// too.
func optionSchema(o calib.Option) schema {
	s := schema{"description": o.Help + " (" + o.Range + ")"}
	if o.Range == "" {
		s["description"] = o.Help
	}
	switch o.Default.(type) {
	case int:
		s["type"] = "integer"
	case float64:
		s["type"] = "number"
	case string:
		s["type"] = []string{"string", "number", "boolean"}
	case []string:
		s["anyOf"] = oneOrMore(schema{"type": []string{"string", "number", "boolean"}})["anyOf"]
	}
	if least, most, ok := keyed.Bounds(o.Range); ok {
		s["minimum"], s["maximum"] = least, most
	}
	return s
}
