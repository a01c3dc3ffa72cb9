package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
)

// JSON configures how results are written that anyone may see. Every string, member names included, goes
// through guard.Scrub. It is for the output of commands and tools, not for what mem stores. The zero value puts
// each text on one line.
type JSON struct {
	Prose   []string // names of the members whose strings keep their lines
	Clean   []string // names of others of which guard.Scrub has made the strings
	MaxText int      // cut strings after this many characters; 0 cuts none
	OneLine bool     // without indentation
}

// Encode returns v as JSON with two spaces of indentation and no final newline.
// An empty list is [], never null, and HTML is not escaped.
func (o JSON) Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = o.scrub(&out, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("write result: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// scrub copies JSON. Two names may be the same once they are scrubbed.
func (o JSON) scrub(out io.Writer, raw []byte) error {
	from := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	opts := []jsontext.Options{jsontext.AllowDuplicateNames(true)}
	if !o.OneLine {
		opts = append(opts, jsontext.WithIndent("  "))
	}
	to := jsontext.NewEncoder(out, opts...)
	names, name := map[string]string{}, "" // names come again and again
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && token.Kind() == '"' {
			text := token.String()
			around, place := from.StackIndex(from.StackDepth())
			switch {
			case around != '{':
				text = o.text(text, false)
			case place%2 == 0 && slices.Contains(o.Clean, name):
			case place%2 == 0: // a value
				text = o.text(text, slices.Contains(o.Prose, name))
			default:
				if name = text; names[name] == "" {
					names[name] = o.text(name, false)
				}
				text = names[name]
			}
			token = jsontext.String(text)
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			return err
		}
	}
}

func (o JSON) text(s string, prose bool) string {
	if prose {
		s = guard.Scrub(s)
	} else {
		s = guard.Line(s)
	}
	if o.MaxText > 0 {
		s = Shorten(s, o.MaxText)
	}
	return s
}
